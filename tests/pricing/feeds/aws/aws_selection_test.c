#include "pricing/feeds/aws/aws_selection.h"

#include "tests/test.h"

static const struct aws_row wanted = {
    .family = "Compute Instance",
    .operating_system = "Linux",
    .tenancy = "Shared",
    .software = "NA",
    .capacity = "Used",
    .market = "OnDemand",
    .license = "No License required",
    .operation = "RunInstances",
    .usage = "EUC1-BoxUsage:m5.large",
    .location_type = "AWS Region",
    .region = "eu-central-1",
};

TEST(the_plain_linux_instance_is_wanted_and_so_is_metal)
{
    struct aws_row row = wanted;

    EXPECT(aws_row_is_wanted(&row, "eu-central-1"));
    EXPECT(!aws_row_is_wanted(&row, "eu-central-2"));
    row.family = "Compute Instance (bare metal)";
    EXPECT(aws_row_is_wanted(&row, "eu-central-1"));
}

TEST(each_of_its_twins_is_not)
{
    static const struct {
        size_t member;
        const char *value;
    } twins[] = {
        {offsetof(struct aws_row, family), "Dedicated Host"},
        {offsetof(struct aws_row, family), "Storage"},
        {offsetof(struct aws_row, operating_system), "Windows"},
        {offsetof(struct aws_row, operating_system), "RHEL"},
        {offsetof(struct aws_row, operating_system), "Ubuntu Pro"},
        {offsetof(struct aws_row, tenancy), "Dedicated"},
        {offsetof(struct aws_row, tenancy), "Host"},
        {offsetof(struct aws_row, software), "SQL Web"},
        {offsetof(struct aws_row, capacity), "UnusedCapacityReservation"},
        {offsetof(struct aws_row, capacity), "AllocatedCapacityReservation"},
        {offsetof(struct aws_row, market), "CapacityBlock"},
        {offsetof(struct aws_row, license), "Bring your own license"},
        {offsetof(struct aws_row, operation), "RunInstances:0002"},
        {offsetof(struct aws_row, operation), "RunInstances:CB"},
        {offsetof(struct aws_row, usage), "EUC1-DedicatedUsage:m5.large"},
        {offsetof(struct aws_row, usage), "EUC1-UnusedBox:m5.large"},
        {offsetof(struct aws_row, usage), "EUC1-Reservation:m5.large"},
        {offsetof(struct aws_row, usage), "EUC1-HostBoxUsage:m5.large"},
        {offsetof(struct aws_row, usage), "HostBoxUsage:m5.large"},
        {offsetof(struct aws_row, location_type), "AWS Local Zone"},
        {offsetof(struct aws_row, location_type), "AWS Wavelength Zone"},
        {offsetof(struct aws_row, region), "us-east-1"},
    };

    for (size_t i = 0; i < COUNT(twins); i++) {
        struct aws_row row = wanted;

        memcpy((char *)&row + twins[i].member, &twins[i].value, sizeof twins[i].value);
        EXPECT(!aws_row_is_wanted(&row, "eu-central-1"));
    }
}

TEST(what_is_not_said_is_not_wanted_but_for_market_and_region)
{
    static const char *const nothing[] = {NULL, ""};

    for (size_t i = 0; i < sizeof wanted / sizeof(char *); i++)
        for (size_t j = 0; j < COUNT(nothing); j++) {
            size_t member = i * sizeof(char *);
            struct aws_row row = wanted;

            memcpy((char *)&row + member, &nothing[j], sizeof nothing[j]);
            EXPECT_INT(aws_row_is_wanted(&row, "eu-central-1"),
                       member == offsetof(struct aws_row, market) ||
                           member == offsetof(struct aws_row, region));
        }
}

TEST(without_a_region_the_usage_distinguishes_us_east_1_from_the_rest)
{
    struct aws_row row = wanted;

    row.region = NULL;
    EXPECT(!aws_row_is_wanted(&row, "us-east-1"));
    row.usage = "BoxUsage:m5.large";
    EXPECT(aws_row_is_wanted(&row, "us-east-1"));
    EXPECT(!aws_row_is_wanted(&row, "eu-central-1"));
}

TEST(attributes_that_are_no_texts_are_not_taken_for_absent)
{
    AUTO(json_decrefp)
    json_t *attributes = json_loads(
        "{\"operatingSystem\":\"Linux\",\"tenancy\":\"Shared\",\"preInstalledSw\":\"NA\","
        "\"capacitystatus\":\"Used\",\"licenseModel\":\"No License required\","
        "\"operation\":\"RunInstances\",\"usagetype\":\"BoxUsage:m5.large\","
        "\"locationType\":\"AWS Region\"}",
        0, NULL);

    EXPECT(aws_is_wanted(attributes, "Compute Instance", "us-east-1"));
    EXPECT(!aws_is_wanted(attributes, NULL, "us-east-1"));
    EXPECT(!aws_is_wanted(NULL, "Compute Instance", "us-east-1"));
    json_object_set_new(attributes, "marketoption", json_null());
    EXPECT(!aws_is_wanted(attributes, "Compute Instance", "us-east-1"));
}

/* Terms with these price dimensions, or NULL where they are no price; for one call at a time. */
static const char *price_in(const char *dimensions)
{
    static char kept[64];
    char text[2000];
    const char *price, *rate_code, *since;

    snprintf(text, sizeof text,
             "{\"S.T\":{\"effectiveDate\":\"2026-08-01T00:00:00Z\",\"priceDimensions\":{%s}}}",
             dimensions);
    AUTO(json_decrefp) json_t *terms = json_loads(text, 0, NULL);
    EXPECT(terms != NULL);
    if (!aws_term_price(terms, "USD", &price, &rate_code, &since))
        return NULL;
    EXPECT_STR(rate_code, "S.T.R");
    EXPECT_STR(since, "2026-08-01T00:00:00Z");
    snprintf(kept, sizeof kept, "%s", price);
    return kept;
}

#define DIMENSION(key, unit, begin, end, prices)                                                 \
    "\"" key "\":{\"rateCode\":\"S.T." key "\",\"unit\":\"" unit "\",\"beginRange\":\"" begin    \
    "\",\"endRange\":\"" end "\",\"pricePerUnit\":{" prices "}}"
#define GOOD DIMENSION("R", "Hrs", "0", "Inf", "\"USD\":\"0.3570000000\"")

TEST(a_term_has_exactly_one_price_for_every_hour)
{
    EXPECT_STR(price_in(GOOD), "0.3570000000");
    EXPECT_STR(price_in(GOOD "," DIMENSION("Q", "Quantity", "0", "Inf", "\"USD\":\"505\"")),
               "0.3570000000");
    EXPECT_STR(price_in(""), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Quantity", "0", "Inf", "\"USD\":\"505\"")), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Hrs", "100", "Inf", "\"USD\":\"0.1\"")), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Hrs", "0", "100", "\"USD\":\"0.1\"")), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Hrs", "0", "Inf", "\"CNY\":\"0.1\"")), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Hrs", "0", "Inf", "\"USD\":\"0.0000000000\"")), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Hrs", "0", "Inf", "\"USD\":\"-1\"")), NULL);
    EXPECT_STR(price_in(DIMENSION("R", "Hrs", "0", "Inf", "\"USD\":0.1")), NULL);
    /* A second one, even for nothing, makes the first a guess. */
    EXPECT_STR(price_in(GOOD "," DIMENSION("O", "Hrs", "0", "Inf", "\"USD\":\"0.1\"")), NULL);
    EXPECT_STR(price_in(GOOD "," DIMENSION("O", "Hrs", "0", "Inf", "\"USD\":\"0\"")), NULL);
}

TEST(terms_that_are_none_have_no_price)
{
    const char *price, *rate_code, *since;

    EXPECT(!aws_term_price(NULL, "USD", &price, &rate_code, &since));
    EACH_TEXT(shape, "{}", "[]", "7", "{\"a\":7}", "{\"a\":{\"priceDimensions\":[]}}",
              "{\"a\":{\"priceDimensions\":{\"b\":null}}}") {
        AUTO(json_decrefp) json_t *terms = json_loads(shape, JSON_DECODE_ANY, NULL);

        EXPECT(terms && !aws_term_price(terms, "USD", &price, &rate_code, &since));
    }
}

TEST(types_are_described_where_the_attributes_can_be_read)
{
    struct instance_type type = {.vcpus = 7, .memory_gib = 7};

    aws_describe_type("192", "1,952 GiB", &type);
    EXPECT_HAS(type, (vcpus, 192), (memory_gib, 1952));
    aws_describe_type("many", "NA", &type);
    EXPECT_HAS(type, (vcpus, 0), (memory_gib, 0));
    aws_describe_type(NULL, NULL, &type);
    EXPECT_NEAR(type.vcpus, 0, 0);
}

TEST(a_region_is_a_word_that_can_stand_in_an_address)
{
    EXPECT(aws_is_region("us-east-1") && aws_is_region("us-west-2-lax-1"));
    EXPECT(!aws_is_region("") && !aws_is_region("us-east-1.example.org/"));
    EXPECT(!aws_is_region("US East (N. Virginia)") && !aws_is_region("us-east-1\n"));
}
