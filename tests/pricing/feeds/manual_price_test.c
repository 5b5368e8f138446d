/* A price that a person gives, one at a time. */
#include "pricing/feeds/manual_price.h"

#include "tests/test.h"

#define NOW_US 1790000000000000LL

static bool type_in(const char *text, struct price *ret_price, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);

    EXPECT(json != NULL);
    return manual_from_json(json, NOW_US, ret_price, err);
}

TEST(all_that_may_be_said_is_kept)
{
    struct price price;

    EXPECT_OK(type_in("{\"provider\":\"aws\",\"region\":\"us-east-1\",\"zone\":\"us-east-1b\","
                      "\"instance_type\":\"c7i.2xlarge\",\"kind\":\"own\",\"currency\":\"EUR\","
                      "\"price_per_hour\":\"0.30\",\"valid_from\":\"2026-08-06T17:17:52Z\","
                      "\"note\":\"our contract\"}",
                      &price, &err));
    EXPECT_HAS(price, (provider, "aws"), (region, "us-east-1"), (zone, "us-east-1b"),
               (instance_type, "c7i.2xlarge"), (kind, PRICE_OWN), (currency, "EUR"),
               (text, "0.30"), (nanos, 300000000), (reference, "our contract"), (feed, "typed"),
               (source_us, 1786036672000000), (fetched_us, NOW_US));
}

TEST(little_has_to_be_said)
{
    static const char *const texts[] = {
        "{\"instance_type\":\"x\",\"price_per_hour\":0.3}",
        "{\"instance_type\":\"x\",\"price_per_hour\":\"0.3\",\"kind\":\"typed\"}",
        ("{\"instance_type\":\"x\",\"price_per_hour\":\"0.3\",\"zone\":\"\",\"currency\":\"\","
         "\"kind\":\"\",\"valid_from\":\"\",\"note\":\"\"}")};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct price price;

        EXPECT_OK(type_in(texts[i], &price, &err));
        EXPECT_HAS(price, (kind, PRICE_TYPED), (currency, "USD"), (provider, ""), (region, ""),
                   (zone, ""), (text, "0.3"), (nanos, 300000000), (source_us, NOW_US));
    }
}

TEST(null_withdraws_a_price_and_nothing_else_does)
{
    struct price price;

    EXPECT(type_in("{\"instance_type\":\"x\",\"price_per_hour\":null}", &price, NULL));
    EXPECT_HAS(price, (nanos, 0), (instance_type, "x"), (source_us, NOW_US));
    EXPECT(!type_in("{\"instance_type\":\"x\",\"price_per_hour\":0}", &price, NULL));
    EXPECT(!type_in("{\"instance_type\":\"x\",\"price_per_hour\":\"\"}", &price, NULL));
    EXPECT(!type_in("{\"instance_type\":\"x\"}", &price, NULL));
    EXPECT(!type_in("{\"price_per_hour\":null}", &price, NULL));
}

#define X "{\"instance_type\":\"x\",\"price_per_hour\":1,"
#define COST(value) "{\"instance_type\":\"x\",\"price_per_hour\":" value "}"
#define STEPS "must be above 0, in steps of 0.000000001, and at most 100000"
#define DECIMAL "must be a decimal number above 0 and at most 100000, got "

static const struct {
    const char *text, *field, *message;
} refused[] = {
#define UNKNOWN                                                                                  \
    "is not a known field; known are provider, region, zone, instance_type, kind, currency, "    \
    "price_per_hour, valid_from, note"
    {"7", "", "a price must be a JSON object"},
    {"[]", "", "a price must be a JSON object"},
    {"{}", "instance_type", "is missing"},
    {"{\"price_per_hour\":1}", "instance_type", "is missing"},
    {"{\"instance_type\":\"\",\"price_per_hour\":1}", "instance_type",
     "must have 1 to 63 printable ASCII characters"},
    {"{\"instance_type\":\"x\"}", "price_per_hour", "is missing"},
    {X "\"price\":2}", "price", UNKNOWN},
    {X "\"reference\":\"a\"}", "reference", UNKNOWN},
    {X "\"zone\":5}", "zone", "must be a string, got a number"},
    {X "\"region\":null}", "region", "must be a string, got null"},
    {X "\"zone\":\"a\\tb\"}", "zone", "must have 0 to 39 printable ASCII characters"},
    {X "\"provider\":\"\xc3\xa9\"}", "provider", "must have 0 to 15 printable ASCII characters"},
    {X "\"provider\":\"1234567890123456\"}", "provider",
     "must have 0 to 15 printable ASCII characters"},
    {X "\"kind\":\"spot\"}", "kind", "a price that a person gives is typed or own"},
    {X "\"kind\":\"on_demand\"}", "kind", "a price that a person gives is typed or own"},
    {X "\"kind\":\"reserved\"}", "kind", "a price that a person gives is typed or own"},
    {X "\"currency\":\"usd\"}", "currency", "must be three capital letters, like USD"},
    {X "\"currency\":\"US\"}", "currency", "must be three capital letters, like USD"},
    {X "\"currency\":\"USDT\"}", "currency", "must be three capital letters, like USD"},
    {X "\"currency\":\"U\"}", "currency", "must be three capital letters, like USD"},
    {X "\"valid_from\":\"now\"}", "valid_from",
     "must be a time like 2026-01-02T03:04:05Z, or a day like 2026-01-02, got 'now'"},
    {X "\"valid_from\":1786036672}", "valid_from", "must be a string"},
    {COST("0"), "price_per_hour", STEPS},
    {COST("-0.5"), "price_per_hour", STEPS},
    {COST("1e-10"), "price_per_hour", STEPS},
    {COST("100000.01"), "price_per_hour", STEPS},
    {COST("\"0\""), "price_per_hour", DECIMAL "'0'"},
    {COST("\"1,5\""), "price_per_hour", DECIMAL "'1,5'"},
    {COST("\"$1\""), "price_per_hour", DECIMAL "'$1'"},
    {COST("\" 1\""), "price_per_hour", DECIMAL "' 1'"},
    {COST("\"nan\""), "price_per_hour", DECIMAL "'nan'"},
    {COST("\"0.1000000000000000000000000000000000000005\""), "price_per_hour", "is too long"},
    {COST("true"), "price_per_hour",
     "must be a number, a decimal in a string, or null to withdraw it"},
    {COST("[1]"), "price_per_hour",
     "must be a number, a decimal in a string, or null to withdraw it"},
};

TEST(an_error_names_the_field_and_the_reason)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct price price = {.nanos = 5};

        EXPECT_WRONG(type_in(refused[i].text, &price, &err), refused[i].field,
                     refused[i].message);
        EXPECT_INT(price.nanos, 5);
    }
}

TEST(an_error_lists_the_allowed_values)
{
    struct price price;
    struct error one = {0}, other = {0};

    EXPECT(!type_in(X "\"kind\":\"spot\"}", &price, &one));
    EXPECT(one.allowed.choices && !one.allowed.choices[2]);
    EXPECT_STR(one.allowed.choices ? one.allowed.choices[0] : "", "typed");
    EXPECT_STR(one.allowed.choices ? one.allowed.choices[1] : "", "own");
    /* Not what a file may say, for then the next answer would be no again. */
    EXPECT(!type_in(X "\"kind\":\"?\"}", &price, &other));
    EXPECT(other.allowed.choices == one.allowed.choices);
}

TEST(a_row_of_a_file_may_be_of_every_kind)
{
    for (int i = PRICE_ON_DEMAND; i <= PRICE_OWN; i++) {
        const struct price_row row = {.provider = "acme",
                                      .instance_type = "x",
                                      .price_per_hour = "1",
                                      .kind = price_kind_names[i]};
        struct error err = {0};
        struct price price;

        EXPECT(price_from_row(&row, &price, NULL));
        EXPECT_INT(price.kind, i);
        EXPECT_INT(price.source_us, 0); /* it does not say */
        EXPECT_STR(price.feed, "");
        EXPECT_INT(price_from_row(&(struct price_row){.instance_type = "x",
                                                      .price_per_hour = "1",
                                                      .kind = price_kind_names[i]},
                                  &price, &err),
                   i >= PRICE_TYPED);
        EXPECT_STR(err.field, i >= PRICE_TYPED ? "" : "provider");
    }
}
