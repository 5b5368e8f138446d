#include "db/runs/evidence_rows.h"

#include "common/cleanup.h"
#include "db/runs/traces.h"
#include "db/stmt.h"

static bool insert_observations(struct db *db, long long number, long long position,
                                const struct evidence *evidence, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db,
                     "INSERT INTO observations (run, position, steps, taken_ns, cpu_ticks,"
                     " steal_ticks, throttled_periods, throttled_us, involuntary_switches,"
                     " waited_ns, own_cpu_ns, major_faults, swap_ins)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     err);

    for (size_t i = 0; insert && i < evidence->observation_count; i++) {
        const struct observation *seen = &evidence->observations[i];
        const long long columns[] = {number,
                                     position + (long long)i,
                                     seen->steps,
                                     seen->taken_ns,
                                     seen->cpu_ticks,
                                     seen->steal_ticks,
                                     seen->throttled_periods,
                                     seen->throttled_us,
                                     seen->involuntary_switches,
                                     seen->waited_ns,
                                     seen->own_cpu_ns,
                                     seen->major_faults,
                                     seen->swap_ins};

        for (size_t column = 0; column < COUNT(columns); column++)
            stmt_integer(insert, columns[column]);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

static bool insert_readings(struct db *db, long long number, long long position,
                            const struct evidence *evidence, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db,
                     "INSERT INTO canaries (run, position, steps, hertz, copy_bytes_per_second)"
                     " VALUES (?, ?, ?, ?, ?)",
                     err);

    for (size_t i = 0; insert && i < evidence->reading_count; i++) {
        const struct canary_reading *reading = &evidence->readings[i];

        stmt_integer(insert, number);
        stmt_integer(insert, position + (long long)i);
        stmt_integer(insert, reading->steps);
        stmt_real(insert, reading->canary.hertz);
        stmt_real(insert, reading->canary.copy_bytes_per_second);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

bool evidence_rows_put(struct db *db, long long number, long long observations,
                       long long readings, const struct evidence *evidence, struct error *err)
{
    return insert_observations(db, number, observations, evidence, err) &&
           insert_readings(db, number, readings, evidence, err);
}

bool evidence_rows_append(struct db *db, long long number, long long observations,
                          long long readings, const struct evidence *evidence, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    if (evidence->observation_count + evidence->reading_count == 0)
        return true;
    return transaction_begin(&change, db, DB_RELAXED, err) &&
           evidence_rows_put(db, number, observations, readings, evidence, err) &&
           transaction_commit(&change, err);
}

static struct observation observation_from_row(struct stmt *row)
{
    return (struct observation){.steps = stmt_column_integer(row, 0),
                                .taken_ns = stmt_column_integer(row, 1),
                                .cpu_ticks = stmt_column_integer(row, 2),
                                .steal_ticks = stmt_column_integer(row, 3),
                                .throttled_periods = stmt_column_integer(row, 4),
                                .throttled_us = stmt_column_integer(row, 5),
                                .involuntary_switches = stmt_column_integer(row, 6),
                                .waited_ns = stmt_column_integer(row, 7),
                                .own_cpu_ns = stmt_column_integer(row, 8),
                                .major_faults = stmt_column_integer(row, 9),
                                .swap_ins = stmt_column_integer(row, 10)};
}

static bool load_observations(struct db *db, long long number, struct evidence *evidence,
                              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT steps, taken_ns, cpu_ticks, steal_ticks, throttled_periods,"
                     " throttled_us, involuntary_switches, waited_ns, own_cpu_ns, major_faults,"
                     " swap_ins FROM observations WHERE run = ? ORDER BY position",
                     err);
    enum stmt_step step;

    stmt_integer(query, number);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        const struct observation seen = observation_from_row(query);

        evidence_observe(evidence, &seen);
    }
    return step == STMT_DONE;
}

static bool load_readings(struct db *db, long long number, struct evidence *evidence,
                          struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT steps, hertz, copy_bytes_per_second FROM canaries"
                                      " WHERE run = ? ORDER BY position",
                                      err);
    enum stmt_step step;

    stmt_integer(query, number);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        const struct canary_reading reading = {
            stmt_column_integer(query, 0),
            {stmt_column_real(query, 1), stmt_column_real(query, 2)}};

        evidence_add_reading(evidence, &reading);
    }
    return step == STMT_DONE;
}

bool evidence_rows_load(struct db *db, long long number, struct evidence *evidence,
                        struct error *err)
{
    size_t before = evidence->observation_count + evidence->reading_count;

    if (!load_observations(db, number, evidence, err) ||
        !load_readings(db, number, evidence, err))
        return false;
    return evidence->observation_count + evidence->reading_count > before ||
           traces_evidence(db, number, evidence, err);
}
