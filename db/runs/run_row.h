/* Rows of `runs`. For each column, the tables below give its name, the statements that read and
 * write it, and its member of a struct; the lists of columns, placeholders, binds and reads are
 * generated from them. A new field of a run is a member of struct run and a row here. */
#pragma once

#include "db/stmt.h"
#include "engine/run/run.h"

/* Columns that are not in struct run: copies of the spec for the indexes, and row numbers in
 * other tables. */
struct run_row {
    const struct run *run;
    const char *spec;                             /* run_spec_to_text() of the run's */
    const char *load;                             /* load_to_text() of the run's, or NULL */
    const char *idempotency_key;                  /* or NULL */
    const char *checksum;                         /* db/checksum.h; never read or written here */
    long long machine, sweep, contender, version; /* numbers of rows; 0 is none */
};

/* COLUMN(SQL, read, type, written, member); run_row.c defines the words. `read` is PAGE for a
 * column that every query reads, WHOLE for a text that a page of runs reads as NULL because of
 * its size, and NEVER. `written` is the condition for a value; without it the column is NULL.
 * There is one table for each set of statements that write its columns: */

/* INSERT of a queued run and of an imported one. */
#define RUN_NEW_TABLE(COLUMN)                                                                    \
    COLUMN("id", PAGE, TEXT, ALWAYS, RUN(id.text))                                               \
    COLUMN("spec", PAGE, SPEC, ALWAYS, ROW(spec))                                                \
    COLUMN("engine", NEVER, TEXT, ALWAYS, RUN(spec.engine))                                      \
    COLUMN("workload", NEVER, TEXT, ALWAYS, RUN(spec.workload))                                  \
    COLUMN("precision", NEVER, OWNED, ALWAYS, RUN(spec.precision))                               \
    COLUMN("instance", PAGE, TEXT, ALWAYS, RUN(instance))                                        \
    COLUMN("created_us", PAGE, INTEGER, ALWAYS, RUN(created_us))

/* INSERT of a queued run. */
#define RUN_QUEUED_TABLE(COLUMN)                                                                 \
    COLUMN("idempotency_key", NEVER, OWNED, ALWAYS, ROW(idempotency_key))                        \
    COLUMN("sweep", NEVER, INTEGER, ABOVE_0, ROW(sweep))                                         \
    COLUMN("cell", PAGE, INTEGER, IN_SWEEP, RUN(cell))                                           \
    COLUMN("block", PAGE, INTEGER, IN_SWEEP, RUN(block))

/* INSERT of an imported run. For a run measured here, runs_claim() writes the machine and the
 * start time, and step_rows_append() the number of steps. */
#define RUN_IMPORTED_TABLE(COLUMN)                                                               \
    COLUMN("started_us", PAGE, INTEGER, ABOVE_0, RUN(started_us))                                \
    COLUMN("steps", PAGE, INTEGER, ALWAYS, RUN(steps))                                           \
    COLUMN("machine", NEVER, INTEGER, ABOVE_0, ROW(machine))                                     \
    COLUMN("provenance", PAGE, PROVENANCE, ALWAYS, RUN(provenance))                              \
    COLUMN("sender", PAGE, TEXT, ALWAYS, RUN(sender))

/* UPDATE of a run that ends, and INSERT of an imported one. */
#define RUN_ENDED_TABLE(COLUMN)                                                                  \
    COLUMN("ended_us", PAGE, INTEGER, ALWAYS, RUN(ended_us))                                     \
    COLUMN("software", PAGE, TEXT, ALWAYS, RUN(software))                                        \
    COLUMN("ended_by", PAGE, ENDED_BY, ALWAYS, RUN(ended_by))                                    \
    COLUMN("measured_steps", PAGE, INTEGER, FINISHED, RUN(summary.measured_steps))               \
    COLUMN("measured_seconds", PAGE, REAL, FINISHED, RUN(summary.measured_seconds))              \
    COLUMN("samples_per_second", PAGE, REAL, FINISHED, RUN(summary.samples_per_second))          \
    COLUMN("median_step_seconds", PAGE, REAL, FINISHED, RUN(summary.median_step_seconds))        \
    COLUMN("first_measured", PAGE, INTEGER, FINISHED, RUN(summary.first_measured))               \
    COLUMN("throughput_low", PAGE, REAL, FINISHED,                                               \
           KNOWN(summary.throughput.low, summary.throughput.known))                              \
    COLUMN("throughput_high", PAGE, REAL, FINISHED,                                              \
           KNOWN(summary.throughput.high, summary.throughput.known))                             \
    COLUMN("reason", PAGE, TEXT, ALWAYS, RUN(reason))                                            \
    COLUMN("stderr_tail", PAGE, OWNED, ALWAYS, RUN(stderr_tail))                                 \
    COLUMN("engine_details", WHOLE, OWNED, ALWAYS, RUN(engine_details))                          \
    COLUMN("samples", PAGE, INTEGER, ABOVE_0, RUN(samples))                                      \
    COLUMN("peak_memory_bytes", PAGE, INTEGER, ABOVE_0, RUN(peak_memory_bytes))                  \
    COLUMN("setup_ns", PAGE, INTEGER, ABOVE_0, RUN(setup_ns))                                    \
    COLUMN("gradient_cosine", PAGE, REAL, ALWAYS, KNOWN(certified.whole, certified.whole_known)) \
    COLUMN("worst_layer_cosine", PAGE, REAL, ALWAYS,                                             \
           KNOWN(certified.worst, certified.worst_known))                                        \
    COLUMN("loaded", WHOLE, OWNED, ALWAYS, RUN(loaded))                                          \
    COLUMN("load_before", WHOLE, LOAD, ALWAYS, ROW(load))                                        \
    COLUMN("summary", WHOLE, OWNED, ALWAYS, RUN(summary_text))                                   \
    COLUMN("validity", PAGE, VALIDITY, ALWAYS, RUN(validity))                                    \
    COLUMN("findings", WHOLE, OWNED, ALWAYS, RUN(findings))                                      \
    COLUMN("price", WHOLE, OWNED, ALWAYS, RUN(price))                                            \
    COLUMN("paid_per_hour", PAGE, REAL, ABOVE_0, RUN(paid.per_hour))                             \
    COLUMN("paid_nanos", NEVER, INTEGER, ABOVE_0, RUN(paid.nanos))                               \
    COLUMN("paid_currency", PAGE, TEXT, ALWAYS, RUN(paid.currency))                              \
    COLUMN("paid_kind", PAGE, TEXT, ALWAYS, RUN(paid.kind))                                      \
    COLUMN("paid_feed", PAGE, TEXT, ALWAYS, RUN(paid.feed))                                      \
    COLUMN("paid_fetched_us", PAGE, INTEGER, ABOVE_0, RUN(paid.fetched_us))                      \
    COLUMN("provider", PAGE, TEXT, ALWAYS, RUN(where.provider))                                  \
    COLUMN("region", PAGE, TEXT, ALWAYS, RUN(where.region))                                      \
    COLUMN("zone", PAGE, TEXT, ALWAYS, RUN(where.zone))                                          \
    COLUMN("vm", PAGE, TEXT, ALWAYS, RUN(where.vm))                                              \
    COLUMN("contender", NEVER, INTEGER, ABOVE_0, ROW(contender))                                 \
    COLUMN("version", NEVER, INTEGER, ABOVE_0, ROW(version))

/* Written by none of these. db/runs/thinning.c writes `thinned_us`, db/runs/voids.c the void of a
 * run, and db/checksum.c `checksum`. */
#define RUN_VOID(column) "(SELECT " column " FROM voids WHERE run = number AND lifted_us IS NULL)"
#define RUN_READ_TABLE(COLUMN)                                                                   \
    COLUMN("thinned_us", PAGE, INTEGER, ALWAYS, RUN(thinned_us))                                 \
    COLUMN("(SELECT fingerprint FROM machines WHERE machines.number = machine)", PAGE, TEXT,     \
           ALWAYS, RUN(machine))                                                                 \
    COLUMN("(SELECT sweeps.id FROM sweeps WHERE sweeps.number = sweep)", PAGE, TEXT, ALWAYS,     \
           RUN(sweep.text))                                                                      \
    COLUMN(RUN_VOID("at_us"), PAGE, INTEGER, ALWAYS, RUN(voided.at_us))                          \
    COLUMN(RUN_VOID("who"), PAGE, TEXT, ALWAYS, RUN(voided.by))                                  \
    COLUMN(RUN_VOID("voids.reason"), PAGE, TEXT, ALWAYS, RUN(voided.reason))                     \
    COLUMN("(SELECT key FROM signatures WHERE signatures.run = number)", PAGE, TEXT, ALWAYS,     \
           RUN(signed_by))                                                                       \
    COLUMN("checksum", NEVER, OWNED, ALWAYS, ROW(checksum))

#define RUN_READ_ALL(COLUMN)                                                                     \
    RUN_NEW_TABLE(COLUMN)                                                                        \
    RUN_QUEUED_TABLE(COLUMN)                                                                     \
    RUN_IMPORTED_TABLE(COLUMN) RUN_ENDED_TABLE(COLUMN) RUN_READ_TABLE(COLUMN)

/* The lists. They begin with number and state, since all others start with a comma. */
#define RUN_NAME(sql, read, ...) ", " sql
#define RUN_HOLE(sql, read, ...) ", ?"
#define RUN_SELECT_PAGE(sql) ", " sql
#define RUN_SELECT_WHOLE(sql) ", " sql
#define RUN_SELECT_NEVER(sql)
#define RUN_LIST_PAGE(sql) ", " sql
#define RUN_LIST_WHOLE(sql) ", NULL"
#define RUN_LIST_NEVER(sql)
#define RUN_COUNT_PAGE +1
#define RUN_COUNT_WHOLE +1
#define RUN_COUNT_NEVER
#define RUN_SELECT(sql, read, ...) RUN_SELECT_##read(sql)
#define RUN_LIST(sql, read, ...) RUN_LIST_##read(sql)
#define RUN_COUNT(sql, read, ...) RUN_COUNT_##read

/* For run_from_row(): of one run, and of a page of them. */
#define RUN_COLUMNS "number, state" RUN_READ_ALL(RUN_SELECT)
#define RUN_LIST_COLUMNS "number, state" RUN_READ_ALL(RUN_LIST)
enum { RUN_COLUMN_COUNT = 2 RUN_READ_ALL(RUN_COUNT) };

/* For run_row_bind(). */
#define RUN_QUEUED_COLUMNS "state" RUN_NEW_TABLE(RUN_NAME) RUN_QUEUED_TABLE(RUN_NAME)
#define RUN_QUEUED_HOLES "?" RUN_NEW_TABLE(RUN_HOLE) RUN_QUEUED_TABLE(RUN_HOLE)
#define RUN_IMPORTED_COLUMNS                                                                     \
    "state" RUN_NEW_TABLE(RUN_NAME) RUN_IMPORTED_TABLE(RUN_NAME) RUN_ENDED_TABLE(RUN_NAME)
#define RUN_IMPORTED_HOLES                                                                       \
    "?" RUN_NEW_TABLE(RUN_HOLE) RUN_IMPORTED_TABLE(RUN_HOLE) RUN_ENDED_TABLE(RUN_HOLE)
#define RUN_ENDED_COLUMNS "state" RUN_ENDED_TABLE(RUN_NAME)
#define RUN_ENDED_HOLES "?" RUN_ENDED_TABLE(RUN_HOLE)

/* The hourly price during the run, discount taken off. NULL if unknown, or in another currency
 * than dollars. */
#define RUN_DOLLARS "CASE paid_currency WHEN 'USD' THEN paid_per_hour END"

/* Reads RUN_COLUMNS, or RUN_LIST_COLUMNS, of the current row. Fails if the stored spec is none:
 * then there is nothing to clear. */
MUST_USE bool run_from_row(struct stmt *row, struct run *ret_run, struct error *err);

/* Binds the placeholders of a statement; data of `row` must live until stmt_done(). */
enum run_write { RUN_WRITE_QUEUED = 1, RUN_WRITE_IMPORTED = 2, RUN_WRITE_ENDED = 4 };
void run_row_bind(struct stmt *stmt, const struct run_row *row, enum run_write write);

/* The column at a place in the tables, NULL after the last one. Text in parentheses is computed
 * from other columns. */
const char *run_row_column(size_t place);

/* Rows of other tables for a run: its labels and its implementations. In the caller's
 * transaction. */
MUST_USE bool run_insert_labels(struct db *db, long long number, const struct run_spec *spec,
                                struct error *err);
MUST_USE bool run_insert_implementations(struct db *db, long long number,
                                         const char *implementations, struct error *err);
