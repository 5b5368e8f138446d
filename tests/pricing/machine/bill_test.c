/* What an hour of a machine costs by what a person says of it. */
#include "pricing/machine/bill.h"

#include "tests/test.h"

static bool made(const char *text, struct price *ret_price, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    struct machine_bill bill;

    EXPECT(json != NULL && json_object_set_new(json, "machine", json_string("this")) == 0);
    return machine_bill_read(json, &bill, err) && machine_bill_price(&bill, ret_price, err);
}

TEST(each_way_has_its_formula)
{
    static const struct {
        const char *text, *formula, *amount;
        enum price_kind kind;
    } ways[] = {
        {"{\"price_per_hour\": 0.357}", "0.357 USD an hour", "0.357", PRICE_TYPED},
        {"{\"per_month\": 73}", "73 USD a month / 730 h", "0.1", PRICE_TYPED},
        {("{\"own\": {\"purchase\": 1752, \"years\": 4, \"watts\": 100, \"cents_per_kwh\": 30}}"),
         "1752 USD / (4 years * 8760 h) + 100 W / 1000 * 30 cents a kWh / 100", "0.08",
         PRICE_OWN},
        {("{\"own\": {\"purchase\": 0, \"years\": 2.5, \"watts\": 65, \"cents_per_kwh\": 28.5}}"),
         "0 USD / (2.5 years * 8760 h) + 65 W / 1000 * 28.5 cents a kWh / 100", "0.018525",
         PRICE_OWN},
        {("{\"own\": {\"purchase\": 1000, \"years\": 3, \"watts\": 0, \"cents_per_kwh\": 0}}"),
         "1000 USD / (3 years * 8760 h) + 0 W / 1000 * 0 cents a kWh / 100", "0.038051750",
         PRICE_OWN},
    };

    for (size_t i = 0; i < COUNT(ways); i++) {
        struct price price, exactly;

        EXPECT_OK(made(ways[i].text, &price, &err));
        EXPECT_STR(price.reference, ways[i].formula);
        EXPECT(price_set(&exactly, ways[i].amount));
        EXPECT_HAS(price, (nanos, exactly.nanos), (kind, ways[i].kind), (currency, "USD"),
                   (instance_type, ""));
    }
}

#define OWN(purchase, years, watts, cents)                                                       \
    "{\"own\": {\"purchase\": " purchase ", \"years\": " years ", \"watts\": " watts             \
    ", \"cents_per_kwh\": " cents "}}"

TEST(the_bounds_are_allowed)
{
    EACH_TEXT(text, "{\"price_per_hour\": 1e-9}", "{\"price_per_hour\": 100000}",
              "{\"per_month\": 73000000}", OWN("100000000", "1", "0", "10000"),
              OWN("0", "100", "1000000", "10"), OWN("0", "0.001", "1", "1")) {
        struct price price;

        EXPECT_OK(made(text, &price, &err));
        EXPECT(price.nanos > 0);
    }
}

TEST(what_is_wrong_names_the_field_and_what_is_allowed)
{
    static const struct {
        const char *text, *field, *message;
    } wrong[] = {
        {"{}", "price_per_hour",
         "no price is given: give exactly one of price_per_hour, per_month and own"},
        {"{\"per_month\": 1, \"own\": {}}", "own",
         "is one price too many: give exactly one of price_per_hour, per_month and own"},
        {"{\"price_per_hour\": 0}", "price_per_hour",
         "must be more than 0 and at most 100000, got 0"},
        {"{\"price_per_hour\": \"1\"}", "price_per_hour", "must be a number, got a string"},
        {"{\"price_per_hour\": 1e-11}", "price_per_hour",
         "makes 1e-11 USD an hour: an hour must cost 0.000000001 USD or more, and at most "
         "100000"},
        {"{\"per_month\": 73000001}", "per_month",
         "must be more than 0 and at most 73000000, got 73000001"},
        {"{\"own\": []}", "own",
         "must be an object with purchase, years, watts and cents_per_kwh"},
        {"{\"own\": {\"purchase\": 1}}", "own.years", "is missing"},
        {OWN("-1", "1", "1", "1"), "own.purchase",
         "must be at least 0 and at most 100000000, got -1"},
        {OWN("1", "0", "1", "1"), "own.years", "must be more than 0 and at most 100, got 0"},
        {OWN("1", "1", "1000001", "1"), "own.watts",
         "must be at least 0 and at most 1000000, got 1000001"},
        {OWN("1", "1", "1", "true"), "own.cents_per_kwh", "must be a number, got true"},
        {OWN("0", "1", "0", "1"), "own",
         "makes 0 USD an hour: an hour must cost 0.000000001 USD or more, and at most 100000"},
        {OWN("100000000", "0.001", "0", "0"), "own",
         "makes 11415525.1 USD an hour: an hour must cost 0.000000001 USD or more, and at most "
         "100000"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct price price = {.nanos = 7};

        EXPECT_WRONG(made(wrong[i].text, &price, &err), wrong[i].field, wrong[i].message);
        EXPECT_INT(price.nanos, 7);
    }
}

TEST(an_unknown_member_of_own_is_named)
{
    struct price price;

    EXPECT_WRONG_SAYS(made("{\"own\": {\"purchase\": 1, \"year\": 1}}", &price, &err), "own.year",
                      "years");
}
