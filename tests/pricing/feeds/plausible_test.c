/* Whether a reading may take the place of the one before. */
#include "pricing/feeds/plausible.h"

#include "tests/test.h"

static const char *const sentinels[] = {"m5.large", "t3.nano", NULL};
static const struct source choosy = {.name = "choosy", .sentinels = sentinels, .min_regions = 2};
static const struct source easy = {.name = "easy"};

static void add(struct price_batch *batch, const char *type, const char *region)
{
    struct price price = {.provider = "aws", .kind = PRICE_SPOT, .currency = "USD", .nanos = 1};

    snprintf(price.instance_type, sizeof price.instance_type, "%s", type);
    snprintf(price.region, sizeof price.region, "%s", region);
    EXPECT(price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
}

TEST(a_leap_of_spot_is_more_than_twice_or_less_than_half)
{
    EXPECT(!is_leap(PRICE_SPOT, 100, 100));
    EXPECT(!is_leap(PRICE_SPOT, 100, 200));
    EXPECT(is_leap(PRICE_SPOT, 100, 201));
    EXPECT(!is_leap(PRICE_SPOT, 100, 50));
    EXPECT(is_leap(PRICE_SPOT, 100, 49));
    EXPECT(is_leap(PRICE_SPOT, 1, PRICE_NANOS_MAX));
    EXPECT(is_leap(PRICE_SPOT, PRICE_NANOS_MAX, 1));
    EXPECT(!is_leap(PRICE_SPOT, PRICE_NANOS_MAX, PRICE_NANOS_MAX));
    EXPECT(!is_drift(PRICE_SPOT, 100, 150));
    EXPECT(is_drift(PRICE_SPOT, 100, 151));
}

TEST(a_leap_on_demand_is_more_than_a_quarter)
{
    EXPECT(!is_leap(PRICE_ON_DEMAND, 100, 125));
    EXPECT(is_leap(PRICE_ON_DEMAND, 100, 126));
    EXPECT(!is_leap(PRICE_ON_DEMAND, 100, 80));
    EXPECT(is_leap(PRICE_ON_DEMAND, 100, 79));
    EXPECT(!is_drift(PRICE_ON_DEMAND, 100, 105));
    EXPECT(is_drift(PRICE_ON_DEMAND, 100, 106));
}

TEST(a_leap_is_confirmed_by_nearly_the_same)
{
    EXPECT(is_confirmed(PRICE_SPOT, 1000, 1000));
    EXPECT(is_confirmed(PRICE_SPOT, 1000, 1250));
    EXPECT(is_confirmed(PRICE_SPOT, 1000, 800));
    EXPECT(!is_confirmed(PRICE_SPOT, 1000, 1251));
    EXPECT(!is_confirmed(PRICE_SPOT, 1000, 799));
    EXPECT(!is_confirmed(PRICE_SPOT, 0, 0)); /* nothing was held back */
    EXPECT(!is_confirmed(PRICE_SPOT, 0, 1));
    EXPECT(is_confirmed(PRICE_SPOT, 1, 1));
    EXPECT(!is_confirmed(PRICE_SPOT, 1, 2));
    EXPECT(is_confirmed(PRICE_SPOT, PRICE_NANOS_MAX, PRICE_NANOS_MAX));
    EXPECT(is_confirmed(PRICE_ON_DEMAND, 1000, 1020));
    EXPECT(!is_confirmed(PRICE_ON_DEMAND, 1000, 1021));
    EXPECT(!is_confirmed(PRICE_ON_DEMAND, 1021, 1000));
}

TEST(spot_is_expensive_above_twice_the_price_on_demand)
{
    EXPECT(!spot_is_expensive(200, 100));
    EXPECT(spot_is_expensive(201, 100));
    EXPECT(!spot_is_expensive(201, 0)); /* that is not known */
    EXPECT(is_level(100, 102));
    EXPECT(!is_level(100, 103));
    EXPECT(!is_level(0, 0));
}

TEST(what_was_always_there_must_be_there)
{
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new("choosy", 1);
    const struct change change = {.after = 4};
    struct error first = {0}, second = {0}, third = {0}, good = {0};

    EXPECT_INT(change_plausibility(&choosy, batch, &change, &first), WANTS_ANOTHER);
    EXPECT_INT(first.kind, ERROR_UPSTREAM);
    EXPECT_STR(first.message, "not accepted: it has no price for m5.large, which it always had");
    add(batch, "m5.large", "us-east-1");
    EXPECT_INT(change_plausibility(&choosy, batch, &change, &second), WANTS_ANOTHER);
    EXPECT_STR(second.message, "not accepted: it has no price for t3.nano, which it always had");
    add(batch, "t3.nano", "us-east-1");
    EXPECT_INT(change_plausibility(&choosy, batch, &change, &third), WANTS_ANOTHER);
    EXPECT_STR(third.message, "not accepted: it has fewer than 2 regions");
    add(batch, "t3.nano", "us-east-2");
    EXPECT_INT(change_plausibility(&choosy, batch, &change, &good), IS_PLAUSIBLE);
    EXPECT_STR(good.message, "");
    add(batch, "m5.large", "us-east-1"); /* now ambiguous, which is no price */
    EXPECT_INT(change_plausibility(&choosy, batch, &change, &good), WANTS_ANOTHER);
}

static enum plausibility judge(struct change change, struct error *err)
{
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new("easy", 1);

    return change_plausibility(&easy, batch, &change, err);
}

static bool accept(struct change change, struct error *err)
{
    return judge(change, err) == IS_PLAUSIBLE;
}

TEST(a_fifth_may_go_and_no_more)
{
    EXPECT(accept((struct change){.before = 100, .after = 80, .common = 80}, NULL));
    EXPECT_MESSAGE(accept((struct change){.before = 100, .after = 79, .common = 79}, &err),
                   "not accepted: it has 79 of the 100 prices that it had before");
    /* Others that came instead do not make up for those that are gone. */
    EXPECT(!accept((struct change){.before = 100, .after = 200, .common = 79}, NULL));
    EXPECT(!accept((struct change){.before = 1, .after = 0}, NULL));
    EXPECT(accept((struct change){.before = 0, .after = 0}, NULL));
    EXPECT(accept((struct change){.before = 0, .after = 100000}, NULL));
    EXPECT(accept((struct change){.before = 100, .after = 100000, .common = 100}, NULL));
    EXPECT(accept((struct change){.before = 10, .after = 8, .common = 8}, NULL));
    EXPECT(!accept((struct change){.before = 10, .after = 7, .common = 7}, NULL));
    /* Of few, two may go, but not all. */
    EXPECT(accept((struct change){.before = 3, .after = 1, .common = 1}, NULL));
    EXPECT(!accept((struct change){.before = 4, .after = 1, .common = 1}, NULL));
    EXPECT(!accept((struct change){.before = 2, .after = 0, .common = 0}, NULL));
}

static bool accept_moves(enum price_kind kind, struct moves moves, struct error *err)
{
    struct change change = {
        .before = moves.common, .after = moves.common, .common = moves.common};

    moves.before = moves.common;
    change.moves[kind] = moves;
    return accept(change, err);
}

TEST(many_leaps_condemn_it_and_two_do_not)
{
    EXPECT(accept_moves(PRICE_SPOT, (struct moves){.common = 2, .leapt = 2}, NULL));
    EXPECT(!accept_moves(PRICE_SPOT, (struct moves){.common = 20, .leapt = 3}, NULL));
    EXPECT(accept_moves(PRICE_SPOT, (struct moves){.common = 100, .leapt = 10}, NULL));
    EXPECT_MESSAGE(accept_moves(PRICE_SPOT, (struct moves){.common = 100, .leapt = 11}, &err),
                   "not accepted: 11 of 100 spot prices moved by more than 2 times");
    EXPECT_MESSAGE(
        accept_moves(PRICE_ON_DEMAND, (struct moves){.common = 100, .leapt = 11}, &err),
        "not accepted: 11 of 100 on-demand prices moved by more than a quarter");
}

TEST(a_list_on_demand_that_mostly_fell_is_another_page)
{
    const enum price_kind kinds[] = {PRICE_ON_DEMAND, PRICE_SPOT};

    for (size_t i = 0; i < COUNT(kinds); i++)
        for (size_t fell = 50; fell <= 51; fell++) {
            struct change change = {.before = 100, .after = 100, .common = 100};

            change.moves[move_group_of(kinds[i])] =
                (struct moves){.before = 100, .common = 100, .leapt = 60, .fell = fell};
            EXPECT_INT(judge(change, NULL), i == 0 && fell == 51 ? WANTS_PERSON : WANTS_ANOTHER);
        }
}

TEST(a_list_whose_half_moved_is_odd)
{
    EXPECT(accept_moves(PRICE_SPOT, (struct moves){.common = 2, .drifted = 2}, NULL));
    EXPECT(accept_moves(PRICE_SPOT, (struct moves){.common = 100, .drifted = 50}, NULL));
    EXPECT(!accept_moves(PRICE_SPOT, (struct moves){.common = 100, .drifted = 51}, NULL));
    EXPECT_MESSAGE(
        accept_moves(PRICE_ON_DEMAND, (struct moves){.common = 100, .drifted = 51}, &err),
        "not accepted: 51 of 100 on-demand prices moved by more than 5 %");
}

TEST(what_contradicts_the_other_kind_or_other_feeds_is_odd)
{
    static const struct {
        struct cross_check cross;
        const char *message; /* NULL: it is plausible */
        enum plausibility found;
    } cases[] = {
        {{.lists = 100, .swapped = 25}, NULL, IS_PLAUSIBLE},
        {{.lists = 2, .swapped = 2}, NULL, IS_PLAUSIBLE},
        {{.lists = 100, .swapped = 26},
         "not accepted: 26 of 100 on-demand prices are known as spot prices",
         WANTS_PERSON},
        {{.spots = 100, .level = 25}, NULL, IS_PLAUSIBLE},
        {{.spots = 100, .level = 26},
         "not accepted: 26 of 100 spot prices are known as on-demand prices",
         WANTS_ANOTHER},
        {{.spots = 100, .expensive = 10}, NULL, IS_PLAUSIBLE},
        {{.spots = 100, .expensive = 11},
         "not accepted: 11 of 100 spot prices are more than 2 times the price on demand",
         WANTS_PERSON},
        {{.firsts = 100, .strange = 10}, NULL, IS_PLAUSIBLE},
        {{.firsts = 100, .strange = 11},
         "not accepted: other feeds say otherwise of 11 of 100 prices",
         WANTS_ANOTHER},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = {0};

        EXPECT_INT(judge((struct change){.after = 100, .cross = cases[i].cross}, &err),
                   cases[i].found);
        EXPECT_STR(err.message, cases[i].message ? cases[i].message : "");
    }
}

#define HOUR_US 3600000000LL

TEST(a_reading_like_the_one_held_back_confirms_it_an_hour_later)
{
    const struct doubt doubt = {.until_us = 1000, .prices = 100};
    const struct {
        struct change change;
        bool like;
    } readings[] = {
        {{.after = 100, .contested = 50, .agreed = 50}, true},
        {{.after = 100, .contested = 50, .agreed = 45}, true},
        {{.after = 100, .contested = 50, .agreed = 44}, false},
        {{.after = 80, .contested = 1, .agreed = 1}, true},
        {{.after = 79, .contested = 1, .agreed = 1}, false},
        {{.after = 125, .contested = 1, .agreed = 1}, true},
        {{.after = 126, .contested = 1, .agreed = 1}, false},
        {{.after = 0, .contested = 9, .agreed = 9}, false},
    };

    for (size_t i = 0; i < COUNT(readings); i++) {
        const struct change *change = &readings[i].change;

        EXPECT_INT(change_is_like(change, &doubt), readings[i].like);
        EXPECT_INT(change_is_confirmed(change, WANTS_ANOTHER, &doubt, 1000), readings[i].like);
        EXPECT(!change_is_confirmed(change, WANTS_ANOTHER, &doubt, 999));
        EXPECT(!change_is_confirmed(change, WANTS_PERSON, &doubt, 1000));
        EXPECT(!change_is_like(change, &(struct doubt){0}));
    }
    /* Nothing at all does not confirm nothing at all. */
    EXPECT(!change_is_like(&(struct change){0}, &(struct doubt){.until_us = 1000}));
}

TEST(a_reading_waits_an_hour_from_the_first_one_like_it)
{
    const struct change like = {.after = 100, .contested = 50, .agreed = 50};
    const struct change other = {.after = 100, .contested = 50, .agreed = 1};
    const struct doubt none = {0}, held = {.until_us = 2 * HOUR_US, .prices = 100};
    const struct doubt endless = {.until_us = DOUBT_ENDLESS, .prices = 100};
    const struct {
        const struct change *change;
        enum plausibility found;
        const struct doubt *before;
        long long until_us;
    } cases[] = {
        {&like, WANTS_ANOTHER, &none, 2 * HOUR_US + 1},
        {&like, WANTS_ANOTHER, &held, 2 * HOUR_US},
        {&other, WANTS_ANOTHER, &held, 2 * HOUR_US + 1},
        {&like, WANTS_PERSON, &held, DOUBT_ENDLESS},
        {&like, WANTS_ANOTHER, &endless, 2 * HOUR_US + 1}, /* no longer like the wrong page */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct doubt doubt =
            change_doubt(cases[i].change, cases[i].found, cases[i].before, HOUR_US + 1);

        EXPECT_HAS(doubt, (until_us, cases[i].until_us), (prices, 100));
    }
}

TEST(only_a_file_of_the_operator_is_trusted)
{
    EXPECT(!source_is_trusted(&easy));
    EXPECT(source_is_trusted(&(struct source){.needs = NEEDS_FILE}));
    EXPECT(!source_is_trusted(&(struct source){.needs = NEEDS_TYPES | NEEDS_CREDENTIALS}));
}

TEST(a_type_that_is_not_named_is_not_asked_for)
{
    const struct source named = {.needs = NEEDS_TYPES};

    EXPECT(type_is_asked_for(&named, "m5.large", "m5.large"));
    EXPECT(type_is_asked_for(&named, "c5.large,m5.large", "m5.large"));
    EXPECT(type_is_asked_for(&named, " c5.large, m5.large ", "m5.large"));
    EXPECT(!type_is_asked_for(&named, "m5.large2", "m5.large"));
    EXPECT(!type_is_asked_for(&named, "m5", "m5.large"));
    EXPECT(!type_is_asked_for(&named, "c5.large", "m5.large"));
    EXPECT(type_is_asked_for(&named, "", "m5.large"));
    EXPECT(type_is_asked_for(&named, NULL, "m5.large"));
    EXPECT(type_is_asked_for(&easy, "c5.large", "m5.large")); /* it has all types */
}
