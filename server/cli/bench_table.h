/* Prints a bench as a table for people; bench_json.h prints it for programs. */
#pragma once

#include "common/bytes.h"
#include "server/cli/bench_report.h"

/* False at the limit of the text. */
MUST_USE bool bench_table_write(struct bytes *text, const struct bench_report *report);

/* Describes an ended run: "3.21 samples/s (3.19 to 3.24), ok". For a run that ended because more
 * time buys little, adds the interval within reach. False at the limit of the text. */
MUST_USE bool bench_run_words(struct bytes *text, const struct run *run);
