/* Which price is the one: never one of another kind, machine, region or zone. */
#include "pricing/machine/choice.h"

#include "pricing/feeds/source.h"
#include "tests/test.h"

static const struct identity machine = {.provider = "aws",
                                        .instance_type = "c7i.2xlarge",
                                        .region = "us-east-1",
                                        .zone = "us-east-1b",
                                        .zone_id = "use1-az4",
                                        .life_cycle = "spot"};

static struct price price_of(enum price_kind kind, const char *zone, const char *feed)
{
    struct price price = {.provider = "aws",
                          .region = "us-east-1",
                          .instance_type = "c7i.2xlarge",
                          .kind = kind,
                          .currency = "USD",
                          .nanos = 1};

    snprintf(price.zone, sizeof price.zone, "%s", zone);
    snprintf(price.feed, sizeof price.feed, "%s", feed);
    return price;
}

static int rank(enum price_kind kind, const char *zone, const char *feed)
{
    struct price price = price_of(kind, zone, feed);

    return price_rank(&price, &machine);
}

TEST(one_kind_never_stands_in_for_another)
{
    static const char *const lives[] = {"on_demand", "spot", "",     "reserved", "capacity-block",
                                        "typed",     "own",  "Spot", "on-demand"};

    for (size_t i = 0; i < COUNT(lives); i++)
        for (const struct source *const *source = sources; *source; source++) {
            const struct price spot = price_of(PRICE_SPOT, "", (*source)->name);
            const struct price on_demand = price_of(PRICE_ON_DEMAND, "", (*source)->name);
            struct identity of = machine;

            snprintf(of.life_cycle, sizeof of.life_cycle, "%s", lives[i]);
            EXPECT_INT(price_rank(&on_demand, &of) > 0, i == 0);
            EXPECT_INT(price_rank(&spot, &of) > 0, i == 1);
        }
}

TEST(a_zone_goes_before_its_region_whatever_the_feed)
{
    const char *first = sources[0]->name, *last = first;

    for (const struct source *const *source = sources; *source; source++)
        last = (*source)->name;
    EXPECT(rank(PRICE_SPOT, "us-east-1b", last) > rank(PRICE_SPOT, "", first));
    EXPECT(rank(PRICE_SPOT, "us-east-1b", "elsewhere") > rank(PRICE_SPOT, "", first));
    EXPECT(rank(PRICE_SPOT, "", "elsewhere") > 0);
    EXPECT_INT(rank(PRICE_SPOT, "use1-az4", last), rank(PRICE_SPOT, "us-east-1b", last));
}

TEST(feeds_are_accepted_in_the_order_of_the_list)
{
    for (const struct source *const *source = sources; source[0] && source[1]; source++)
        EXPECT(rank(PRICE_SPOT, "", source[0]->name) > rank(PRICE_SPOT, "", source[1]->name));
}

TEST(what_was_published_with_a_figure_is_never_what_a_machine_costs)
{
    EXPECT_INT(rank(PRICE_SPOT, "", "published"), 0);
    EXPECT_INT(rank(PRICE_SPOT, "us-east-1b", "published"), 0);
    EXPECT_INT(rank(PRICE_TYPED, "", "published"), 0);
    EXPECT(rank(PRICE_SPOT, "", "published too") > 0);
}

TEST(an_entered_price_wins_over_all_others)
{
    EXPECT(rank(PRICE_TYPED, "", "typed") > rank(PRICE_SPOT, "us-east-1b", sources[0]->name));
    EXPECT(rank(PRICE_OWN, "", "typed") > rank(PRICE_SPOT, "us-east-1b", sources[0]->name));
    EXPECT(rank(PRICE_TYPED, "us-east-1b", "typed") > rank(PRICE_TYPED, "", sources[0]->name));
}

TEST(a_person_may_leave_out_where_it_is_about_a_file_its_region_and_no_feed_may)
{
    struct price price = price_of(PRICE_TYPED, "", "typed");

    price.region[0] = price.provider[0] = '\0';
    EXPECT(price_rank(&price, &machine) > 0);
    price.kind = PRICE_SPOT;
    EXPECT_INT(price_rank(&price, &machine), 0);
    snprintf(price.provider, sizeof price.provider, "aws");
    EXPECT_INT(price_rank(&price, &machine), 0);
    snprintf(price.region, sizeof price.region, "us-east-1");
    EXPECT(price_rank(&price, &machine) > 0);
    price = price_of(PRICE_SPOT, "", "price-file");
    int exact = price_rank(&price, &machine);
    price.region[0] = '\0';
    EXPECT(price_rank(&price, &machine) > 0 && price_rank(&price, &machine) < exact);
    price.provider[0] = '\0';
    EXPECT_INT(price_rank(&price, &machine), 0);
}

TEST(prices_of_other_places_are_never_chosen)
{
    EACH(enum price_kind, kind, PRICE_SPOT, PRICE_TYPED, PRICE_OWN) {
        struct price price = price_of(kind, "", "typed");

        EXPECT(price_rank(&price, &machine) > 0);
        EXPECT_INT(rank(kind, "us-east-1a", "typed"), 0);
        EXPECT_INT(rank(kind, "use1-az1", "typed"), 0);
        snprintf(price.region, sizeof price.region, "us-east-2");
        EXPECT_INT(price_rank(&price, &machine), 0);
        price = price_of(kind, "", "typed");
        snprintf(price.provider, sizeof price.provider, "azure");
        EXPECT_INT(price_rank(&price, &machine), 0);
        price = price_of(kind, "", "typed");
        snprintf(price.instance_type, sizeof price.instance_type, "c7i.2xlarge2");
        EXPECT_INT(price_rank(&price, &machine), 0);
    }
}

TEST(a_machine_that_is_not_known_has_no_price)
{
    const struct identity unknown = {.source = "unknown"};
    const struct identity half = {.instance_type = "c7i.2xlarge", .life_cycle = "spot"};
    struct price price = price_of(PRICE_TYPED, "", "typed");
    struct price open = {.kind = PRICE_TYPED, .nanos = 1};

    EXPECT_INT(price_rank(&price, &unknown), 0);
    EXPECT_INT(price_rank(&open, &unknown), 0); /* two that say nothing do not agree */
    EXPECT_INT(price_rank(&price, &half), 0);
    price = price_of(PRICE_SPOT, "us-east-1b", "aws-spot-history");
    EXPECT_INT(price_rank(&price, &half), 0);
}

TEST(a_feed_that_is_named_earlier_ranks_higher)
{
    int before = feed_rank(sources[0]->name) + 1;

    for (const struct source *const *source = sources; *source; source++) {
        EXPECT(feed_rank((*source)->name) < before);
        before = feed_rank((*source)->name);
    }
    EXPECT(before > 0);
    EXPECT_INT(feed_rank("typed"), 0);
    EXPECT_INT(feed_rank("published"), 0);
    EXPECT_INT(feed_rank(""), 0);
}

TEST(a_machine_has_a_name_by_itself_or_by_its_hardware)
{
    char name[INSTANCE_SIZE];

    price_name_of_machine("s00000000000000a", "hardware", name);
    EXPECT_STR(name, "machine-s00000000000000a");
    EXPECT(price_is_of_machine(name));
    price_name_of_machine("", "hardware", name);
    EXPECT_STR(name, "machine-hardware");
    price_name_of_machine("", "", name);
    EXPECT_STR(name, "");
    EXPECT(!price_is_of_machine(name));
    EXPECT(!price_is_of_machine("m5.large"));
}
