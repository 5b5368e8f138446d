/* How a row of `runs` becomes a struct run; shared by whoever selects from that table. */
#pragma once

#include "db/stmt.h"
#include "engine/run/run.h"

#define RUN_LEAN_COLUMNS                                                                         \
    "number, id, state, spec, instance, created_us, started_us, ended_us, software, steps, "     \
    "ended_by, measured_steps, measured_seconds, samples_per_second, median_step_seconds, "      \
    "reason, stderr_tail, samples, peak_memory_bytes, first_measured, throughput_low, "          \
    "throughput_high, validity, setup_ns, gradient_cosine, gradient_cosine IS NOT NULL, "        \
    "worst_layer_cosine, worst_layer_cosine IS NOT NULL, "                                       \
    "(SELECT fingerprint FROM machines WHERE machines.number = machine), "                       \
    "(SELECT sweeps.id FROM sweeps WHERE sweeps.number = sweep), cell, block, "                  \
    "provenance, provider, region, zone, vm, sender, thinned_us"

/* For one run, and for a page of them: there these texts would be most of all bytes. */
#define RUN_COLUMNS RUN_LEAN_COLUMNS ", engine_details, loaded, summary, findings, price"
#define RUN_COLUMN_COUNT 44
#define RUN_LIST_COLUMNS RUN_LEAN_COLUMNS ", NULL, NULL, NULL, NULL, NULL"

/* What an hour cost while a run was measured, discount taken off. NULL where that is not known,
 * and where it is in other money than dollars, which could not be compared. */
#define RUN_DOLLARS "CASE paid_currency WHEN 'USD' THEN paid_per_hour END"

/* Reads the columns of the current row, in that order. */
bool run_from_row(struct stmt *row, struct run *ret_run, struct error *err)
    __attribute__((warn_unused_result));

/* What the end of a run fills in, and what run_bind_end() binds to that many holes. */
#define RUN_END_COLUMNS                                                                          \
    "ended_us, software, ended_by, measured_steps, measured_seconds, samples_per_second, "       \
    "median_step_seconds, first_measured, throughput_low, throughput_high, reason, "             \
    "stderr_tail, engine_details, samples, peak_memory_bytes, setup_ns, gradient_cosine, "       \
    "worst_layer_cosine, loaded, summary, validity, findings, price, paid_per_hour, "            \
    "paid_nanos, paid_currency, paid_kind, paid_feed, paid_fetched_us, provider, region, zone, " \
    "vm, contender"
#define RUN_END_HOLES                                                                            \
    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "       \
    "?, ?, ?, ?, ?, ?"

/* `contender` 0 is none. */
void run_bind_end(struct stmt *stmt, const struct run *run, long long contender);

/* The tables that belong to a run of a number: its labels, and what was told of implementations.
 * Within a transaction of the caller's. */
bool run_insert_labels(struct db *db, long long number, const struct run_spec *spec,
                       struct error *err) __attribute__((warn_unused_result));
bool run_insert_implementations(struct db *db, long long number, const char *implementations,
                                struct error *err) __attribute__((warn_unused_result));
