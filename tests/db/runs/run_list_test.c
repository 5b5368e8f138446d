#include "db/runs/run_list.h"

#include "common/bytes.h"
#include "tests/db/database.h"

#define RUNS 24

static const char *const engines[] = {"native", "torch"};
static const char *const workloads[] = {"mlp", "resnet50"}; /* as a later spec may name it */
static const char *const instances[] = {"", "c7i.large", "c8g.large"};
static const char *const precisions[] = {"f32", "bf16", "f32"};
static const char *const branches[] = {"main", "next"};
static const char *const states[] = {"cancelled", "queued"};

/* Runs in all kinds, by their number: */
#define KIND(name, values, place)                                                                \
    static const char *name(long long number)                                                    \
    {                                                                                            \
        return values[place];                                                                    \
    }
KIND(engine_of, engines, number % 2)
KIND(workload_of, workloads, number / 2 % 2)
KIND(instance_of, instances, number % 3)
KIND(precision_of, precisions, number % 3)
KIND(branch_of, branches, number / 4 % 2)
KIND(state_of, states, number % 5 > 0)

static void create_numbered(struct db *db, long long number)
{
    struct run_spec spec = run_spec_default();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run cancelled = {0};

    snprintf(spec.workload, sizeof spec.workload, "%s", workload_of(number));
    spec.precision = precision_of(number);
    snprintf(spec.engine, sizeof spec.engine, "%s", engine_of(number));
    spec.label_count = 2;
    spec.labels[0] = (struct label){.key = "branch"};
    snprintf(spec.labels[0].value, sizeof spec.labels[0].value, "%s", branch_of(number));
    spec.labels[1] = (struct label){.key = "number"};
    snprintf(spec.labels[1].value, sizeof spec.labels[1].value, "%lld", number);
    order.instance = instance_of(number);
    AUTO(run_clear) struct run run = create_run(db, &order);
    EXPECT_INT(run.number, number);
    EXPECT(strcmp(state_of(number), "queued") == 0 ||
           runs_cancel(db, run.id.text, NOON_US, &cancelled, NULL));
}

static void make_runs(struct db *db)
{
    do_not_sync(db);
    for (long long number = 1; number <= RUNS; number++)
        create_numbered(db, number);
}

#define TEST_WITH_RUNS(name) TEST_GIVEN(name, struct db *db, with_runs)

static void with_runs(void (*test)(struct db *db))
{
    NEW_DATABASE(db);

    make_runs(db);
    test(db);
}

static bool matches(const struct run_filter *filter, long long number)
{
    char text[24];
    bool ok = (!filter->state || strcmp(filter->state, state_of(number)) == 0) &&
              (!filter->engine || strcmp(filter->engine, engine_of(number)) == 0) &&
              (!filter->workload || strcmp(filter->workload, workload_of(number)) == 0) &&
              (!filter->instance || strcmp(filter->instance, instance_of(number)) == 0) &&
              (!filter->precision || strcmp(filter->precision, precision_of(number)) == 0) &&
              (!filter->before || number < filter->before);

    snprintf(text, sizeof text, "%lld", number);
    for (int i = 0; i < filter->label_count; i++)
        ok = ok &&
             strcmp(filter->labels[i].value,
                    strcmp(filter->labels[i].key, "branch") == 0 ? branch_of(number) : text) == 0;
    return ok;
}

/* How SQLite would answer a list: the lines of its plan, one after the other. */
static void run_list_plan(struct db *db, const struct run_filter *filter, size_t size,
                          char ret_plan[])
{
    AUTO(run_filter_done) struct stmt query = {0};
    bool by_creation = filter->since_us || filter->until_us;
    const struct run_query wanted = {.select = "SELECT id, instance FROM runs",
                                     .order = by_creation ? "created_us DESC, number DESC"
                                                          : "number DESC",
                                     .by_creation = by_creation,
                                     .filter = filter,
                                     .limit = 50};
    AUTO(bytes_free) struct bytes sql = {.limit = 8192};
    sqlite3_stmt *explain = NULL;

    EXPECT(run_filter_prepare(db, &wanted, &query, NULL));
    EXPECT(bytes_printf(&sql, "EXPLAIN QUERY PLAN %s", sqlite3_sql(query.handle)));
    EXPECT_INT(sqlite3_prepare_v2(db->handle, sql.data, -1, &explain, NULL), SQLITE_OK);
    int columns = sqlite3_column_count(explain);
    while (sqlite3_step(explain) == SQLITE_ROW)
        add_text(ret_plan, size, "%s; ", sqlite3_column_text(explain, columns - 1));
    sqlite3_finalize(explain);
}

/* The list must be what `matches` says, newest first. */
static void expect_matches(struct db *db, const struct run_filter *filter)
{
    AUTO(run_list_free) struct run_list list = {0};
    size_t count = 0;

    EXPECT(run_list_load(db, filter, &list, NULL));
    EXPECT(!list.more);
    for (long long number = RUNS; number > 0; number--) {
        if (!matches(filter, number))
            continue;
        if (count < list.count)
            EXPECT_INT(list.runs[count].number, number);
        count++;
    }
    EXPECT_INT((long long)list.count, (long long)count);
}

TEST_WITH_RUNS(without_filters_all_runs_come_newest_first)
{
    const struct run_filter all = {.limit = RUN_LIST_MAX};
    AUTO(run_list_free) struct run_list list = {0};

    expect_matches(db, &all);
    EXPECT(run_list_load(db, &all, &list, NULL));
    EXPECT_STR(list.runs[0].instance, instance_of(RUNS)); /* each with all its columns */
    EXPECT_STR(list.runs[0].spec.labels[1].value, "24");
    EXPECT_INT(list.runs[RUNS - 1].created_us, NOON_US);
}

/* Every combination: each filter is unset or one of its values, or one that no run has. */
TEST_WITH_RUNS(every_combination_of_filters_finds_what_it_should)
{
    static const char *const some_states[] = {NULL, "queued", "cancelled", "failed"};
    static const char *const some_engines[] = {NULL, "native", "torch' OR 1 = 1 --"};
    static const char *const some_workloads[] = {NULL, "mlp", "resnet50"};
    static const char *const some_instances[] = {NULL, "c7i.large", "m8i.large"};
    size_t statements = db->statement_count;

    for (int mix = 0; mix < 4 * 3 * 3 * 3 * 3 * 2; mix++) {
        struct run_filter filter = {.state = some_states[mix % 4],
                                    .engine = some_engines[mix / 4 % 3],
                                    .workload = some_workloads[mix / 12 % 3],
                                    .instance = some_instances[mix / 36 % 3],
                                    .label_count = mix / 108 % 3,
                                    .before = mix / 324 ? 13 : 0,
                                    .limit = RUN_LIST_MAX};

        filter.labels[0].key = "branch";
        filter.labels[0].value = "next";
        filter.labels[1].key = "number";
        filter.labels[1].value = "7";
        expect_matches(db, &filter);
    }
    /* Clients that ask for everything must not use up the connection's statements. */
    EXPECT(db->statement_count <= statements + 1);
}

TEST_WITH_RUNS(all_labels_must_match)
{
    static const struct {
        const char *key, *value;
        size_t found;
    } second[] = {{"number", "6", 1}, {"number", "2", 0}, {"branch", "main", 0}, {"x", "6", 0}};

    for (size_t i = 0; i < COUNT(second); i++) {
        struct run_filter filter = {.label_count = 2, .limit = 10};
        AUTO(run_list_free) struct run_list list = {0};

        filter.labels[0].key = "branch";
        filter.labels[0].value = "next";
        filter.labels[1].key = second[i].key;
        filter.labels[1].value = second[i].value;
        EXPECT(run_list_load(db, &filter, &list, NULL));
        EXPECT_INT((long long)list.count, (long long)second[i].found);
    }
}

/* Reads all pages while after each of them new runs arrive. */
static void read_pages(struct db *db, struct run_filter filter, long long limit)
{
    long long newest = number_of(db, "SELECT max(number) FROM runs"), expected = newest;
    bool more = true;

    filter.limit = limit;
    for (int pages = 0; more && pages < 100; pages++) {
        AUTO(run_list_free) struct run_list list = {0};

        EXPECT(run_list_load(db, &filter, &list, NULL));
        EXPECT(list.count <= (size_t)limit);
        for (size_t i = 0; i < list.count; i++) {
            while (expected > 0 && !matches(&filter, expected))
                expected--;
            EXPECT_INT(list.runs[i].number, expected);
            expected--;
        }
        more = list.more && list.count > 0;
        filter.before = list.count ? list.runs[list.count - 1].number : 1;
        create_numbered(db, ++newest);
        create_numbered(db, ++newest);
    }
    while (expected > 0 && !matches(&filter, expected))
        expected--;
    EXPECT_INT(expected, 0); /* none was left out */
}

TEST(paging_loses_and_doubles_nothing_while_runs_arrive)
{
    AUTO(folder_remove) struct folder folder = folder_make();

    EACH(long long, limit, 1, 5, 12, 24, 200) {
        AUTO(db_freep) struct db *db = open_database(&folder);

        make_runs(db);
        read_pages(db, (struct run_filter){0}, limit);
        read_pages(db, (struct run_filter){.engine = "torch"}, limit);
        db_free(take(&db));
        folder_empty(&folder);
    }
}

TEST_WITH_RUNS(a_next_page_is_announced_only_if_there_is_one)
{
    for (long long limit = RUNS - 1; limit <= RUNS + 1; limit++) {
        AUTO(run_list_free) struct run_list list = {0};

        EXPECT(run_list_load(db, &(struct run_filter){.limit = limit}, &list, NULL));
        EXPECT_HAS(list, (more, limit < RUNS), (count, limit < RUNS ? limit : RUNS));
    }
}

TEST_WITH_DATABASE(an_empty_database_lists_nothing)
{
    AUTO(run_list_free) struct run_list list = {0};

    EXPECT(run_list_load(db, &(struct run_filter){.limit = 50}, &list, NULL));
    EXPECT(list.count == 0 && !list.more);
    run_list_free(&list);
    run_list_free(&list);
}

/* Six runs: judged, imported, and created in another order than they came here; of the last one
 * the time is not known. */
static void make_all_sorts(struct db *db)
{
    execute(db, "DELETE FROM runs WHERE number > 6;"
                "UPDATE runs SET created_us = CASE number WHEN 6 THEN 0 WHEN 2 THEN 950"
                "  ELSE 100 * number END,"
                " validity = CASE number WHEN 1 THEN 'ok' WHEN 2 THEN 'warn'"
                "  WHEN 3 THEN 'invalid' WHEN 4 THEN 'ok' END,"
                " provenance = CASE WHEN number IN (2, 6) THEN 'imported' ELSE 'measured'"
                "  END;");
}

static void expect_numbers(struct db *db, struct run_filter filter, const char *wanted)
{
    AUTO(run_list_free) struct run_list list = {0};
    char found[64] = "";

    filter.limit = filter.limit ? filter.limit : 10;
    EXPECT(run_list_load(db, &filter, &list, NULL));
    for (size_t i = 0; i < list.count; i++)
        add_text(found, sizeof found, " %lld", list.runs[i].number);
    EXPECT_STR(found, wanted);
}

TEST_WITH_RUNS(runs_are_found_by_how_they_were_judged_and_where_measured)
{
    make_all_sorts(db);
    expect_numbers(db, (struct run_filter){.validity = "ok"}, " 4 1");
    expect_numbers(db, (struct run_filter){.validity = "warn"}, " 2");
    expect_numbers(db, (struct run_filter){.validity = "ok", .precision = "bf16"}, " 4 1");
    expect_numbers(db, (struct run_filter){.validity = "ok", .precision = "f32"}, "");
    expect_numbers(db, (struct run_filter){.provenance = "imported"}, " 6 2");
    expect_numbers(db, (struct run_filter){.provenance = "imported", .validity = "warn"}, " 2");
}

TEST_WITH_RUNS(a_time_is_a_half_open_range_and_gives_the_order)
{
    make_all_sorts(db);
    expect_numbers(db, (struct run_filter){.since_us = 300}, " 2 5 4 3");
    expect_numbers(db, (struct run_filter){.since_us = 301}, " 2 5 4");
    expect_numbers(db, (struct run_filter){.until_us = 400}, " 3 1"); /* 6: unknown */
    expect_numbers(db, (struct run_filter){.since_us = 300, .until_us = 500}, " 4 3");
    expect_numbers(db, (struct run_filter){.since_us = 960}, "");
    expect_numbers(db, (struct run_filter){.since_us = 1, .provenance = "measured"}, " 5 4 3 1");
    expect_numbers(db, (struct run_filter){.since_us = 1, .validity = "warn"}, " 2");
    expect_numbers(db, (struct run_filter){.since_us = 1, .limit = 2}, " 2 5");
    expect_numbers(db, (struct run_filter){.since_us = 1, .before = 5, .limit = 2}, " 4 3");
    expect_numbers(db, (struct run_filter){.since_us = 1, .before = 2}, " 5 4 3 1");
    expect_numbers(db, (struct run_filter){.until_us = 950, .before = 3}, " 1");
}

/* Created at one moment: their numbers decide, and no page loses one. */
TEST_WITH_RUNS(pages_of_a_time_lose_and_double_nothing)
{
    struct run_filter filter = {.since_us = NOON_US, .until_us = NOON_US + 1, .limit = 5};
    long long expected = RUNS;

    for (int pages = 0; expected > 0 && pages < 10; pages++) {
        AUTO(run_list_free) struct run_list list = {0};

        EXPECT(run_list_load(db, &filter, &list, NULL));
        EXPECT_INT(list.more, expected > 5);
        for (size_t i = 0; i < list.count; i++)
            EXPECT_INT(list.runs[i].number, expected--);
        filter.before = list.count ? list.runs[list.count - 1].number : 1;
    }
    EXPECT_INT(expected, 0);
}

/* What ANALYZE finds in a million runs that are all of one kind. */
static void pretend_a_million(struct db *db)
{
    execute(
        db,
        "ANALYZE; DELETE FROM sqlite_stat1 WHERE idx NOT IN ('runs_by_creation', 'runs_by_state',"
        " 'runs_by_engine', 'runs_by_workload', 'runs_by_instance', 'runs_by_validity',"
        " 'runs_by_provenance', 'runs_by_precision', 'runs_by_sender');"
        "UPDATE sqlite_stat1 SET stat = CASE idx WHEN 'runs_by_creation'"
        " THEN '1000000 1' ELSE '1000000 1000000 1' END;"
        "ANALYZE sqlite_schema");
}

/* A list of a million runs must not read them all, nor sort them. */
TEST_WITH_RUNS(a_filter_is_looked_up_in_an_index)
{
    static const struct {
        struct run_filter filter;
        const char *index;
    } cases[] = {
        {{.precision = "bf16", .state = "running"}, "runs_by_state"},
        {{.precision = "bf16", .provenance = "imported"}, "runs_by_precision"},
        {{.state = "running"}, "runs_by_state"},
        {{.engine = "native"}, "runs_by_engine"},
        {{.workload = "mlp"}, "runs_by_workload"},
        {{.instance = "c7i.large"}, "runs_by_instance"},
        {{.validity = "invalid"}, "runs_by_validity"},
        {{.validity = "ok", .before = 9}, "runs_by_validity"},
        {{.provenance = "imported"}, "runs_by_provenance"},
        {{.precision = "bf16"}, "runs_by_precision"},
        {{.sender = "c1"}, "runs_by_sender"},
        {{.sender = "c1", .before = 9}, "runs_by_sender"},
        {{.sender = "c1", .provenance = "imported", .validity = "ok"}, "runs_by_sender"},
        {{.precision = "bf16", .before = 9}, "runs_by_precision"},
        {{.since_us = 5}, "runs_by_creation"},
        {{.until_us = 5}, "runs_by_creation"},
        {{.since_us = 5, .until_us = 9, .before = 9}, "runs_by_creation"},
        {{.since_us = 5, .validity = "ok"}, "runs_by_creation"},
        {{.since_us = 5, .state = "finished", .workload = "mlp"}, "runs_by_creation"},
    };

    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        const char *index = cases[i % COUNT(cases)].index;
        char plan[2000] = "";

        if (i == COUNT(cases))
            pretend_a_million(db);
        run_list_plan(db, &cases[i % COUNT(cases)].filter, sizeof plan, plan);
        if (!strstr(plan, index) || strstr(plan, "SCAN") || strstr(plan, "TEMP B-TREE"))
            EXPECT_STR(plan, index);
    }
}
