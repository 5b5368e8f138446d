/* Prints a bench as a JSON object for programs. */
#pragma once

#include "common/bytes.h"
#include "server/cli/bench_report.h"

#include <stdbool.h>

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
MUST_USE bool bench_json_write(struct bytes *text, const struct bench_report *report);
