#include "db/runs/run_list.h"

#include "tests/db/database.h"

#define RUNS 24

static const char *const engines[] = {"native", "torch"};
static const char *const workloads[] = {"mlp", "resnet50"}; /* as a later spec may name it */
static const char *const instances[] = {"", "c7i.large", "c8g.large"};
static const char *const branches[] = {"main", "next"};

/* Runs in all kinds, by their number: */
static const char *engine_of(long long number)
{
    return engines[number % 2];
}

static const char *workload_of(long long number)
{
    return workloads[number / 2 % 2];
}

static const char *instance_of(long long number)
{
    return instances[number % 3];
}

static const char *branch_of(long long number)
{
    return branches[number / 4 % 2];
}

static const char *state_of(long long number)
{
    return number % 5 == 0 ? "cancelled" : "queued";
}

static void create_numbered(struct db *db, long long number)
{
    struct run_spec spec = run_spec_default();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run cancelled = {0};

    spec.workload = workload_of(number);
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

static struct db *open_with_runs(const struct folder *folder)
{
    struct db *db = open_database(folder);

    do_not_sync(db);
    for (long long number = 1; number <= RUNS; number++)
        create_numbered(db, number);
    return db;
}

static bool matches(const struct run_filter *filter, long long number)
{
    char text[24];
    bool ok = (!filter->state || strcmp(filter->state, state_of(number)) == 0) &&
              (!filter->engine || strcmp(filter->engine, engine_of(number)) == 0) &&
              (!filter->workload || strcmp(filter->workload, workload_of(number)) == 0) &&
              (!filter->instance || strcmp(filter->instance, instance_of(number)) == 0) &&
              (!filter->before || number < filter->before);

    snprintf(text, sizeof text, "%lld", number);
    for (int i = 0; i < filter->label_count; i++)
        ok = ok &&
             strcmp(filter->labels[i].value,
                    strcmp(filter->labels[i].key, "branch") == 0 ? branch_of(number) : text) == 0;
    return ok;
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

static void without_filters_all_runs_come_newest_first(void)
{
    const struct run_filter all = {.limit = RUN_LIST_MAX};
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_with_runs(&folder);
    AUTO(run_list_free) struct run_list list = {0};

    expect_matches(db, &all);
    EXPECT(run_list_load(db, &all, &list, NULL));
    EXPECT_STR(list.runs[0].instance, instance_of(RUNS)); /* each with all its columns */
    EXPECT(strstr(list.runs[0].spec_text, "\"number\":\"24\"") != NULL);
    EXPECT_INT(list.runs[RUNS - 1].created_us, NOON_US);
}

/* Every combination: each filter is unset or one of its values, or one that no run has. */
static void every_combination_of_filters_finds_what_it_should(void)
{
    static const char *const some_states[] = {NULL, "queued", "cancelled", "failed"};
    static const char *const some_engines[] = {NULL, "native", "torch' OR 1 = 1 --"};
    static const char *const some_workloads[] = {NULL, "mlp", "resnet50"};
    static const char *const some_instances[] = {NULL, "c7i.large", "m8i.large"};
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_with_runs(&folder);
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

static void all_labels_must_match(void)
{
    static const struct {
        const char *key, *value;
        size_t found;
    } second[] = {{"number", "6", 1}, {"number", "2", 0}, {"branch", "main", 0}, {"x", "6", 0}};
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_with_runs(&folder);

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

static void paging_loses_and_doubles_nothing_while_runs_arrive(void)
{
    static const long long limits[] = {1, 5, 12, 24, 200};
    AUTO(folder_remove) struct folder folder = folder_make();

    for (size_t i = 0; i < COUNT(limits); i++) {
        AUTO(db_freep) struct db *db = open_with_runs(&folder);

        read_pages(db, (struct run_filter){0}, limits[i]);
        read_pages(db, (struct run_filter){.engine = "torch"}, limits[i]);
        db_free(take(&db));
        folder_empty(&folder);
    }
}

static void a_next_page_is_announced_only_if_there_is_one(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_with_runs(&folder);

    for (long long limit = RUNS - 1; limit <= RUNS + 1; limit++) {
        AUTO(run_list_free) struct run_list list = {0};

        EXPECT(run_list_load(db, &(struct run_filter){.limit = limit}, &list, NULL));
        EXPECT_INT(list.more, limit < RUNS);
        EXPECT_INT((long long)list.count, limit < RUNS ? limit : RUNS);
    }
}

static void an_empty_database_lists_nothing(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(run_list_free) struct run_list list = {0};

    EXPECT(run_list_load(db, &(struct run_filter){.limit = 50}, &list, NULL));
    EXPECT(list.count == 0 && !list.more);
    run_list_free(&list);
    run_list_free(&list);
}

int main(void)
{
    RUN(without_filters_all_runs_come_newest_first);
    RUN(every_combination_of_filters_finds_what_it_should);
    RUN(all_labels_must_match);
    RUN(paging_loses_and_doubles_nothing_while_runs_arrive);
    RUN(a_next_page_is_announced_only_if_there_is_one);
    RUN(an_empty_database_lists_nothing);
    return test_result();
}
