/* What an hour costs those who commit themselves for years. */
#include "pricing/commitment.h"

#include "tests/test.h"

#define DOLLAR 1000000000LL

TEST(every_kind_of_a_commitment_has_its_terms)
{
    static const char *const starts[] = {
        [COMMITMENT_RESERVED] = "reserved_",
        [COMMITMENT_CONVERTIBLE] = "convertible_",
        [COMMITMENT_SAVINGS_PLAN] = "savings_plan_",
        [COMMITMENT_INSTANCE_SAVINGS_PLAN] = "instance_savings_plan_",
        [COMMITMENT_USE] = "committed_use_",
    };

    for (int kind = 0; kind < PRICE_KINDS; kind++) {
        const struct price_terms *terms = price_terms_of((enum price_kind)kind);
        enum price_kind found = PRICE_OWN;

        EXPECT_INT(terms != NULL, kind >= PRICE_COMMITTED);
        if (!terms)
            continue;
        EXPECT(price_kind_of_terms(terms, &found));
        EXPECT_INT(found, kind);
        EXPECT_PART(price_kind_names[kind], terms->years == 1 ? "_1y" : "_3y");
        if (strstr(price_kind_names[kind], "upfront"))
            EXPECT_PART(price_kind_names[kind], payment_names[terms->payment]);
        else
            EXPECT_INT(terms->payment, PAYMENT_BY_HOUR);
        EXPECT_INT(strncmp(price_kind_names[kind], starts[terms->commitment],
                           strlen(starts[terms->commitment])),
                   0);
    }
}

TEST(each_provider_has_a_feed_for_what_it_sells)
{
    EXPECT_STR(commitment_feed("aws", PRICE_CONVERTIBLE_1Y_NO_UPFRONT),
               "aws-offer=on committed=on regions=%s");
    EXPECT_STR(commitment_feed("aws", PRICE_INSTANCE_SAVINGS_PLAN_3Y_ALL_UPFRONT),
               "aws-savings-plans=on regions=%s");
    EXPECT(!commitment_feed("aws", PRICE_COMMITTED_USE_1Y));
    EXPECT_STR(commitment_feed("azure", PRICE_SAVINGS_PLAN_1Y), "azure-retail=on regions=%s");
    EXPECT(!commitment_feed("azure", PRICE_RESERVED_1Y_ALL_UPFRONT));
    EXPECT_STR(commitment_feed("gcp", PRICE_COMMITTED_USE_3Y), "gcp-billing-catalog=on");
    EXPECT(!commitment_feed("gcp", PRICE_SAVINGS_PLAN_1Y));
    EXPECT(!commitment_feed("hetzner", PRICE_RESERVED_1Y_NO_UPFRONT));
    EXPECT(!commitment_feed("aws", PRICE_ON_DEMAND));
}

TEST(terms_that_no_kind_has_are_none)
{
    enum price_kind kind = PRICE_OWN;

    EXPECT(!price_kind_of_terms(&(struct price_terms){COMMITMENT_RESERVED, 5, PAYMENT_BY_HOUR},
                                &kind));
    EXPECT(
        !price_kind_of_terms(&(struct price_terms){COMMITMENT_USE, 1, PAYMENT_UPFRONT}, &kind));
    EXPECT_INT(kind, PRICE_OWN);
}

TEST(of_a_savings_plan_half_or_all_is_paid_at_once)
{
    static const struct {
        enum price_kind kind;
        long long nanos, upfront;
        const char *text;
    } cases[] = {
        {PRICE_SAVINGS_PLAN_1Y, 70000000, 0, "0.07"},
        {PRICE_SAVINGS_PLAN_3Y_PARTIAL_UPFRONT, 70000001, 35000000LL * 26280, "0.070000001"},
        {PRICE_INSTANCE_SAVINGS_PLAN_1Y_ALL_UPFRONT, 70000000, 70000000LL * 8760, "0.07"},
        {PRICE_INSTANCE_SAVINGS_PLAN_3Y_ALL_UPFRONT, PRICE_NANOS_MAX, PRICE_NANOS_MAX * 26280,
         "100000"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct price price = {.kind = cases[i].kind};

        EXPECT(price_set_plan(&price, cases[i].nanos));
        EXPECT_HAS(price, (nanos, cases[i].nanos), (upfront_nanos, cases[i].upfront),
                   (text, cases[i].text));
        EXPECT(!price_set_plan(&price, 0));
        EXPECT(!price_set_plan(&price, PRICE_NANOS_MAX + 1));
    }
}

TEST(what_is_paid_at_once_is_spread_over_the_term)
{
    static const struct {
        enum price_kind kind;
        long long hourly, upfront, nanos;
        const char *text;
    } cases[] = {
        {PRICE_RESERVED_1Y_NO_UPFRONT, 62000000, 0, 62000000, "0.062"},
        {PRICE_RESERVED_1Y_ALL_UPFRONT, 0, 876 * DOLLAR, 100000000, "0.1"},
        {PRICE_RESERVED_3Y_ALL_UPFRONT, 0, 876 * DOLLAR, 33333333, "0.033333333"},
        {PRICE_RESERVED_3Y_PARTIAL_UPFRONT, 21000000, 539 * DOLLAR, 41509893, "0.041509893"},
        {PRICE_RESERVED_1Y_ALL_UPFRONT, 0, 4380, 1, "0.000000001"}, /* half a nano is one */
        {PRICE_COMMITTED_USE_3Y, DOLLAR, 0, DOLLAR, "1"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct price price = {.kind = cases[i].kind};

        EXPECT(price_set_commitment(&price, cases[i].hourly, cases[i].upfront));
        EXPECT_HAS(price, (nanos, cases[i].nanos), (upfront_nanos, cases[i].upfront),
                   (text, cases[i].text));
    }
}

TEST(amounts_that_contradict_the_payment_are_no_price)
{
    static const struct {
        enum price_kind kind;
        long long hourly, upfront;
    } cases[] = {
        {PRICE_RESERVED_1Y_NO_UPFRONT, 0, 0},
        {PRICE_RESERVED_1Y_NO_UPFRONT, DOLLAR, DOLLAR},
        {PRICE_RESERVED_1Y_ALL_UPFRONT, DOLLAR, DOLLAR},
        {PRICE_RESERVED_1Y_ALL_UPFRONT, 0, 0},
        {PRICE_RESERVED_1Y_PARTIAL_UPFRONT, DOLLAR, 0},
        {PRICE_RESERVED_1Y_PARTIAL_UPFRONT, 0, DOLLAR},
        {PRICE_SAVINGS_PLAN_1Y, -1, 0},
        {PRICE_SAVINGS_PLAN_1Y, PRICE_NANOS_MAX + 1, 0},
        {PRICE_RESERVED_1Y_ALL_UPFRONT, 0, 1}, /* less than a nano an hour */
        {PRICE_RESERVED_1Y_ALL_UPFRONT, 0, PRICE_NANOS_MAX * 8760 + 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct price price = {.kind = cases[i].kind};

        EXPECT(!price_set_commitment(&price, cases[i].hourly, cases[i].upfront));
        EXPECT_INT(price.nanos, 0);
    }
}

TEST(a_commitment_is_cheaper_than_on_demand_but_not_a_tenth_of_it)
{
    EXPECT(!commitment_is_odd(100, 100));
    EXPECT(commitment_is_odd(101, 100));
    EXPECT(!commitment_is_odd(11, 100));
    EXPECT(commitment_is_odd(10, 100));
}
