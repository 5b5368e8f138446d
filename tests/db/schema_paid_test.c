/* Version 8 of the schema: what a run paid, which older versions kept in the text of its cost
 * only. The answers that follow from it must be the same before the upgrade and after it. */
#include "db/runs/sweeps.h"
#include "db/schema.h"
#include "db/standings/gate_runs.h"
#include "db/standings/standings.h"
#include "tests/db/database.h"

#define COST(price) "{\"identity\":{\"provider\":\"aws\"},\"price\":" price ",\"x\":[0.1,1e-9]}"

/* As servers of version 7 found it, with the columns that they had. */
#define OLD_PER_HOUR                                                                             \
    "CASE json_extract(price, '$.price.currency') WHEN 'USD' THEN"                               \
    " coalesce(json_extract(price, '$.price.discount.price_per_hour'),"                          \
    " json_extract(price, '$.price.price_per_hour')) END"
#define OLD_KIND "json_extract(price, '$.price.kind')"

static const struct {
    const char *cost;
    long long nanos, fetched_us;
    const char *feed;
} cases[] = {
    {NULL, 0, 0, NULL},
    {COST("null"), 0, 0, NULL},
    /* as our own servers write it */
    {COST("{\"kind\":\"spot\",\"currency\":\"USD\",\"price_per_hour\":0.0892345678,"
          "\"nanos_per_hour\":89234567,\"feed\":\"aws\",\"fetched_at\":"
          "\"2023-11-14T22:13:20.250Z\",\"discount\":null}"),
     89234567, NOON_US + 250000, "aws"},
    {COST("{\"kind\":\"on_demand\",\"currency\":\"USD\",\"price_per_hour\":0.357,"
          "\"nanos_per_hour\":357000000,\"feed\":\"azure\",\"fetched_at\":"
          "\"2023-11-14T22:13:20Z\",\"discount\":{\"factor\":0.7,\"note\":null,"
          "\"price_per_hour\":0.24989999999999998}}"),
     357000000, NOON_US, "azure"},
    {COST("{\"kind\":\"on_demand\",\"currency\":\"EUR\",\"price_per_hour\":0.5,"
          "\"nanos_per_hour\":500000000,\"feed\":\"ours\",\"fetched_at\":null}"),
     500000000, 0, "ours"},
    {COST("{\"kind\":\"spot\",\"currency\":\"USD\",\"price_per_hour\":null,"
          "\"nanos_per_hour\":null,\"feed\":\"aws\",\"discount\":null}"),
     0, 0, "aws"},
    /* as senders of imported runs may write it */
    {COST("{\"price_per_hour\":0.12345678912345,\"currency\":\"USD\"}"), 123456789, 0, NULL},
    {COST("{\"price_per_hour\":3,\"currency\":\"USD\",\"kind\":7,\"feed\":{\"a\":1},"
          "\"fetched_at\":\"yesterday\",\"discount\":5}"),
     3000000000, 0, "{\"a\":1}"},
    {COST("{\"price_per_hour\":1e300,\"currency\":\"USD\",\"nanos_per_hour\":\"many\","
          "\"fetched_at\":5,\"discount\":{\"price_per_hour\":1e-300}}"),
     0, 0, NULL},
    {COST("{\"price_per_hour\":2.5,\"currency\":[],\"nanos_per_hour\":-4}"), 2500000000, 0, NULL},
    {COST("\"0.36\""), 0, 0, NULL},
    {"[]", 0, 0, NULL},
};

/* Run 1 + i has the cost of case i, and is the only run of contender 1 + i. */
static void fill(struct db *db)
{
    char sql[2000];

    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO contenders VALUES (%zu, 'mlp', 'native', '{\"batch_size\":%zu}',"
                 " 'aws', 'm5.large', 's', 0, 1);"
                 "INSERT INTO runs (number, id, state, spec, engine, workload, created_us,"
                 " ended_us, samples_per_second, validity, contender, price) VALUES (%zu,"
                 " '%026zu', 'finished', '{\"labels\":{}}', 'native', 'mlp', 5, 9, 12.5, 'ok',"
                 " %zu, %s%s%s)",
                 i + 1, i + 1, i + 1, i + 1, i + 1, cases[i].cost ? "'" : "",
                 cases[i].cost ? cases[i].cost : "NULL", cases[i].cost ? "'" : "");
        EXPECT(db_execute(db, sql, NULL));
    }
    EXPECT(db_execute(db, "UPDATE revision SET number = number + 1", NULL));
}

/* What an old server would have answered of one run: the dollars of an hour, and their kind. */
struct old_answer {
    double dollars;
    char kind[16];
};

static void ask_old(struct db *db, struct old_answer ret_answers[COUNT(cases)])
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT " OLD_PER_HOUR ", " OLD_KIND " FROM runs ORDER BY number", NULL);

    for (size_t i = 0; query && i < COUNT(cases); i++) {
        EXPECT_INT(stmt_step(query, NULL), STMT_ROW);
        ret_answers[i].dollars = stmt_column_real(query, 0);
        snprintf(ret_answers[i].kind, sizeof ret_answers[i].kind, "%s",
                 stmt_column_text(query, 1));
    }
    EXPECT(query != NULL);
}

static struct db *open_upgraded(const struct folder *folder,
                                struct old_answer ret_answers[COUNT(cases)])
{
    struct db *old = db_open_version(folder->file, 7, NULL);

    EXPECT(old != NULL);
    if (!old)
        exit(test_result());
    fill(old);
    ask_old(old, ret_answers);
    db_free(old);
    return open_database(folder);
}

static void comparison_and_gate_answer_what_they_answered(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct old_answer old[COUNT(cases)];
    AUTO(db_freep) struct db *db = open_upgraded(&folder, old);
    AUTO(standings_free) struct standings standings = {0};
    struct gate_run runs[GATE_RUNS_MAX];
    size_t count, known = 0;

    EXPECT(standings_update(db, &standings, NULL));
    EXPECT_INT((long long)standings.count, COUNT(cases));
    for (size_t i = 0; i < standings.count; i++) {
        const struct newest *newest = &standings.list[i].newest;
        AUTO(gate_subject_clear) struct gate_subject subject = {0};

        EXPECT_NEAR(newest->paid_per_hour, old[i].dollars, 0);
        EXPECT_STR(newest->paid_kind, old[i].kind);
        EXPECT(gate_subject_find(db, (long long)i + 1, &subject, NULL));
        EXPECT(gate_runs_repeats(db, &subject, GATE_TRUSTED, runs, &count, NULL));
        EXPECT_INT((long long)count, 1);
        EXPECT_NEAR(runs[0].dollars, old[i].dollars, 0);
        known += old[i].dollars > 0;
    }
    EXPECT_INT((long long)known, 5);
}

static void what_was_paid_is_read_from_the_cost(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct old_answer old[COUNT(cases)];
    AUTO(db_freep) struct db *db = open_upgraded(&folder, old);
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT paid_nanos, paid_fetched_us, paid_feed FROM runs ORDER BY number", NULL);

    for (size_t i = 0; query && i < COUNT(cases); i++) {
        EXPECT_INT(stmt_step(query, NULL), STMT_ROW);
        EXPECT_INT(stmt_column_integer(query, 0), cases[i].nanos);
        EXPECT_INT(stmt_column_integer(query, 1), cases[i].fetched_us);
        EXPECT_STR(stmt_column_text(query, 2), cases[i].feed ? cases[i].feed : "");
    }
    EXPECT(query != NULL);
}

/* /v1/runs and the export give out the stored text. */
static void the_text_of_a_cost_stays_byte_for_byte(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct old_answer old[COUNT(cases)];
    AUTO(db_freep) struct db *db = open_upgraded(&folder, old);

    for (size_t i = 0; i < COUNT(cases); i++) {
        char id[RUN_ID_LENGTH + 1];

        snprintf(id, sizeof id, "%026zu", i + 1);
        AUTO(run_clear) struct run run = {0};
        EXPECT(runs_find(db, id, &run, NULL));
        EXPECT_STR(run.price, cases[i].cost);
    }
}

/* A trigger or a CHECK that an old row breaks would stop the upgrade of a whole database. */
static void an_upgrade_leaves_a_sound_database(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct old_answer old[COUNT(cases)];
    AUTO(db_freep) struct db *db = open_upgraded(&folder, old);
    char verdict[100];

    text_of(db, "PRAGMA integrity_check", sizeof verdict, verdict);
    EXPECT_STR(verdict, "ok");
    EXPECT_INT(number_of(db, "SELECT count(*) FROM pragma_foreign_key_check()"), 0);
}

int main(void)
{
    RUN(comparison_and_gate_answer_what_they_answered);
    RUN(what_was_paid_is_read_from_the_cost);
    RUN(the_text_of_a_cost_stays_byte_for_byte);
    RUN(an_upgrade_leaves_a_sound_database);
    return test_result();
}
