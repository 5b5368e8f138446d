/* Finds AWS keys as AWS's own tools do: the environment, then the shared file, then the role of
 * the instance. They stay in memory: never logged, never stored. */
#pragma once

#include "pricing/machine/credentials_question.h"

/* *ret_until_us: when they expire, 0 for never; ask again some minutes earlier. *ret_origin: "the
 * environment", "the shared file", "the role of the instance". */
MUST_USE enum credentials_result credentials_find(const struct credentials_question *question,
                                                  struct credentials *ret_credentials,
                                                  const char **ret_origin,
                                                  long long *ret_until_us, struct error *err);
