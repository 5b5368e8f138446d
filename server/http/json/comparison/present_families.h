/* The sizes of families, as JSON. openapi.json describes what is written here, and a test holds
 * the two together. */
#pragma once

#include "answers/types/families.h"
#include "common/json_writer.h"

/* The families behind `after` ("FAMILY PROVIDER", NULL for the first), as many as the question's
 * limit. */
void present_families(struct json_writer *out, const struct comparison_question *question,
                      const struct families *families, const char *after,
                      const struct ranking *ranking);
