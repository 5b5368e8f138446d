/* A reading that has lost most prices of a region, a family or a kind. */
#include "pricing/feeds/coverage.h"

#include "tests/test.h"

static struct price price_of(const char *type, const char *region, enum price_kind kind)
{
    struct price price = {.provider = "aws", .kind = kind};

    snprintf(price.instance_type, sizeof price.instance_type, "%s", type);
    snprintf(price.region, sizeof price.region, "%s", region);
    return price;
}

static void count(struct coverage *coverage, const struct price *price, size_t before, size_t has)
{
    struct coverage_names names;

    coverage_names_of(price, &names);
    for (size_t i = 0; i < before; i++)
        coverage_count(coverage, &names, i < has);
}

static bool is_lost(const struct coverage *coverage, const struct price *price)
{
    struct coverage_names names;

    coverage_names_of(price, &names);
    return coverage_is_lost(coverage, &names);
}

TEST(more_than_half_of_a_region_is_a_loss_of_it)
{
    static const struct {
        size_t before, has;
        bool lost;
    } cases[] = {{4, 2, false},    {5, 2, true},    {3, 0, true},  {2, 0, false},
                 {100, 50, false}, {100, 49, true}, {1, 0, false}, {3, 1, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(coverage_free) struct coverage coverage = {0};
        const struct price here = price_of("m5.large", "here", PRICE_SPOT);
        const struct price there = price_of("c5.large", "there", PRICE_ON_DEMAND);

        count(&coverage, &there, 1000, 1000);
        count(&coverage, &here, cases[i].before, cases[i].has);
        EXPECT_INT(is_lost(&coverage, &here), cases[i].lost);
        EXPECT(!is_lost(&coverage, &there));
    }
}

TEST(a_family_a_kind_and_a_provider_are_groups_of_their_own)
{
    AUTO(coverage_free) struct coverage coverage = {0};
    const struct price gone = price_of("m5.large", "r", PRICE_SPOT);
    const struct price family = price_of("m5.xlarge", "s", PRICE_ON_DEMAND);
    const struct price region = price_of("c5.xlarge", "r", PRICE_ON_DEMAND);
    const struct price kind = price_of("c5.xlarge", "s", PRICE_SPOT);
    struct price other = price_of("m5.large", "r", PRICE_SPOT);

    snprintf(other.provider, sizeof other.provider, "gcp");
    count(&coverage, &gone, 3, 0);
    EXPECT(is_lost(&coverage, &family));
    EXPECT(is_lost(&coverage, &region));
    EXPECT(is_lost(&coverage, &kind));
    EXPECT(!is_lost(&coverage, &other));
    count(&coverage, &family, 3, 3); /* the family has half of its prices again */
    const struct price more = price_of("m5.4xlarge", "s", PRICE_ON_DEMAND);
    EXPECT(!is_lost(&coverage, &more));
}

TEST(nothing_counted_is_nothing_lost)
{
    const struct coverage coverage = {0};
    const struct price price = price_of("m5.large", "r", PRICE_SPOT);

    EXPECT(!is_lost(&coverage, &price));
}

TEST(many_groups_are_told_apart)
{
    AUTO(coverage_free) struct coverage coverage = {0};
    char name[32];

    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "f%d.large", i);
        const struct price price = price_of(name, name, PRICE_ON_DEMAND);
        count(&coverage, &price, 4, i % 3 ? 4 : 1);
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "f%d.large", i);
        const struct price price = price_of(name, name, PRICE_ON_DEMAND);
        EXPECT_INT(is_lost(&coverage, &price), i % 3 == 0);
    }
}
