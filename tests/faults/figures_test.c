/* Every allocation and every disk call of what stores and reads others' figures fails, each in
 * its turn: all of it is stored, or nothing, and no figure is listed without a part. */
#include "tests/faults/shortages.h"

#include "server/prices/published.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"

#define TEXT_SIZE 8000

static struct template database;
static char before[TEXT_SIZE], after[TEXT_SIZE]; /* all there is, without any accident */

#define FIGURE(id, word, speed)                                                                  \
    "{\"figure\":{\"id\":\"" id "\",\"workload\":\"resnet50\",\"engine\":\"pytorch-2.4\","       \
    "\"provider\":\"aws\",\"instance\":\"c7i.2xlarge\",\"configuration\":{\"steps\":\"" word     \
    "\"}," speed ",\"derived\":true,\"source\":\"somebody\",\"note\":\"one run\","               \
    "\"measured_at\":\"2024-09-01\"}}\n"
/* A long word stands first: where there is no memory for the 16th byte of a text, jansson leaves
 * it out, and if that is the closing quote, as in "price_per_hour", it reads and writes beyond
 * its memory. */
#define PRICE(amount, since)                                                                     \
    "{\"price\":{\"reference\":\"somebody, somewhere\",\"provider\":\"aws\",\"region\":"         \
    "\"us-east-1\",\"instance\":\"c7i.2xlarge\",\"kind\":\"spot\",\"price_per_hour\":\"" amount  \
    "\",\"since\":\"" since "\"}}\n"
#define SAMPLES "\"unit\":\"sample\",\"samples_per_second\":40.73"
#define JOB "\"unit\":\"job\",\"seconds\":4"

static const char first_text[] =
    "{\"published\":1,\"dropped\":[]}\n" FIGURE("stays", "a", SAMPLES) FIGURE("goes", "b", JOB)
        PRICE("0.1291", "2024-09-01");
static const char second_text[] =
    "{\"published\":2,\"dropped\":[\"goes\"]}\n" FIGURE("stays", "c", SAMPLES)
        FIGURE("comes", "b", JOB) PRICE("0.13", "2024-09-01") PRICE("0.14", "2024-10-01");

static struct published_data first, second; /* read while there is memory */

static bool store(struct db *db, const struct published_data *data, struct error *err)
{
    bool stored = false;
    bool ok = published_store(db, data, NOON_US, &stored, err);

    EXPECT(ok || !stored);
    return ok;
}

static void fill_with_first(struct db *db)
{
    EXPECT(store(db, &first, NULL));
}

static bool upgrade(struct db *db, struct error *err)
{
    return store(db, &second, err);
}

/* Of another configuration: another contender, and the old one changes too. */
static bool replace(struct db *db, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) &&
           figures_put(db, &second.figures[0], err) && transaction_commit(&change, err);
}

static bool forget(struct db *db, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) && figures_forget(db, "goes", err) &&
           transaction_commit(&change, err);
}

static bool remove_one(struct db *db, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(figure_clear) struct figure figure = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) &&
           figures_remove(db, "goes", &figure, err) && transaction_commit(&change, err);
}

static const struct operation {
    const char *name;
    bool (*run)(struct db *db, struct error *err);
} operations[] = {
    {"a newer version", upgrade},
    {"replace a figure", replace},
    {"forget a figure", forget},
    {"remove a figure", remove_one},
};
static const struct operation *operation;

static void all_of(struct db *db, char ret_text[TEXT_SIZE])
{
    text_of(db,
            "SELECT group_concat(line, char(10)) FROM ("
            "SELECT json_array('f', id, contender, samples_per_second, unit, derived, source,"
            " note, measured_us) AS line FROM figures UNION ALL"
            " SELECT json_array('c', number, configuration, published) FROM contenders UNION ALL"
            " SELECT json_array('s', number, feed, kind, nanos, since_us) FROM price_series"
            " UNION ALL SELECT json_array('p', series, since_us, nanos, text) FROM prices"
            " UNION ALL SELECT json_array('v', feed, scope, mark) FROM feed_states)",
            TEXT_SIZE, ret_text);
    EXPECT(strlen(ret_text) < TEXT_SIZE - 1);
}

/* What the operation does when nothing fails. */
static void learn(const struct operation *learnt)
{
    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);

    operation = learnt;
    all_of(db, before);
    EXPECT(operation->run(db, NULL));
    all_of(db, after);
    EXPECT(strcmp(before, after) != 0);
}

static bool run_out(struct error *err)
{
    static char now[TEXT_SIZE];

    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    ration_start();
    bool ok = operation->run(db, err);
    ration_stop();
    expect_usable(db);
    all_of(db, now);
    EXPECT_STR(now, ok ? after : before);
    if (!ok) { /* who asks again when there is memory is served */
        EXPECT(operation->run(db, NULL));
        all_of(db, now);
        EXPECT_STR(now, after);
    }
    return ok;
}

static void figures_survive_every_shortage(void)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        learn(&operations[i]);
        survive_shortages(operations[i].name, run_out, i == 0 ? 3 : 1);
    }
}

static void look_at(void *user, const struct figure *figure)
{
    size_t *count = user;
    bool is_first = *count == 0;

    EXPECT_STR(figure->id, is_first ? "stays" : "goes");
    EXPECT_STR(figure->workload, "resnet50");
    EXPECT_STR(figure->engine, "pytorch-2.4");
    EXPECT_STR(figure->provider, "aws");
    EXPECT_STR(figure->instance, "c7i.2xlarge");
    EXPECT_STR(figure->configuration, is_first ? "{\"steps\":\"a\"}" : "{\"steps\":\"b\"}");
    EXPECT(figure->samples_per_second == (is_first ? 40.73 : 0.25));
    EXPECT_STR(figure->unit, is_first ? "sample" : "job");
    EXPECT_STR(figure->source, "somebody");
    EXPECT_STR(figure->note, "one run");
    (*count)++;
}

static bool list(struct error *err)
{
    size_t count = 0;

    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    ration_start();
    bool ok = figures_each(db, look_at, &count, err);
    ration_stop();
    EXPECT(!ok || count == 2);
    return ok;
}

static void every_listed_figure_is_complete(void)
{
    survive_every_shortage("list figures", list);
}

static bool is_same(const struct figure *left, const struct figure *right)
{
    return strcmp(left->id, right->id) == 0 && strcmp(left->note, right->note) == 0 &&
           strcmp(left->configuration, right->configuration) == 0 &&
           left->samples_per_second == right->samples_per_second;
}

static bool read_lines(struct error *err)
{
    struct published_data data = {0};

    ration_start();
    bool ok = published_read(first_text, strlen(first_text), &data, err);
    ration_stop();
    EXPECT_INT((long long)data.figure_count, ok ? 2 : 0);
    for (size_t i = 0; i < data.figure_count; i++)
        EXPECT(is_same(&data.figures[i], &first.figures[i]));
    EXPECT_INT((long long)data.price_count, ok ? 1 : 0);
    published_data_clear(&data);
    /* A byte that jansson left out makes another word, which is refused: that is as good. */
    if (!ok && ration.refused > 0 &&
        (strstr(err->message, "not JSON") || strstr(err->message, "is not a known field")))
        err->kind = ERROR_INTERNAL;
    return ok;
}

static void reading_the_lines_survives_every_shortage(void)
{
    survive_every_shortage("read lines", read_lines);
}

static bool break_disk(const void *subject, struct fault_plan plan)
{
    static char now[TEXT_SIZE];
    AUTO(db_freep) struct db *reopened = NULL;
    long long failed;
    bool ok;

    (void)subject;
    template_restore(&database);
    struct db *db = open_database(&database.folder);
    fault_arm(plan);
    ok = operation->run(db, NULL);
    if (plan.for_good) { /* without writes it cannot clean up either */
        db_free(db);
        failed = fault_disarm();
    } else {
        failed = fault_disarm();
        expect_usable(db);
        db_free(db);
    }
    EXPECT(ok || failed > 0);
    reopened = open_database(&database.folder);
    all_of(reopened, now);
    if (strcmp(now, before) != 0 || ok) /* a failed write may still be stored */
        EXPECT_STR(now, after);
    expect_whole(reopened);
    return failed == 0;
}

static void figures_survive_every_fault_of_the_disk(void)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        learn(&operations[i]);
        survive_accidents(operations[i].name, break_disk, NULL);
    }
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    EXPECT(published_read(first_text, strlen(first_text), &first, NULL));
    EXPECT(published_read(second_text, strlen(second_text), &second, NULL));
    database = template_make(schema_version, fill_with_first);
    RUN(reading_the_lines_survives_every_shortage);
    RUN(figures_survive_every_shortage);
    RUN(every_listed_figure_is_complete);
    RUN(figures_survive_every_fault_of_the_disk);
    template_free(&database);
    published_data_clear(&first);
    published_data_clear(&second);
    return test_result();
}
