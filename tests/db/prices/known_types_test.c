#include "db/prices/known_types.h"

#include "db/prices/catalogue.h"
#include "tests/db/finished.h"

static void list_type(struct db *db, struct instance_type type)
{
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new("a feed", NOON_US);
    AUTO(transaction_end) struct transaction change = {0};

    price_batch_add_type(batch, &type);
    EXPECT(transaction_begin(&change, db, DB_RELAXED, NULL) &&
           catalogue_put(db, "a feed", batch, NULL) && transaction_commit(&change, NULL));
}

struct listing {
    char text[400];
    int limit; /* 0: none */
};

static bool describe(void *user, const struct known_type *type)
{
    struct listing *listing = user;

    add_text(listing->text, sizeof listing->text, "%s %s %g %s %lld %s\n", type->listed.name,
             type->listed.provider, type->listed.vcpus, type->feed, type->measured.kinds,
             type->measured.isa);
    return --listing->limit != 0;
}

static const char *types_of(struct db *db, struct known_type_filter filter, int limit)
{
    static struct listing listing;

    listing = (struct listing){.limit = limit};
    EXPECT_OK(known_types_each(db, &filter, describe, &listing, &err));
    return listing.text;
}

TEST_WITH_DATABASE(types_come_from_feeds_and_finished_runs)
{
    EXPECT_STR(types_of(db, (struct known_type_filter){0}, 0), "");
    list_type(db, (struct instance_type){"aws", "m5.large", 2, 8, "x86_64", ""});
    list_type(db, (struct instance_type){"aws", "c5.large", 2, 4, "x86_64", ""});
    ENDED(db, 100, .instance = "m5.large", .stratum = "s1");
    ENDED(db, 100, .instance = "m5.large", .stratum = "s2");
    ENDED(db, 100, .instance = "desk", .provider = "own", .stratum = "s1");
    ENDED(db, 100, .instance = "mute", .provider = "own");
    ENDED(db, 100, .instance = "broken", .failed = true);
    EXPECT_STR(types_of(db, (struct known_type_filter){0}, 0), "c5.large aws 2 a feed 0 \n"
                                                               "desk own 0  1 avx2\n"
                                                               "m5.large aws 2 a feed 2 avx2\n"
                                                               "mute own 0  1 \n");
}

TEST_WITH_DATABASE(filters_and_pages)
{
    list_type(db, (struct instance_type){"aws", "m5.large", 2, 8, "", ""});
    list_type(db, (struct instance_type){"gcp", "m5.large", 2, 8, "", ""});
    ENDED(db, 100, .instance = "a1", .provider = "gcp");
    EXPECT_STR(types_of(db, (struct known_type_filter){.provider = "gcp"}, 0),
               "a1 gcp 0  1 \nm5.large gcp 2 a feed 0 \n");
    EXPECT_STR(types_of(db, (struct known_type_filter){.name = "a1"}, 0), "a1 gcp 0  1 \n");
    EXPECT_STR(types_of(db, (struct known_type_filter){.after = "m5.large aws"}, 0),
               "m5.large gcp 2 a feed 0 \n");
    EXPECT_STR(types_of(db, (struct known_type_filter){0}, 2),
               "a1 gcp 0  1 \nm5.large aws 2 a feed 0 \n");
}
