#include "db/prices/discounts.h"

#include "tests/db/database.h"

static struct discount discount_of(const char *provider, const char *family, double factor,
                                   long long seconds)
{
    struct discount discount = {.factor = factor, .since_us = NOON_US + seconds * 1000000};

    snprintf(discount.provider, sizeof discount.provider, "%s", provider);
    snprintf(discount.family, sizeof discount.family, "%s", family);
    return discount;
}

static void put(struct db *db, struct discount discount)
{
    EXPECT_OK(discounts_put(db, &discount, NULL, &err));
}

static void names(void *user, const struct discount *discount)
{
    add_text(user, 400, "%s/%s/%s*%g ", discount->provider, discount->family,
             price_kind_name(discount->kind), discount->factor);
}

static const char *in_force(struct db *db, long long seconds)
{
    static char text[400];

    text[0] = '\0';
    EXPECT(discounts_each(db, NOON_US + seconds * 1000000, names, text, NULL));
    return text;
}

static void keep(void *user, const struct discount *discount)
{
    *(struct discount *)user = *discount;
}

TEST_WITH_DATABASE(a_discount_is_read_as_it_was_stored)
{
    struct discount stored = {0};

    put(db, (struct discount){.provider = "aws",
                              .family = "c7i",
                              .kind = PRICE_SPOT,
                              .factor = 0.85,
                              .note = "savings plan, three years",
                              .since_us = NOON_US});
    EXPECT(discounts_each(db, NOON_US, keep, &stored, NULL));
    EXPECT_HAS(stored, (provider, "aws"), (family, "c7i"), (kind, PRICE_SPOT), (factor, 0.85),
               (note, "savings plan, three years"), (since_us, NOON_US));
    EXPECT_STR(in_force(db, -1), "");
}

TEST_WITH_DATABASE(the_most_special_comes_first)
{
    put(db, discount_of("aws", "", 0.9, 0));
    put(db, discount_of("aws", "c7i", 0.7, 0));
    put(db, discount_of("aws", "c7i-flex", 0.6, 0));
    put(db, discount_of("azure", "m5", 0.8, 0));
    EXPECT_STR(in_force(db, 0), "aws/c7i-flex/on_demand*0.6 aws/c7i/on_demand*0.7"
                                " azure/m5/on_demand*0.8 aws//on_demand*0.9 ");
}

TEST_WITH_DATABASE(a_discount_holds_from_its_moment_until_the_next)
{
    /* Not in the order of their moments, with factors that go up and down. */
    put(db, discount_of("aws", "", 0.5, 20));
    put(db, discount_of("aws", "", 0.9, 0));
    put(db, discount_of("aws", "", 0, 30)); /* withdrawn */
    put(db, discount_of("aws", "", 0.7, 10));
    put(db, discount_of("aws", "", 0.6, 40));
    EXPECT_STR(in_force(db, -1), "");
    EXPECT_STR(in_force(db, 0), "aws//on_demand*0.9 ");
    EXPECT_STR(in_force(db, 9), "aws//on_demand*0.9 ");
    EXPECT_STR(in_force(db, 10), "aws//on_demand*0.7 ");
    EXPECT_STR(in_force(db, 29), "aws//on_demand*0.5 ");
    EXPECT_STR(in_force(db, 30), "");
    EXPECT_STR(in_force(db, 39), "");
    EXPECT_STR(in_force(db, 40), "aws//on_demand*0.6 ");
}

TEST_WITH_DATABASE(kinds_and_families_are_withdrawn_by_themselves)
{
    struct discount spot = discount_of("aws", "", 0.8, 0);

    spot.kind = PRICE_SPOT;
    put(db, spot);
    put(db, discount_of("aws", "", 0.9, 0));
    put(db, discount_of("aws", "c7i", 0.7, 0));
    put(db, discount_of("aws", "", 0, 10));
    EXPECT_STR(in_force(db, 10), "aws/c7i/on_demand*0.7 aws//spot*0.8 ");
}

TEST_WITH_DATABASE(a_second_one_for_the_same_moment_is_refused)
{
    struct discount again = discount_of("aws", "", 0.5, 0);

    put(db, discount_of("aws", "", 0.9, 0));
    EXPECT_FAILS(discounts_put(db, &again, NULL, &err), (kind, ERROR_CONFLICT),
                 (field, "valid_from"));
    EXPECT_STR(in_force(db, 0), "aws//on_demand*0.9 ");
}

TEST_WITH_DATABASE(a_factor_that_is_none_is_not_stored)
{
    EACH(double, factor, -0.1, 1.1, 1e300) {
        struct discount discount = discount_of("aws", "", factor, 0);

        EXPECT_ERROR(discounts_put(db, &discount, NULL, &err), ERROR_INTERNAL);
    }
    EXPECT_STR(in_force(db, 0), "");
    put(db, discount_of("aws", "", 1, 0));
    EXPECT_STR(in_force(db, 0), "aws//on_demand*1 ");
}

TEST(a_discount_applies_to_its_own_only)
{
    static const struct {
        const char *provider, *family, *type;
        bool applies;
    } cases[] = {
        {"aws", "c7i", "c7i.large", true},
        {"aws", "c7i", "c7in.large", false}, /* begins with it, and is another family */
        {"aws", "c7i", "c7i-flex.large", false},
        {"aws", "c7i-flex", "c7i-flex.large", true},
        {"aws", "c7", "c7i.large", false},
        {"aws", "c7i.large", "c7i.large", true},
        {"aws", "c7i.large", "c7i.xlarge", false},
        {"aws", "c7i.metal", "c7i.metal-24xl", true},
        {"aws", "", "c7i.large", true},
        {"aws", "C7i", "c7i.large", false},
        {"aws", "c7i.large.more", "c7i.large", false},
        {"gcp", "c7i", "c7i.large", false}, /* the price is of aws */
        {"aws", "n2", "n2-standard-4", true},
        {"aws", "n2", "n2d-standard-4", false},
        {"aws", "Standard", "Standard_D4s_v5", true},
        {"aws", "Standard_D4s", "Standard_D4s_v5", true},
        {"aws", "Standard_D4", "Standard_D4s_v5", false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct discount discount = {.factor = 0.5, .kind = PRICE_ON_DEMAND};
        struct price price = {.provider = "aws", .kind = PRICE_ON_DEMAND};

        snprintf(discount.provider, sizeof discount.provider, "%s", cases[i].provider);
        snprintf(discount.family, sizeof discount.family, "%s", cases[i].family);
        snprintf(price.instance_type, sizeof price.instance_type, "%s", cases[i].type);
        bool applies = discount_applies(&discount, &price);
        if (applies != cases[i].applies)
            EXPECT_STR(cases[i].family, cases[i].type);
        snprintf(price.feed, sizeof price.feed, "published");
        EXPECT(!discount_applies(&discount, &price)); /* what an article says is as it is */
        price.feed[0] = '\0';
        for (int kind = PRICE_SPOT; kind <= PRICE_OWN; kind++) {
            price.kind = (enum price_kind)kind; /* what is off one kind is not off another */
            EXPECT(!discount_applies(&discount, &price));
        }
    }
}
