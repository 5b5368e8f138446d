/* What is known of an instance type: as JSON, and as a line of CSV. openapi.json describes what
 * is written here, and a test holds the two together. */
#pragma once

#include "answers/types/support.h"
#include "common/json_writer.h"

struct known_type;

void present_support(struct json_writer *out, const struct known_type *type,
                     const struct support *support);

/* A fact of it. */
void present_number_fact(struct json_writer *out, const char *key,
                         const struct number_fact *fact);

/* The names of the columns, and one line. False at the limit of the text. */
extern const char present_support_columns[];
bool present_support_line(struct bytes *text, const struct known_type *type,
                          const struct support *support) __attribute__((warn_unused_result));
