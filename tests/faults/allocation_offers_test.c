/* Every allocation of a question about offers fails, each in its turn: the answer is whole or
 * there is none, and who asks again when there is memory is answered. */
#include "tests/faults/shortages.h"

#include "tests/db/offers.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

static struct template database;
static struct offers whole;             /* without any accident */
static struct offers_question question; /* about all that the database has */

static const struct source other_feed = {.name = "aws-spot-page"};

/* More than the first allocation of any list holds. */
static void fill_with_types(struct db *db)
{
    static char names[80][40];
    static struct said said[80];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(names[i], sizeof names[i], "a-type-with-quite-a-long-name.%zu", i);
        said[i] = (struct said){.type = names[i],
                                .text = i % 2 ? "0.100000000000000000000000000001" : "0.2",
                                .kind = i % 3 ? PRICE_ON_DEMAND : PRICE_SPOT};
    }
    replaced(db, &(struct feed_reading){.at_us = THEN_US, .prices = said, .count = COUNT(said)});
    for (size_t i = 0; i < COUNT(names); i++)
        said[i].text = "0.3";
    replaced(db, &(struct feed_reading){.at_us = THEN_US + 100 * SECOND_US,
                                        .prices = said,
                                        .count = COUNT(said),
                                        .believe = true});
    READ_OF(db, &other_feed, 10, P("m5.large", "0.1", .kind = PRICE_SPOT, .zone = "zone-a"),
            P("m5.large", "0.2", .kind = PRICE_SPOT, .zone = "zone-b"),
            P("m5.large", "0.05", .kind = PRICE_COMMITTED_USE_1Y),
            P("c5.large", "0.05", .kind = PRICE_COMMITTED_USE_3Y));
    PUT(db, "typed", "", "m5.large", "0.3", .kind = PRICE_TYPED, .source_us = THEN_US,
        .region = "");
    PUT(db, "published", "aws", "m5.large", "0.4", .source_us = THEN_US);
    EXPECT(db_execute(
        db, "INSERT INTO interruptions VALUES ('aws', 'm5.large', 'eu-north-1', '<5%', 'f')",
        NULL));
}

static bool same_quote(const struct quote *a, const struct quote *b)
{
    return a->known == b->known && a->nanos == b->nanos && strcmp(a->text, b->text) == 0 &&
           strcmp(a->feed, b->feed) == 0 && strcmp(a->zone, b->zone) == 0 &&
           strcmp(a->region, b->region) == 0 && a->since_us == b->since_us &&
           a->freshness == b->freshness && strcmp(a->why_not, b->why_not) == 0;
}

static void expect_same(const struct offers *offers)
{
    EXPECT_INT((long long)offers->count, (long long)whole.count);
    for (size_t i = 0; i < whole.count && i < offers->count; i++) {
        const struct offer *a = &offers->list[i], *b = &whole.list[i];

        EXPECT_STR(a->instance, b->instance);
        EXPECT_STR(a->provider, b->provider);
        EXPECT_STR(a->band, b->band);
        EXPECT(same_quote(&a->on_demand, &b->on_demand) && same_quote(&a->spot, &b->spot) &&
               same_quote(&a->typed, &b->typed) &&
               same_quote(&a->published_on_demand, &b->published_on_demand) &&
               same_quote(&a->published_spot, &b->published_spot) &&
               same_quote(&a->committed[0], &b->committed[0]) &&
               same_quote(&a->committed[1], &b->committed[1]));
    }
}

static bool load(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(offers_free) struct offers offers = {0}, later = {0};
    struct offer_store *store = offer_store_new(NULL); /* what it kept by then is right */

    ration_start();
    bool ok = offers_load(db, &question, store, 1, &offers, err);
    ration_stop();
    if (ok) {
        expect_same(&offers);
    } else {
        EXPECT(!offers.list && offers.count == 0);
        EXPECT(offers_load(db, &question, store, 1, &later, NULL));
        expect_same(&later);
    }
    offer_store_free(store);
    expect_usable(db);
    return ok;
}

static void offers_survive_every_shortage(void)
{
    database = template_make(schema_version, fill_with_types);
    for (int now = 0; now < 2; now++) {
        struct db *db = open_database(&database.folder);

        question = asked(now ? 200 : 60);
        question.is_now = now;
        question.committed[0] = PRICE_COMMITTED_USE_1Y;
        question.committed[1] = PRICE_COMMITTED_USE_3Y;
        question.committed_count = 2;
        whole = offers_asked(db, &question);
        db_freep(&db);
        EXPECT_INT((long long)whole.count, 83); /* m5.large of aws, and of other providers */
        survive_shortages(now ? "offers" : "offers of old", load, 3);
        offers_free(&whole);
    }
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    RUN(offers_survive_every_shortage);
    return test_result();
}
