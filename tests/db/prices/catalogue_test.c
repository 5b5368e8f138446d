#include "db/prices/catalogue.h"

#include "tests/db/database.h"

static const struct instance_type m5 = {"aws", "m5.large", 2, 8, "x86_64", ""};

struct content {
    const struct instance_type *types;
    size_t type_count;
    const struct interruption *interruptions;
    size_t interruption_count;
};

static void put(struct db *db, const char *feed, struct content content)
{
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new(feed, NOON_US);
    AUTO(transaction_end) struct transaction change = {0};

    for (size_t i = 0; i < content.type_count; i++)
        price_batch_add_type(batch, &content.types[i]);
    for (size_t i = 0; i < content.interruption_count; i++)
        price_batch_add_interruption(batch, &content.interruptions[i]);
    EXPECT_OK(transaction_begin(&change, db, DB_RELAXED, &err) &&
              catalogue_put(db, feed, batch, &err) && transaction_commit(&change, &err));
}

static void put_type(struct db *db, const char *feed, struct instance_type type)
{
    put(db, feed, (struct content){.types = &type, .type_count = 1});
}

static void describe(void *user, const struct instance_type *type, const char *feed)
{
    add_text(user, 600, "%s %s %g %g %s %s %s\n", type->name, type->provider, type->vcpus,
             type->memory_gib, type->architecture, type->accelerator, feed);
}

static void name_only(void *user, const struct instance_type *type, const char *feed)
{
    (void)feed;
    add_text(user, 600, "%s ", type->name);
}

static const char *types_of(struct db *db, struct type_filter filter, bool in_full)
{
    static char text[600];

    text[0] = '\0';
    filter.limit = filter.limit ? filter.limit : 100;
    EXPECT_OK(catalogue_types(db, &filter, in_full ? describe : name_only, text, &err));
    return text;
}

TEST_WITH_DATABASE(a_type_gets_what_it_lacked_and_what_changed)
{
    const struct type_filter all = {0};

    put_type(db, "one", (struct instance_type){"aws", "m5.large", 0, 8, "", ""});
    EXPECT_STR(types_of(db, all, true), "m5.large aws 0 8   one\n");
    put_type(db, "two", (struct instance_type){"aws", "m5.large", 2, 0, "x86_64", ""});
    EXPECT_STR(types_of(db, all, true), "m5.large aws 2 8 x86_64  one\n");
    put_type(db, "two", (struct instance_type){"aws", "m5.large", 0, 0, "", ""});
    EXPECT_STR(types_of(db, all, true), "m5.large aws 2 8 x86_64  one\n");
    put_type(db, "two", (struct instance_type){"aws", "m5.large", 4, 16, "arm64", "T4"});
    EXPECT_STR(types_of(db, all, true), "m5.large aws 4 16 arm64 T4 one\n");
    /* Of another provider it is another type. */
    put_type(db, "two", (struct instance_type){"us", "m5.large", 1, 1, "", ""});
    EXPECT_STR(types_of(db, all, true),
               "m5.large aws 4 16 arm64 T4 one\nm5.large us 1 1   two\n");
    put(db, "three", (struct content){0}); /* a feed that says nothing takes nothing away */
    EXPECT_ROWS(db, 2, "instance_types");
}

static void put_several(struct db *db)
{
    const struct instance_type types[] = {
        {"aws", "c7i.large", 2, 4, "x86_64", ""}, {"aws", "c7in.large", 2, 4, "x86_64", ""},
        {"aws", "c7g.large", 2, 4, "arm64", ""},  {"aws", "c7i.xlarge", 4, 8, "x86_64", ""},
        {"gcp", "c3-standard-4", 4, 16, "", ""},  {"aws", "unknown", 0, 0, "", ""},
    };

    put(db, "one", (struct content){.types = types, .type_count = COUNT(types)});
}

TEST_WITH_DATABASE(a_filter_leaves_only_what_it_says)
{
    static const struct {
        struct type_filter filter;
        const char *names;
    } cases[] = {
        {{0}, "c3-standard-4 c7g.large c7i.large c7i.xlarge c7in.large unknown "},
        {{.provider = "gcp"}, "c3-standard-4 "},
        {{.name = "c7i.large"}, "c7i.large "},
        {{.name = "c7i"}, ""},
        {{.prefix = "c7i."}, "c7i.large c7i.xlarge "},
        {{.prefix = "c7i"}, "c7i.large c7i.xlarge c7in.large "},
        {{.prefix = ""}, "c3-standard-4 c7g.large c7i.large c7i.xlarge c7in.large unknown "},
        {{.prefix = "C7"}, ""},
        {{.prefix = "c7%"}, ""},
        {{.min_vcpus = 4}, "c3-standard-4 c7i.xlarge "},
        {{.min_memory_gib = 8.5}, "c3-standard-4 "},
        {{.min_vcpus = 2, .prefix = "c7i", .limit = 2}, "c7i.large c7i.xlarge "},
    };

    put_several(db);
    for (size_t i = 0; i < COUNT(cases); i++)
        EXPECT_STR(types_of(db, cases[i].filter, false), cases[i].names);
}

static void keep_last(void *user, const struct instance_type *type, const char *feed)
{
    (void)feed;
    snprintf(user, 96, "%s %s", type->name, type->provider);
}

TEST_WITH_DATABASE(pages_follow_each_other_by_name)
{
    char last[96] = "";
    struct type_filter filter = {.limit = 2};

    put_several(db);
    put_type(db, "two", (struct instance_type){"us", "c7g.large", 1, 1, "", ""});
    EXPECT_STR(types_of(db, filter, false), "c3-standard-4 c7g.large ");
    EXPECT(catalogue_types(db, &filter, keep_last, last, NULL));
    EXPECT_STR(last, "c7g.large aws");
    filter.after = last;
    EXPECT_STR(types_of(db, filter, false), "c7g.large c7i.large ");
    filter.after = "c7i.xlarge aws";
    EXPECT_STR(types_of(db, filter, false), "c7in.large unknown ");
    filter.after = "unknown aws";
    EXPECT_STR(types_of(db, filter, false), "");
}

static void describe_band(void *user, const char *region, const char *band)
{
    add_text(user, 200, "%s %s\n", region, band);
}

static const char *bands_of(struct db *db, const char *provider, const char *type)
{
    static char text[200];

    text[0] = '\0';
    EXPECT(catalogue_interruptions(db, provider, type, describe_band, text, NULL));
    return text;
}

TEST_WITH_DATABASE(interruptions_replace_their_feeds_old_ones)
{
    static const struct interruption first[] = {{"aws", "eu-west-1", "m5.large", "<5%"},
                                                {"aws", "eu-north-1", "m5.large", "5-10%"},
                                                {"aws", "eu-north-1", "c5.large", ">20%"}};
    static const struct interruption others[] = {{"gcp", "eu-north-1", "m5.large", "rare"}};
    static const struct interruption next[] = {{"aws", "eu-north-1", "m5.large", "10-15%"}};

    put(db, "one", (struct content){.interruptions = first, .interruption_count = COUNT(first)});
    put(db, "two",
        (struct content){.interruptions = others, .interruption_count = COUNT(others)});
    EXPECT_STR(bands_of(db, "aws", "m5.large"), "eu-north-1 5-10%\neu-west-1 <5%\n");
    EXPECT_STR(bands_of(db, "gcp", "m5.large"), "eu-north-1 rare\n");
    EXPECT_STR(bands_of(db, "aws", "m5"), "");
    put(db, "one", (struct content){.interruptions = next, .interruption_count = COUNT(next)});
    EXPECT_STR(bands_of(db, "aws", "m5.large"), "eu-north-1 10-15%\n");
    EXPECT_STR(bands_of(db, "aws", "c5.large"), "");
    EXPECT_STR(bands_of(db, "gcp", "m5.large"), "eu-north-1 rare\n");
    put_type(db, "one", m5); /* a reading without any leaves them */
    EXPECT_STR(bands_of(db, "aws", "m5.large"), "eu-north-1 10-15%\n");
}
