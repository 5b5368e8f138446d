/* How a row of `runs` becomes a struct run; shared by all that select from that table. */
#pragma once

#include "db/stmt.h"
#include "engine/run/run.h"

/* The columns of a run behind its number: the SELECT and the places in its rows come from these
 * two tables, so that they agree however a column is added. */
#define RUN_LEAN_TABLE(COLUMN)                                                                   \
    COLUMN(ID, "id")                                                                             \
    COLUMN(STATE, "state")                                                                       \
    COLUMN(SPEC, "spec")                                                                         \
    COLUMN(INSTANCE, "instance")                                                                 \
    COLUMN(CREATED_US, "created_us")                                                             \
    COLUMN(STARTED_US, "started_us")                                                             \
    COLUMN(ENDED_US, "ended_us")                                                                 \
    COLUMN(SOFTWARE, "software")                                                                 \
    COLUMN(STEPS, "steps")                                                                       \
    COLUMN(ENDED_BY, "ended_by")                                                                 \
    COLUMN(MEASURED_STEPS, "measured_steps")                                                     \
    COLUMN(MEASURED_SECONDS, "measured_seconds")                                                 \
    COLUMN(SAMPLES_PER_SECOND, "samples_per_second")                                             \
    COLUMN(MEDIAN_STEP_SECONDS, "median_step_seconds")                                           \
    COLUMN(REASON, "reason")                                                                     \
    COLUMN(STDERR_TAIL, "stderr_tail")                                                           \
    COLUMN(SAMPLES, "samples")                                                                   \
    COLUMN(PEAK_MEMORY_BYTES, "peak_memory_bytes")                                               \
    COLUMN(FIRST_MEASURED, "first_measured")                                                     \
    COLUMN(THROUGHPUT_LOW, "throughput_low")                                                     \
    COLUMN(THROUGHPUT_HIGH, "throughput_high")                                                   \
    COLUMN(VALIDITY, "validity")                                                                 \
    COLUMN(SETUP_NS, "setup_ns")                                                                 \
    COLUMN(GRADIENT_COSINE, "gradient_cosine")                                                   \
    COLUMN(GRADIENT_COSINE_KNOWN, "gradient_cosine IS NOT NULL")                                 \
    COLUMN(WORST_LAYER_COSINE, "worst_layer_cosine")                                             \
    COLUMN(WORST_LAYER_COSINE_KNOWN, "worst_layer_cosine IS NOT NULL")                           \
    COLUMN(MACHINE, "(SELECT fingerprint FROM machines WHERE machines.number = machine)")        \
    COLUMN(SWEEP, "(SELECT sweeps.id FROM sweeps WHERE sweeps.number = sweep)")                  \
    COLUMN(CELL, "cell")                                                                         \
    COLUMN(BLOCK, "block")                                                                       \
    COLUMN(PROVENANCE, "provenance")                                                             \
    COLUMN(PROVIDER, "provider")                                                                 \
    COLUMN(REGION, "region")                                                                     \
    COLUMN(ZONE, "zone")                                                                         \
    COLUMN(VM, "vm")                                                                             \
    COLUMN(SENDER, "sender")                                                                     \
    COLUMN(THINNED_US, "thinned_us")

/* For one run, and NULL for a page of them: there these texts would be most of all bytes. */
#define RUN_WIDE_TABLE(COLUMN)                                                                   \
    COLUMN(ENGINE_DETAILS, "engine_details")                                                     \
    COLUMN(LOADED, "loaded")                                                                     \
    COLUMN(SUMMARY, "summary")                                                                   \
    COLUMN(FINDINGS, "findings")                                                                 \
    COLUMN(PRICE, "price")

#define RUN_COLUMN_SQL(name, sql) ", " sql
#define RUN_COLUMN_NULL(name, sql) ", NULL"
#define RUN_COLUMN_PLACE(name, sql) COLUMN_##name,

#define RUN_COLUMNS "number" RUN_LEAN_TABLE(RUN_COLUMN_SQL) RUN_WIDE_TABLE(RUN_COLUMN_SQL)
#define RUN_LIST_COLUMNS "number" RUN_LEAN_TABLE(RUN_COLUMN_SQL) RUN_WIDE_TABLE(RUN_COLUMN_NULL)

enum run_column {
    COLUMN_NUMBER,
    RUN_LEAN_TABLE(RUN_COLUMN_PLACE) RUN_WIDE_TABLE(RUN_COLUMN_PLACE) RUN_COLUMN_COUNT
};

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

/* The tables that belong to a run of a number: its labels, and its implementations.
 * Within a transaction of the caller's. */
bool run_insert_labels(struct db *db, long long number, const struct run_spec *spec,
                       struct error *err) __attribute__((warn_unused_result));
bool run_insert_implementations(struct db *db, long long number, const char *implementations,
                                struct error *err) __attribute__((warn_unused_result));
