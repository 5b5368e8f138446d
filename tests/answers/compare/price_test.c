#include "tests/answers/compare/comparison.h"

/* What an hour of a type costs by this question; 0: nothing that is known. */
static void expect_dollars(struct stage *stage, const char *question, const char *instance,
                           double dollars)
{
    const struct row_price *price;

    compare(stage, question);
    price = &row_of(stage, instance)->price;
    EXPECT_INT(price->known, dollars > 0);
    if (dollars > 0)
        EXPECT_NEAR(price->dollars.value, dollars, 1e-12);
}

/* A stored discount of all that AWS has on demand. */
static void halve_aws(struct stage *stage)
{
    stage->discounts.count = 1;
    stage->discounts.list[0] =
        (struct discount){.provider = "aws", .kind = PRICE_ON_DEMAND, .factor = 0.5, .note = "n"};
}

TEST(a_kind_never_stands_in_for_another)
{
    static const struct {
        const char *instance, *question, *why_not;
    } cases[] = {
        {"od", "price=spot", "no feed has a price (spot) for od"},
        {"od", "price=typed", "no feed has a price (typed) for od"},
        {"od", "price=paid", "its newest run knew no price"},
        {"sp", "price=on_demand", "no feed has a price (on_demand) for sp"},
        {"sp", "price=typed", "no feed has a price (typed) for sp"},
        {"ty", "price=spot", "no feed has a price (spot) for ty"},
        {"none", "price=on_demand", "no feed has a price (on_demand) for none"},
        {"", "price=on_demand", "the instance type is not known"},
    };
    AUTO(stage_clear) struct stage stage = {0};

    OFFERED(&stage, "od", .on_demand = 0.3, .published = 0.2, .published_spot = 0.1);
    OFFERED(&stage, "sp", .spot = 0.1);
    OFFERED(&stage, "ty", .typed = 0.2);
    for (size_t i = 0; i < COUNT(cases); i++)
        if (i == 0 || strcmp(cases[i].instance, cases[i - 1].instance) != 0)
            MEASURED(&stage, cases[i].instance, 100, .low = 99, .high = 101,
                     .engine = i < 3 ? "native" : "other");
    for (size_t i = 0; i < COUNT(cases); i++) {
        compare(&stage, cases[i].question);
        const struct comparison_row *row = row_of(&stage, cases[i].instance);
        EXPECT(!row->price.known && !row->has_cost);
        EXPECT_STR(row->price.why_not, cases[i].why_not);
        EXPECT(isnan(row->job.dollars) && isnan(row->job.total_dollars));
        EXPECT_RANKS(row, 0, 0);
    }
}

TEST_WITH_STAGE(why_a_feed_has_none_is_passed_on)
{
    SOLD(stage, "a", .spot = 0.1, .why_not = "expired: not confirmed for 9 days");
    compare(stage, "");
    EXPECT_STR(row_of(stage, "a")->price.why_not, "expired: not confirmed for 9 days");
    EXPECT_STR(row_of(stage, "a")->why_no_rank, "expired: not confirmed for 9 days");
}

TEST_WITH_STAGE(another_kind_is_used_only_where_it_is_asked_for_in_that_order)
{
    SOLD(stage, "both", .on_demand = 0.3, .spot = 0.1);
    SOLD(stage, "od", .on_demand = 0.3);
    SOLD(stage, "no", .typed = 0.2, .why_not = "because");
    compare(stage, "price=spot,on_demand");
    EXPECT_STR(row_of(stage, "both")->price.kind, "spot");
    EXPECT_NEAR(row_of(stage, "both")->price.dollars.value, 0.1, 1e-12);
    EXPECT_STR(row_of(stage, "od")->price.kind, "on_demand");
    EXPECT_INT(row_of(stage, "od")->price.choice, CHOOSE_ON_DEMAND);
    EXPECT_NEAR(row_of(stage, "od")->price.dollars.value, 0.3, 1e-12);
    compare(stage, "price=on_demand,spot");
    EXPECT_STR(row_of(stage, "both")->price.kind, "on_demand");
    compare(stage, "price=spot,paid"); /* of the kind that was asked for first */
    EXPECT_STR(row_of(stage, "no")->price.why_not, "because");
}

TEST_WITH_STAGE(an_entered_price_wins_over_the_list_and_gets_no_discount)
{
    const struct row_price *price;

    SOLD(stage, "a", .on_demand = 0.3, .spot = 0.1, .typed = 0.25);
    halve_aws(stage);
    compare(stage, "price=on_demand&discount=0.5");
    price = &row_of(stage, "a")->price;
    EXPECT_STR(price->kind, "typed");
    EXPECT_NEAR(price->dollars.value, 0.25, 1e-12); /* they know what they pay */
    EXPECT_NEAR(price->factor, 1, 0);
    EXPECT(price->factor_note == NULL);
    expect_dollars(stage, "price=on_demand", "a", 0.25);
    expect_dollars(stage, "price=typed&discount=0.5", "a", 0.25);
    expect_dollars(stage, "price=spot", "a", 0.1);
    EXPECT_STR(row_of(stage, "a")->price.kind, "spot");
}

TEST_WITH_STAGE(a_published_price_belongs_to_published_rows)
{
    OFFERED(stage, "old", .published = 0.7, .published_spot = 0.2, .typed = 0.5);
    SOLD(stage, "new", .on_demand = 0.4, .published = 0.7);
    PUBLISHED(stage, "old", 100);
    expect_dollars(stage, "", "old", 0.7);
    EXPECT(price_at_is_published(row_of(stage, "old")->price.at));
    EXPECT_NEAR(row_of(stage, "new")->price.dollars.value, 0.4, 1e-12);
    expect_dollars(stage, "price=spot", "old", 0.2);
    EXPECT(!row_of(stage, "new")->price.known);
    expect_dollars(stage, "price=typed", "old", 0.5);
    compare(stage, "price=paid");
    EXPECT_STR(row_of(stage, "old")->price.why_not, "a published figure was not paid for here");
    PUBLISHED(stage, "new", 100); /* where a feed has one today, that is it */
    expect_dollars(stage, "instance_type=new&provenance=published", "new", 0.4);
    EXPECT(!price_at_is_published(row_of(stage, "new")->price.at));
}

TEST_WITH_STAGE(what_was_paid_is_of_the_kind_that_it_was)
{
    const struct row_price *price;

    OFFERED(stage, "a", .on_demand = 0.3, .typed = 0.2);
    USUAL(stage, "a", .paid = 0.11, .paid_kind = "spot");
    compare(stage, "price=paid&discount=0.5");
    price = &row_of(stage, "a")->price;
    EXPECT(price->known && strcmp(price->at->price.feed, "run") == 0);
    EXPECT_STR(price->kind, "spot");
    EXPECT_NEAR(price->dollars.value, 0.11, 1e-12); /* with what was taken off then */
    EXPECT_HAS(*price, (choice, CHOOSE_PAID), (freshness, PRICE_FRESH));
}

TEST_WITH_STAGE(what_was_paid_ages_with_its_run)
{
    USUAL(stage, "a", .paid = 0.1, .paid_kind = "spot", .age_days = 2);
    USUAL(stage, "b", .paid = 0.1, .paid_kind = "on_demand", .age_days = 8);
    USUAL(stage, "c", .paid = 0.1, .paid_kind = "own", .age_days = 80);
    compare(stage, "price=paid");
    EXPECT_INT(row_of(stage, "a")->price.freshness, PRICE_EXPIRED);
    EXPECT_INT(row_of(stage, "b")->price.freshness, PRICE_STALE);
    EXPECT_INT(row_of(stage, "c")->price.freshness, PRICE_FRESH);
}

TEST_WITH_STAGE(hardware_that_no_feed_knows_costs_what_its_owner_said)
{
    USUAL(stage, "desk", .paid = 0.05, .paid_kind = "own");
    USUAL(stage, "cloud", .paid = 0.2, .paid_kind = "on_demand");
    compare(stage, "");
    EXPECT_STR(row_of(stage, "desk")->price.kind, "own");
    EXPECT_NEAR(row_of(stage, "desk")->price.dollars.value, 0.05, 1e-12);
    EXPECT_STR(row_of(stage, "desk")->price.at->price.feed, "run"); /* by this question */
    EXPECT(!row_of(stage, "cloud")->price.known); /* what it was then is no price of today */
    compare(stage, "price=typed");
    EXPECT_HAS(row_of(stage, "desk")->price, (kind, "own"), (at->price.feed, "run"));
    EXPECT(!row_of(stage, "cloud")->price.known);
    expect_dollars(stage, "price=spot", "desk", 0);
}

/* The option --price-per-hour of the machine that measured; on a hub it came with the run. */
TEST_WITH_STAGE(the_option_of_the_machine_that_measured_wins_over_every_feed)
{
    OFFERED(stage, "listed", .on_demand = 0.99, .spot = 0.4);
    OFFERED(stage, "unpriced", .why_not = "no feed has an on-demand price of it");
    OFFERED(stage, "retyped", .on_demand = 0.99, .typed = 0.3);
    OFFERED(stage, "withdrawn", .on_demand = 0.99);
    USUAL(stage, "listed", .paid = 0.357, .paid_kind = "typed", .paid_feed = "option");
    USUAL(stage, "unpriced", .paid = 0.357, .paid_kind = "typed", .paid_feed = "option");
    USUAL(stage, "retyped", .paid = 0.357, .paid_kind = "typed", .paid_feed = "option");
    USUAL(stage, "withdrawn", .paid = 0.357, .paid_kind = "typed", .paid_feed = "typed");
    expect_dollars(stage, "discount=0.5", "listed", 0.357);
    EXPECT_STR(row_of(stage, "listed")->price.kind, "typed");
    EXPECT_NEAR(row_of(stage, "unpriced")->price.dollars.value, 0.357, 1e-12);
    EXPECT_INT(row_of(stage, "unpriced")->price.freshness, PRICE_FRESH);
    /* Here a person entered another price for the type since. */
    EXPECT_NEAR(row_of(stage, "retyped")->price.dollars.value, 0.3, 1e-12);
    /* A price that was entered in a list, and is there no longer, is not an option. */
    EXPECT_NEAR(row_of(stage, "withdrawn")->price.dollars.value, 0.99 / 2, 1e-12);
    expect_dollars(stage, "price=typed", "listed", 0.357);
    expect_dollars(stage, "price=spot", "listed", 0.4);
    EXPECT(!row_of(stage, "unpriced")->price.known);
}

TEST_WITH_STAGE(no_discount_is_taken_off_a_published_figure)
{
    OFFERED(stage, "c7i.2xlarge", .on_demand = 0.357);
    OFFERED(stage, "c7i.large", .published = 0.1);
    PUBLISHED(stage, "c7i.2xlarge", 40.73);
    PUBLISHED(stage, "c7i.large", 10);
    halve_aws(stage);
    for (int asked = 0; asked < 2; asked++) {
        compare(stage, asked ? "discount=c7i.:0.8" : "");
        const struct comparison_row *row = row_of(stage, "c7i.2xlarge");
        EXPECT_NEAR(row->price.factor, 1, 0);
        EXPECT_NEAR(row->cost.samples_per_dollar.value, 40.73 * 3600 / 0.357, 1e-6);
        EXPECT_NEAR(row_of(stage, "c7i.large")->price.dollars.value, 0.1, 1e-12);
    }
}

TEST_WITH_STAGE(discounts_asked_for_win_over_those_stored)
{
    const struct row_price *price;

    SOLD(stage, "c7i.large", .on_demand = 0.4, .spot = 0.1);
    SOLD(stage, "m5.large", .on_demand = 0.4);
    SOLD(stage, "n2-x", .provider = "gcp", .on_demand = 0.4);
    stage->discounts.count = 2;
    stage->discounts.list[0] = (struct discount){.provider = "aws",
                                                 .family = "m5",
                                                 .kind = PRICE_ON_DEMAND,
                                                 .factor = 0.8,
                                                 .note = "deal"};
    stage->discounts.list[1] = (struct discount){
        .provider = "aws", .kind = PRICE_ON_DEMAND, .factor = 0.9, .note = "all of aws"};
    compare(stage, "discount=c7i.:0.5");
    price = &row_of(stage, "c7i.large")->price;
    EXPECT_ABOUT(*price, 1e-12, (list, 0.4), (dollars.value, 0.2));
    EXPECT_STR(price->factor_note, "asked for");
    price = &row_of(stage, "m5.large")->price;
    EXPECT_NEAR(price->dollars.value, 0.32, 1e-12);
    EXPECT_STR(price->factor_note, "deal"); /* the most special one */
    EXPECT_NEAR(row_of(stage, "n2-x")->price.dollars.value, 0.4, 1e-12);
    /* A discount of on demand is not of spot. */
    expect_dollars(stage, "price=spot&instance_type=c7i.large", "c7i.large", 0.1);
    expect_dollars(stage, "discount=gcp:0.5&discount=m5.large:0.25", "n2-x", 0.2);
    EXPECT_NEAR(row_of(stage, "m5.large")->price.dollars.value, 0.1, 1e-12);
    EXPECT_NEAR(row_of(stage, "c7i.large")->price.dollars.value, 0.36, 1e-12);
    expect_dollars(stage, "discount=0.5", "n2-x", 0.2);
    /* Without its dot it is no beginning of a name. */
    expect_dollars(stage, "discount=c7i:0.5", "c7i.large", 0.36);
}

TEST_WITH_STAGE(a_discount_follows_the_price_where_the_run_names_no_provider)
{
    OFFERED(stage, "c7i.large", .on_demand = 0.4);
    USUAL(stage, "c7i.large", .provider = "");
    halve_aws(stage);
    expect_dollars(stage, "price=on_demand", "c7i.large", 0.2);
    EXPECT_STR(row_of(stage, "c7i.large")->price.factor_note, "n");
}

TEST_WITH_STAGE(a_price_of_the_question_wins_over_all)
{
    const struct row_price *price;

    SOLD(stage, "a", .on_demand = 0.4, .typed = 0.3);
    USUAL(stage, "b");
    compare(stage, "price_of=a:0.07&discount=0.5&price=spot");
    price = &row_of(stage, "a")->price;
    EXPECT(price->known && strcmp(price->at->price.feed, "question") == 0);
    EXPECT_NEAR(price->dollars.value, 0.07, 1e-12);
    EXPECT_STR(price->kind, "typed");
    EXPECT(!row_of(stage, "b")->price.known);
}

TEST_WITH_STAGE(spot_has_the_interval_that_it_moved_in)
{
    SOLD(stage, "a", .spot = 0.1, .low = 0.08, .high = 0.16);
    SOLD(stage, "still", .spot = 0.1, .low = 0.1, .high = 0.1);
    SOLD(stage, "unknown", .spot = 0.1);
    SOLD(stage, "od", .on_demand = 0.1, .low = 0.08, .high = 0.16);
    compare(stage, "price=spot,on_demand&discount=a:0.5");
    const struct comparison_row *row = row_of(stage, "a");
    EXPECT(row->price.dollars.has_interval);
    EXPECT_ABOUT(row->price.dollars, 1e-12, (value, 0.05), (low, 0.04), (high, 0.08));
    EXPECT_INT(row->dominates, COST_PRICE);
    EXPECT(row->cost.samples_per_dollar.low < 3600 * 100 / 0.08);
    EXPECT(!row_of(stage, "still")->price.dollars.has_interval);
    EXPECT(!row_of(stage, "unknown")->price.dollars.has_interval);
    EXPECT(!row_of(stage, "od")->price.dollars.has_interval);
    EXPECT_INT(row_of(stage, "od")->dominates, COST_SPEED);
}

/* Wherever it stands in the question: a type before its family, that before its provider. */
TEST(the_most_special_discount_or_price_wins)
{
    static const struct {
        const char *question;
        double c7i, m5, vm;
    } cases[] = {
        {"discount=0.9&discount=azure:0.5", 0.9, 1.8, 2},
        {"discount=azure:0.5&discount=0.9", 0.9, 1.8, 2},
        {"discount=0.9&discount=aws:0.8&discount=c7i.:0.7&discount=c7i.large:0.6", 0.6, 1.6, 3.6},
        {"discount=c7i.large:0.6&discount=c7i.:0.7&discount=aws:0.8&discount=0.9", 0.6, 1.6, 3.6},
        {"price_of=aws:7&price_of=c7i.:5&price_of=vm:6", 5, 7, 6},
        {"price_of=vm:6&price_of=c7i.:5&price_of=aws:7", 5, 7, 6},
    };
    AUTO(stage_clear) struct stage stage = {0};

    SOLD(&stage, "c7i.large", .on_demand = 1);
    SOLD(&stage, "m5.large", .on_demand = 2);
    SOLD(&stage, "vm", .provider = "azure", .on_demand = 4);
    for (size_t i = 0; i < COUNT(cases); i++) {
        compare(&stage, cases[i].question);
        EXPECT_NEAR(row_of(&stage, "c7i.large")->price.dollars.value, cases[i].c7i, 0);
        EXPECT_NEAR(row_of(&stage, "m5.large")->price.dollars.value, cases[i].m5, 0);
        EXPECT_NEAR(row_of(&stage, "vm")->price.dollars.value, cases[i].vm, 0);
    }
}

/* 32.7726 * 0.7 is 22.940819999999995 in doubles. */
TEST_WITH_STAGE(a_price_after_a_discount_is_whole_nanos)
{
    SOLD(stage, "p4d.24xlarge", .on_demand = 32.7726, .spot = 32.7726, .low = 32.7726,
         .high = 40.1);
    compare(stage, "price=spot&discount=0.7");
    EXPECT_NEAR(row_of(stage, "p4d.24xlarge")->price.dollars.value, 22.94082, 0);
    EXPECT_NEAR(row_of(stage, "p4d.24xlarge")->price.dollars.low, 22.94082, 0);
}
