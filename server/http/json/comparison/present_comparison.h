/* The shape of a comparison in JSON. openapi.json describes what is written here, and a test
 * holds the two together. */
#pragma once

#include "answers/compare/ranking.h"
#include "common/json_writer.h"

void present_comparison(struct json_writer *out, const struct comparison_question *question,
                        const struct ranking *ranking);

/* Parts of a row: its "throughput", and its "price" with "why_no_price". */
void present_row_throughput(struct json_writer *out, const struct comparison_row *row);

/* Tokens a second of a row, with its interval; false where the workload trains on no text, or the
 * row has no speed in samples. */
bool comparison_tokens(const struct comparison_question *question,
                       const struct comparison_row *row, struct amount *ret_speed)
    __attribute__((warn_unused_result));

/* "measured" here, "imported" where all of its runs are, or "published" by others. */
const char *comparison_provenance(const struct contender *contender);
