/* Tested by tests/attack/test_quarantine.py. */
#include "db/runs/quarantine.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/runs/trust.h"
#include "db/runs/voids.h"
#include "db/stmt.h"

#include <string.h>

#define LOOKED_AT 20 /* trusted runs */
#define VALID " AND validity IN ('ok', 'warn') AND samples_per_second > 0"
#define SAME "contender = ?1 AND version = ?2"

/* The run under test. */
struct suspect {
    long long number, now_us;
    long long contender, version;
    double value;
    char sender[TOKEN_NAME_SIZE];
};

/* The known runs, the slowest first. */
struct known {
    double values[2 * LOOKED_AT];
    size_t count;
};

static bool find_suspect(struct db *db, long long number, struct suspect *ret_suspect,
                         struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT contender, version, samples_per_second, sender FROM runs WHERE number = ?",
        err);
    enum stmt_step step;

    *ret_suspect = (struct suspect){.number = number};
    stmt_integer(query, number);
    step = stmt_step(query, err);
    if (step != STMT_ROW)
        return step == STMT_DONE;
    ret_suspect->contender = stmt_column_integer(query, 0);
    ret_suspect->version = stmt_column_integer(query, 1);
    ret_suspect->value = stmt_column_real(query, 2);
    TEXT_COPY(ret_suspect->sender, stmt_column_text(query, 3));
    return true;
}

static bool known_collect(struct db *db, const char *sql, const struct suspect *suspect,
                          struct known *known, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    stmt_integer(query, suspect->contender);
    stmt_integer(query, suspect->version);
    stmt_text(query, suspect->sender);
    while ((step = stmt_step(query, err)) == STMT_ROW && known->count < 2 * LOOKED_AT)
        known->values[known->count++] = stmt_column_real(query, 0);
    return step != STMT_FAILED;
}

static bool find_trusted(struct db *db, const struct suspect *suspect, struct known *known,
                         struct error *err)
{
    return known_collect(
        db,
        "SELECT samples_per_second FROM (SELECT samples_per_second FROM runs"
        " WHERE " SAME " AND sender IS NULL" VALID " ORDER BY number DESC LIMIT 20)"
        " UNION ALL SELECT samples_per_second FROM (SELECT samples_per_second"
        " FROM runs WHERE " SAME " AND sender IN (SELECT name FROM trusted_senders)" VALID
        " AND sender <> ?3 LIMIT 20) ORDER BY 1",
        suspect, known, err);
}

/* One index step per sender, however many runs it has. */
static bool find_senders(struct db *db, const struct suspect *suspect, struct known *known,
                         struct error *err)
{
    return known_collect(
        db,
        "WITH RECURSIVE senders(name) AS (SELECT min(sender) FROM runs WHERE " SAME
        " AND sender > '' UNION ALL SELECT (SELECT min(sender) FROM runs WHERE " SAME
        " AND sender > senders.name) FROM senders WHERE senders.name IS NOT NULL"
        " LIMIT 100) SELECT (SELECT samples_per_second FROM runs WHERE " SAME
        " AND sender = senders.name" VALID " ORDER BY number DESC LIMIT 1) AS newest"
        " FROM senders WHERE name IS NOT NULL AND name <> ?3 AND newest IS NOT NULL",
        suspect, known, err);
}

static bool is_off(double value, double known)
{
    return value > known * QUARANTINE_FACTOR || value * QUARANTINE_FACTOR < known;
}

static bool suspect_hold(struct db *db, const struct suspect *suspect, double known,
                         const char *whose, struct error *err)
{
    struct taken_back held = {.at_us = suspect->now_us, .by = QUARANTINE_BY};

    snprintf(held.reason, sizeof held.reason,
             "held: %.6g samples a second are %s than what %s (%.6g) by a factor of more than %d",
             suspect->value, suspect->value > known ? "more" : "less", whose, known,
             QUARANTINE_FACTOR);
    return voids_add(db, suspect->number, &held, err);
}

bool quarantine_look(struct db *db, long long number, long long now_us, bool *ret_held,
                     struct error *err)
{
    struct suspect suspect;
    struct known known = {0};
    bool trusted, off = true;

    if (!find_suspect(db, number, &suspect, err) || !trust_has(db, suspect.sender, &trusted, err))
        return false;
    suspect.now_us = now_us;
    *ret_held = false;
    if (trusted || suspect.contender == 0 || !(suspect.value > 0))
        return true;
    if (!find_trusted(db, &suspect, &known, err))
        return false;
    if (known.count > 0) {
        double median = known.values[(known.count - 1) / 2];

        *ret_held = is_off(suspect.value, median);
        return !*ret_held || suspect_hold(db, &suspect, median, "trusted runs have", err);
    }
    if (!find_senders(db, &suspect, &known, err))
        return false;
    for (size_t i = 0; i < known.count; i++)
        off = off && is_off(suspect.value, known.values[i]);
    *ret_held = known.count >= 2 && off;
    return !*ret_held || suspect_hold(db, &suspect, known.values[0], "other senders have", err);
}
