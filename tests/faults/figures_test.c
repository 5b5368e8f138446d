/* Each disk call that stores published figures fails in turn: all figures are stored, or none. */
#include "server/prices/published.h"
#include "tests/faults/changes.h"

#define FIGURE(id, word, speed)                                                                  \
    "{\"figure\":{\"id\":\"" id "\",\"workload\":\"resnet50\",\"engine\":\"pytorch-2.4\","       \
    "\"provider\":\"aws\",\"instance_type\":\"c7i.2xlarge\",\"configuration\":{\"steps\":"       \
    "\"" word "\"}," speed ",\"derived\":true,\"source\":\"somebody\",\"note\":\"one run\","     \
    "\"measured_at\":\"2024-09-01\"}}\n"
#define PRICE(amount, since)                                                                     \
    "{\"price\":{\"reference\":\"somebody, somewhere\",\"provider\":\"aws\",\"region\":"         \
    "\"us-east-1\",\"instance_type\":\"c7i.2xlarge\",\"kind\":\"spot\",\"price_per_hour\":"      \
    "\"" amount "\",\"since\":\"" since "\"}}\n"
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

static const struct operation operations[] = {
    {"a newer version", upgrade},
    {"replace a figure", replace},
    {"forget a figure", forget},
    {"remove a figure", remove_one},
};

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

TEST(figures_survive_every_fault_of_the_disk)
{
    EXPECT(published_read(first_text, strlen(first_text), &first, NULL));
    EXPECT(published_read(second_text, strlen(second_text), &second, NULL));
    struct stored stored = {template_make(fill_with_first), all_of};

    survive_changes(&stored, operations, COUNT(operations));
    template_free(&stored.template);
    published_data_clear(&first);
    published_data_clear(&second);
}
