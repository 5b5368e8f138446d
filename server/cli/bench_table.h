/* Prints a bench: as a table for people, or as a JSON object for programs. */
#pragma once

#include "common/bytes.h"
#include "server/cli/bench_report.h"

/* False at the limit of the text. */
bool bench_table_write(struct bytes *text, const struct bench_report *report)
    __attribute__((warn_unused_result));

/* Describes an ended run: "3.21 samples/s (3.19 to 3.24), ok". For a run that ended because more
 * time buys little, adds the interval within reach. False at the limit of the text. */
bool bench_run_words(struct bytes *text, const struct run *run)
    __attribute__((warn_unused_result));

/* One object in one line:
 *   {"bench": "standard" or "quick", "sweep": id, "at": time, "exit_status": number,
 *    "ended_early": why or null, "machine": {"identity": {...}, "facts": {...}},
 *    "price": {...} or null, "why_no_price": why or null,
 *    "load_before": as GET /v1/machine/load, or null,
 *    "configurations": [{"name", "refused", "runs", "finished", "counted", "over",
 *      "samples_per_second", "samples_per_dollar", "dollars_per_million_samples"}],
 *    "runs": [{"id", "configuration", "state", "reason", "samples_per_second", "validity",
 *      "findings", "ended_by", "repeated", "hub", "hub_reason"}],
 *    "hub": {"url", "accepted", "refused", "waiting", "last_error"} or null}
 * Numbers with an interval are {"value", "low", "high"}, as everywhere in the API, and "price",
 * "identity" and "findings" are what they are there. */
bool bench_json_write(struct bytes *text, const struct bench_report *report)
    __attribute__((warn_unused_result));
