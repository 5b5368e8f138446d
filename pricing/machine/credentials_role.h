/* AWS keys of the instance's role, from its metadata service. */
#pragma once

#include "pricing/machine/credentials_question.h"

/* Reads the JSON of a role's keys. No message quotes it. */
MUST_USE bool credentials_role_read(const char *text, size_t length, long long now_us,
                                    struct credentials *ret_credentials, long long *ret_until_us,
                                    struct error *err);

/* Asks the service. CREDENTIALS_NONE if the instance has no role. */
MUST_USE enum credentials_result
credentials_role_find(const struct credentials_question *question,
                      struct credentials *ret_credentials, long long *ret_until_us,
                      struct error *err);
