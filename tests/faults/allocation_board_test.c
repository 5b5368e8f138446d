/* Every allocation of bringing the board up to date fails, each in its turn: what it lends is
 * whole or it lends nothing, and who asks again when there is memory gets all. */
#include "tests/faults/shortages.h"

#include "server/compare/comparison_cache.h"
#include "tests/db/offers.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

static struct template database;
static struct comparison_cache *whole; /* without any accident */

#define LONG "a-text-that-is-longer-than-what-sqlite-keeps-without-asking-for-memory"

static void fill(struct db *db)
{
    READ(db, 0, P("a.large", "1"));
    EXPECT(db_execute(
        db,
        "INSERT INTO machines VALUES (9, 'f', 's', '{\"cpu_model\":\"" LONG "\"}', 1);"
        "WITH n(i) AS (VALUES (1), (2), (3))"
        " INSERT INTO contenders SELECT i, 'mlp', 'e', '{\"x\":\"" LONG "\"}', 'aws',"
        " 'a.large', 's' || i, 0, 2 FROM n;"
        "INSERT INTO contenders VALUES (70, 'mlp', 'e', '{}', 'aws', 'a.large', 's', 1, 2);"
        "INSERT INTO figures VALUES (1, 'figure', 70, 5.0, 'sample', 0, '" LONG "', '" LONG
        "', 1);"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11)"
        " INSERT INTO runs (number, id, state, spec, engine, workload, instance, created_us,"
        " ended_us, samples_per_second, throughput_low, throughput_high, validity, vm, contender,"
        " machine, software, engine_details, paid_per_hour, paid_kind, paid_currency) SELECT i + "
        "1, '" LONG
        "' || i, 'finished', '{}', 'e', 'mlp', 'a.large', i, i * 1000, 10.0 + i, 9.0 + i,"
        " 11.0 + i, 'ok', 'i00000000000000' || (i % 4), i % 3 + 1, 9, '" LONG
        "', '{\"isa\":\"avx512\"}',"
        " 0.5, 'on_demand', 'USD'"
        " FROM n;"
        "INSERT INTO canaries SELECT number, 0, 0, 3e9, 1 FROM runs;"
        "UPDATE revision SET number = number + 2",
        NULL));
}

static void expect_same_contender(const struct contender *a, const struct contender *b)
{
    EXPECT_STR(a->id, b->id);
    EXPECT_STR(a->configuration, b->configuration);
    EXPECT_STR(a->instance, b->instance);
    EXPECT_STR(a->stratum, b->stratum);
    EXPECT_STR(a->published.source, b->published.source);
    EXPECT_STR(a->published.note, b->published.note);
    EXPECT_STR(a->published.unit, b->published.unit);
    EXPECT_INT(a->standing.level, b->standing.level);
    EXPECT_INT(a->standing.runs, b->standing.runs);
    EXPECT_INT(a->standing.vms, b->standing.vms);
    EXPECT_NEAR(a->standing.value, b->standing.value, 0);
    EXPECT_STR(a->newest.run, b->newest.run);
    EXPECT_STR(a->newest.software, b->newest.software);
    EXPECT_STR(a->newest.isa, b->newest.isa);
    EXPECT_STR(a->newest.cpu_model, b->newest.cpu_model);
    EXPECT_STR(a->newest.paid_kind, b->newest.paid_kind);
    EXPECT_NEAR(a->newest.hertz, b->newest.hertz, 0);
    EXPECT_NEAR(a->newest.paid_per_hour, b->newest.paid_per_hour, 0);
}

static bool borrow(struct comparison_cache *board, struct db *db,
                   struct comparison_loan *ret_loan, struct error *err)
{
    const struct offers_question question = asked(50);

    return comparison_cache_borrow(board, db, &question, ret_loan, err);
}

static void expect_same_loan(struct db *db, const struct comparison_loan *loan)
{
    AUTO(comparison_cache_return) struct comparison_loan right = {0};

    EXPECT(borrow(whole, db, &right, NULL));
    EXPECT_INT((long long)loan->standings->count, (long long)right.standings->count);
    for (size_t i = 0; i < right.standings->count && i < loan->standings->count; i++)
        expect_same_contender(&loan->standings->list[i], &right.standings->list[i]);
    EXPECT_INT((long long)loan->offers->count, 1);
    EXPECT_STR(loan->offers->list[0].on_demand.text, "1");
}

static bool ask(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    struct comparison_loan loan = {0};
    bool ok = false;

    ration_start();
    struct comparison_cache *board = comparison_cache_new(err);
    if (board)
        ok = borrow(board, db, &loan, err);
    ration_stop();
    if (board && !ok)
        EXPECT(borrow(board, db, &loan, NULL));
    if (board) {
        expect_same_loan(db, &loan);
        comparison_cache_return(&loan);
    }
    comparison_cache_free(board);
    expect_usable(db);
    return ok;
}

static bool update(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(standings_free) struct standings standings = {0};
    AUTO(comparison_cache_return) struct comparison_loan right = {0};

    ration_start();
    bool ok = standings_update(db, &standings, err);
    ration_stop();
    if (!ok) {
        EXPECT_INT((long long)standings.count, 0);
        EXPECT_INT(standings.revision, 0);
        EXPECT(standings_update(db, &standings, NULL));
    }
    EXPECT(borrow(whole, db, &right, NULL));
    EXPECT_INT((long long)standings.count, (long long)right.standings->count);
    for (size_t i = 0; i < standings.count && i < right.standings->count; i++)
        expect_same_contender(&standings.list[i], &right.standings->list[i]);
    return ok;
}

static void the_board_survives_every_shortage(void)
{
    struct comparison_loan loan = {0};

    database = template_make(schema_version, fill);
    struct db *db = open_database(&database.folder);
    whole = comparison_cache_new(NULL);
    EXPECT(borrow(whole, db, &loan, NULL));
    EXPECT_INT((long long)loan.standings->count, 4);
    EXPECT_STR(loan.standings->list[0].newest.software, LONG);
    EXPECT_STR(loan.standings->list[3].published.note, LONG);
    EXPECT_NEAR(loan.standings->list[0].newest.paid_per_hour, 0.5, 0);
    comparison_cache_return(&loan);
    db_freep(&db);
    survive_every_shortage("standings", update);
    survive_every_shortage("board", ask);
    comparison_cache_free(whole);
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    RUN(the_board_survives_every_shortage);
    return test_result();
}
