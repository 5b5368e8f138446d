#include "db/runs/run_row.h"

#include "tests/db/database.h"
#include "tests/db/imported.h"

static bool is_in_table(const char *name)
{
    const char *sql;

    for (size_t i = 0; (sql = run_row_column(i)) != NULL; i++)
        if (strcmp(sql, name) == 0)
            return true;
    return false;
}

TEST_WITH_DATABASE(the_table_has_each_column_of_the_schema_once)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT name FROM pragma_table_info('runs')", NULL);
    long long in_schema = 0, in_table = 0;

    for (; query && stmt_step(query, NULL) == STMT_ROW; in_schema++) {
        const char *name = stmt_column_text(query, 0);

        if (!is_in_table(name))
            EXPECT_STR(name, "a column in db/runs/run_row.h");
    }
    for (size_t i = 0; run_row_column(i); i++)
        in_table += run_row_column(i)[0] != '(';
    EXPECT(in_schema > 40);
    EXPECT_INT(in_table, in_schema);
}

static void expect_columns(struct db *db, const char *sql)
{
    sqlite3_stmt *query = NULL;

    EXPECT_INT(sqlite3_prepare_v2(db->handle, sql, -1, &query, NULL), SQLITE_OK);
    EXPECT_INT(sqlite3_column_count(query), RUN_COLUMN_COUNT);
    sqlite3_finalize(query);
}

TEST_WITH_DATABASE(other_columns_of_a_query_follow_a_runs)
{
    expect_columns(db, "SELECT " RUN_COLUMNS " FROM runs");
    expect_columns(db, "SELECT " RUN_LIST_COLUMNS " FROM runs");
}

/* Each member has a value that no other one has. Nothing of it is owned, so it is never cleared.
 */
static void fill(struct imported_parts *parts)
{
    static char tail[] = "tail", details[] = "{\"d\":1}", loaded[] = "{\"l\":1}",
                price[] = "{\"p\":1}";
    struct run *run = &parts->run;

    imported_make(parts);
    run->where = (struct whereabouts){"prov", "reg", "zon", "i123456789abcdef"};
    snprintf(run->sender, sizeof run->sender, "sen");
    snprintf(run->reason, sizeof run->reason, "rea");
    run->stderr_tail = tail;
    run->engine_details = details;
    run->loaded = loaded;
    run->price = price;
    run->samples = 11;
    run->peak_memory_bytes = 12;
    run->setup_ns = 13;
    run->certified = (struct certified){
        .whole_known = true, .whole = 0.25, .worst_known = true, .worst = 0.125};
    run->summary.throughput = (struct range){true, 60, 70};
    run->paid = (struct paid_price){0.5, 500000001, "EUR", "spot", "feed", 14};
}

static void expect_same_result(const struct run *got, const struct run *wanted)
{
    const struct summary *ours = &got->summary, *theirs = &wanted->summary;

    EXPECT_HAS(
        *ours, (measured_steps, theirs->measured_steps), (first_measured, theirs->first_measured),
        (measured_seconds, theirs->measured_seconds),
        (samples_per_second, theirs->samples_per_second),
        (median_step_seconds, theirs->median_step_seconds), (throughput.known, true),
        (throughput.low, theirs->throughput.low), (throughput.high, theirs->throughput.high));
    EXPECT(got->certified.whole_known && got->certified.worst_known);
    EXPECT_SAME(*got, *wanted, certified.whole, certified.worst, summary_text, validity,
                findings);
}

static void expect_same(const struct run *got, const struct run *wanted)
{
    EXPECT_SAME(*got, *wanted, id.text, state);
    expect_spec(&got->spec, &wanted->spec);
    EXPECT_SAME(*got, *wanted, instance, where.provider, where.region, where.zone, where.vm,
                provenance, sender, created_us, started_us, ended_us, software, engine_details,
                samples, peak_memory_bytes, loaded, machine);
    EXPECT_SAME(*got, *wanted, setup_ns, steps, ended_by, price, reason, stderr_tail);
    expect_same_result(got, wanted);
}

static void expect_price_columns(struct db *db)
{
    char text[200];

    text_of(
        db,
        "SELECT paid_per_hour || ' ' || paid_nanos || ' ' || paid_currency || ' ' || paid_kind"
        " || ' ' || paid_feed || ' ' || paid_fetched_us FROM runs",
        sizeof text, text);
    EXPECT_STR(text, "0.5 500000001 EUR spot feed 14");
}

TEST_WITH_DATABASE(each_member_of_an_imported_run_has_its_own_column)
{
    struct imported_parts parts;
    enum import_fate fate;

    fill(&parts);
    EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    AUTO(run_clear) struct run run = find_run(db, IMPORTED_ID);
    expect_same(&run, &parts.run);
    expect_price_columns(db);
    EXPECT_ROWS(db, 1,
                "runs WHERE workload = spec ->> '$.workload' AND precision = spec ->>"
                " '$.precision' AND engine = spec ->> '$.engine' AND contender = 1");
}

TEST_WITH_DATABASE(each_member_of_a_run_that_ends_has_its_own_column)
{
    struct imported_parts parts;

    fill(&parts);
    struct run ended = parts.run;
    struct run_order order = order_of(&parts.run.spec);
    order.instance = parts.run.instance;
    order.now_us = parts.run.created_us;
    order.idempotency_key = "key";
    create_one(db, &order);
    AUTO(run_clear) struct run claimed = claim_run(db);
    /* What is written before the end, and so not by it. */
    ended.number = claimed.number;
    ended.id = claimed.id;
    ended.started_us = claimed.started_us;
    ended.provenance = PROVENANCE_MEASURED;
    ended.sender[0] = ended.machine[0] = '\0';
    ended.steps = 0;
    ended.implementations = NULL;
    ended.load =
        (struct load){.processors = 4, .busy_percent = 9.5, .count = 1, .users = {{"cc", 9}}};
    EXPECT(runs_end(db, &ended, NULL));
    AUTO(run_clear) struct run run = find_run(db, claimed.id.text);
    expect_same(&run, &ended);
    expect_price_columns(db);
    EXPECT_HAS(run.load, (processors, 4), (busy_percent, 9.5), (users[0].name, "cc"));
    EXPECT_ROWS(db, 1,
                "runs WHERE idempotency_key = 'key' AND sweep IS NULL AND cell IS NULL AND block"
                " IS NULL");
}

TEST_WITH_DATABASE(what_is_not_known_is_null)
{
    struct run ended = {.state = RUN_CANCELLED, .number = 1};
    long long columns = 0, nulls = 0;

    queue_runs(db, 1);
    claim_one(db);
    EXPECT(runs_end(db, &ended, NULL));
    for (; run_row_column((size_t)columns); columns++) {
        char sql[200];

        snprintf(sql, sizeof sql, "SELECT %.120s IS NULL FROM runs",
                 run_row_column((size_t)columns));
        nulls += number_of(db, sql);
    }
    /* number, state, id, spec, engine, workload, precision, created_us, started_us, steps,
     * provenance, ended_us, checksum */
    EXPECT_INT(columns - nulls, 13);
}

TEST_WITH_DATABASE(a_stored_spec_that_cannot_be_read_is_an_error_that_names_the_run)
{
    struct imported_parts parts;
    enum import_fate fate;
    struct run run = {0};

    imported_make(&parts);
    EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    execute(db, "UPDATE runs SET spec = '{\"plan\":'");
    EXPECT_ERROR_SAYS(runs_find(db, IMPORTED_ID, &run, &err), ERROR_INTERNAL,
                      "the stored spec of run " IMPORTED_ID " cannot be read: ");
}
