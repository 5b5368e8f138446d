#include "db/checksum.h"

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/sha256.h"
#include "common/text.h"
#include "db/stmt.h"

#include <assert.h>

#define TEXT_SIZE (2 * SHA256_SIZE + 1)

/* A run that was cancelled in the queue has nothing to cover. */
#define HAS_ENDED                                                                                \
    "state NOT IN ('queued', 'running') AND NOT (state = 'cancelled' AND started_us IS NULL)"

/* The covered data, one query per table. The first statement finds the run. */
static const char *const tables[] = {
    "SELECT id, state, spec, instance, created_us, started_us, ended_us, provenance, sender,"
    " (SELECT fingerprint FROM machines WHERE machines.number = machine),"
    " steps, software, ended_by, measured_steps, measured_seconds, samples_per_second,"
    " median_step_seconds, first_measured, throughput_low, throughput_high, reason,"
    " engine_details, samples, peak_memory_bytes, setup_ns, gradient_cosine, worst_layer_cosine,"
    " loaded, load_before, summary, validity, findings, provider, region, zone, vm, thinned_us"
    " FROM runs WHERE number = ?1 AND " HAS_ENDED,
    "SELECT implementations FROM run_implementations WHERE run = ?1",
    "SELECT position, nanoseconds, loss, input_ns, forward_ns, backward_ns, update_ns,"
    " communication_ns FROM steps WHERE run = ?1 ORDER BY position",
    "SELECT position, steps, taken_ns, cpu_ticks, steal_ticks, throttled_periods, throttled_us,"
    " involuntary_switches, waited_ns, own_cpu_ns, major_faults, swap_ins FROM observations"
    " WHERE run = ?1 ORDER BY position",
    "SELECT position, steps, hertz, copy_bytes_per_second FROM canaries WHERE run = ?1"
    " ORDER BY position",
    "SELECT steps, evidence FROM traces WHERE run = ?1",
};

static void add_number(struct sha256 *sum, uint64_t number)
{
    uint8_t bytes[8]; /* the same on every machine */

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    sha256_add(sum, bytes, sizeof bytes);
}

static void add_real(struct sha256 *sum, double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof bits);
    add_number(sum, bits);
}

static void add_text(struct sha256 *sum, const char *text)
{
    size_t length = strlen(text);

    add_number(sum, length);
    sha256_add(sum, text, length);
}

/* Each value after its type, so that no two different rows give the same bytes. */
static void add_row(struct sha256 *sum, struct stmt *row)
{
    sha256_add(sum, "row", 3);
    for (int i = 0; i < stmt_columns(row); i++) {
        const char kind = (char)stmt_column_kind(row, i);

        sha256_add(sum, &kind, 1);
        if (kind == STMT_INTEGER)
            add_number(sum, (uint64_t)stmt_column_integer(row, i));
        else if (kind == STMT_REAL)
            add_real(sum, stmt_column_real(row, i));
        else if (kind == STMT_TEXT)
            add_text(sum, stmt_column_text(row, i));
    }
}

static bool add_table(struct db *db, const char *sql, long long number, struct sha256 *sum,
                      long long *ret_rows, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    *ret_rows = 0;
    stmt_integer(query, number);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        add_row(sum, query);
        ++*ret_rows;
    }
    sha256_add(sum, "end", 3);
    return step == STMT_DONE;
}

/* "" for a run without a checksum. */
static bool checksum_compute(struct db *db, long long number, char ret_text[TEXT_SIZE],
                             struct error *err)
{
    uint8_t digest[SHA256_SIZE];
    struct sha256 sum;
    long long rows;

    *ret_text = '\0';
    sha256_begin(&sum);
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (!add_table(db, tables[i], number, &sum, &rows, err))
            return false;
        if (i == 0 && rows == 0)
            return true;
    }
    sha256_end(&sum, digest);
    hex_write(digest, SHA256_SIZE, ret_text);
    return true;
}

bool checksum_put(struct db *db, long long number, struct error *err)
{
    AUTO(stmt_done) struct stmt *update = NULL;
    char text[TEXT_SIZE];

    if (!checksum_compute(db, number, text, err))
        return false;
    if (!*text)
        return true;
    update = stmt_prepare(db, "UPDATE runs SET checksum = ? WHERE number = ?", err);
    stmt_text(update, text);
    stmt_integer(update, number);
    return stmt_run(update, err);
}

bool checksum_look(struct db *db, long long number, enum checksum_state *ret_state,
                   struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT checksum FROM runs WHERE number = ?", err);
    char text[TEXT_SIZE];

    if (!checksum_compute(db, number, text, err))
        return false;
    stmt_integer(query, number);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_state = stmt_column_is_null(query, 0)                   ? CHECKSUM_MISSING
                 : strcmp(stmt_column_text(query, 0), text) == 0 ? CHECKSUM_HOLDS
                                                                 : CHECKSUM_DIFFERS;
    return true;
}

static bool checksum_next_of(struct db *db, const char *sql, long long after,
                             struct checksum_run *ret_run, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    *ret_run = (struct checksum_run){.number = 0};
    stmt_integer(query, after);
    step = stmt_step(query, err);
    if (step == STMT_ROW) {
        ret_run->number = stmt_column_integer(query, 0);
        TEXT_COPY(ret_run->id, stmt_column_text(query, 1));
        assert(ret_run->number > after);
    }
    return step != STMT_FAILED;
}

bool checksum_next(struct db *db, long long after, struct checksum_run *ret_run,
                   struct error *err)
{
    return checksum_next_of(db,
                            "SELECT number, id FROM runs WHERE number > ? AND " HAS_ENDED
                            " ORDER BY number LIMIT 1",
                            after, ret_run, err);
}

bool checksum_count(struct db *db, long long *ret_count, struct error *err)
{
    return stmt_number(db, "SELECT count(*) FROM runs WHERE " HAS_ENDED, ret_count, err);
}

bool checksum_put_missing(struct db *db, struct error *err)
{
    struct checksum_run run = {.number = 0};

    do {
        if (!checksum_next_of(db,
                              "SELECT number, id FROM runs WHERE number > ? AND checksum IS NULL"
                              " AND " HAS_ENDED " ORDER BY number LIMIT 1",
                              run.number, &run, err) ||
            (run.number > 0 && !checksum_put(db, run.number, err)))
            return false;
    } while (run.number > 0);
    return true;
}
