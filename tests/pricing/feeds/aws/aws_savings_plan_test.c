/* AWS's savings plans: for each type what an hour costs under a plan, by term and payment. */
#include "pricing/commitment.h"
#include "pricing/feeds/sources.h"

#include "tests/pricing/feeds/walk.h"

#define INDEX                                                                                    \
    "{\"disclaimer\":\"none\",\"publicationDate\":\"2025-09-11T18:44:47Z\",\"regions\":["        \
    "{\"regionCode\":\"eu-west-1\",\"versionUrl\":\"/savingsPlan/v1/eu-west-1/index.json\"},"    \
    "{\"regionCode\":\"us-east-1\",\"versionUrl\":\"/savingsPlan/v1/us-east-1/index.json\"}]}"
#define PLAN(sku, family, option, term)                                                          \
    "{\"sku\":\"" sku "\",\"productFamily\":\"" family                                           \
    "\",\"serviceCode\":\"ComputeSavingsPlans\",\"attributes\":{\"purchaseOption\":\"" option    \
    "\",\"granularity\":\"hourly\",\"purchaseTerm\":\"" term "\"}}"
#define COMPUTE(sku, option, term) PLAN(sku, "ComputeSavingsPlans", option, term)
#define FAMILY(sku, option, term) PLAN(sku, "EC2InstanceSavingsPlans", option, term)
#define RATE(plan, usage, operation, more, price)                                                \
    "{\"discountedSku\":\"SKU\",\"discountedUsageType\":\"" usage                                \
    "\",\"discountedOperation\":\"" operation                                                    \
    "\",\"discountedServiceCode\":\"AmazonEC2\",\"rateCode\":\"" plan ".SKU\"," more             \
    "\"discountedRate\":{\"price\":\"" price "\",\"currency\":\"USD\"}}"
#define HERE "\"unit\":\"Hrs\",\"discountedRegionCode\":\"us-east-1\","
#define LINUX(plan, type, price) RATE(plan, "BoxUsage:" type, "RunInstances", HERE, price)
#define PRODUCTS(plans) "\"publicationDate\":\"2025-09-11T18:44:47Z\",\"products\":[" plans "]"
#define TERM(plan, rates)                                                                        \
    "{\"sku\":\"" plan "\",\"leaseContractLength\":{\"duration\":1,\"unit\":\"year\"},"          \
    "\"rates\":[" rates "]}"
#define TERMS(terms) "\"terms\":{\"savingsPlan\":[" terms "]}"
#define FILE_OF(plans, terms) "{" PRODUCTS(plans) "," TERMS(terms) "}"

static enum reading_state read_file(struct walk *walk, const char *file)
{
    walk->chunk = 50;
    return walk_texts(walk, TEXTS(INDEX, file));
}

static void expect_price(const struct walk *walk, const char *type, enum price_kind kind,
                         const char *text, long long upfront_nanos)
{
    EXPECT_HAS(*walk_found(walk, type, "", kind), (text, text), (upfront_nanos, upfront_nanos));
}

TEST_WALK(a_plan_has_a_price_for_each_type_by_term_and_payment, aws_savings_plan, "us-east-1")
{
    static const char file[] =
        FILE_OF(THREE(COMPUTE("P1", "No Upfront", "1yr"), COMPUTE("P2", "Partial Upfront", "3yr"),
                      FAMILY("P3", "All Upfront", "1yr")),
                THREE(TERM("P1", LINUX("P1", "m5.large", "0.07")),
                      TERM("P2", LINUX("P2", "m5.large", "0.05")),
                      TERM("P3", LINUX("P3", "m5.large", "0.06"))));

    EXPECT_PRICES(read_file(walk, file), 3);
    expect_price(walk, "m5.large", PRICE_SAVINGS_PLAN_1Y, "0.07", 0);
    /* Half of it at once is the least that a buyer may choose. */
    expect_price(walk, "m5.large", PRICE_SAVINGS_PLAN_3Y_PARTIAL_UPFRONT, "0.05",
                 25000000LL * 3 * COMMITMENT_YEAR_HOURS);
    expect_price(walk, "m5.large", PRICE_INSTANCE_SAVINGS_PLAN_1Y_ALL_UPFRONT, "0.06",
                 60000000LL * COMMITMENT_YEAR_HOURS);
    EXPECT_INT(walk_found(walk, "m5.large", "", PRICE_SAVINGS_PLAN_1Y)->source_us,
               1757616287000000);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->source_us, 0); /* it is the current one */
    EXPECT_STR(price_batch_facts(walk->reading.batch)->mark,
               "/savingsPlan/v1/us-east-1/index.json");
}

TEST_WALK(the_index_of_the_region_is_followed, aws_savings_plan, "us-east-1")
{
    (void)!read_file(walk, "{}");
    EXPECT_STR(walk->requests[0].url,
               "https://pricing.us-east-1.amazonaws.com/savingsPlan/v1.0/aws/"
               "AWSComputeSavingsPlan/current/region_index.json");
    EXPECT_STR(walk->requests[1].url,
               "https://pricing.us-east-1.amazonaws.com/savingsPlan/v1/us-east-1/index.json");
}

TEST_WALK(the_sample_of_an_index_leads_to_the_file_of_a_region, aws_savings_plan, "eu-central-1")
{
    static const char *const index[] = {"aws-savingsplan-region_index.json", NULL};

    if (!walk_has_samples(index[0]))
        return;
    EXPECT_INT(walk_samples(walk, index), READING_FAILED); /* there is no second page */
    EXPECT_STR(walk->requests[1].url,
               "https://pricing.us-east-1.amazonaws.com/savingsPlan/v1.0/aws/"
               "AWSComputeSavingsPlan/20250911184447/eu-central-1/index.json");
}

TEST_WALK(the_same_version_is_not_fetched_again, aws_savings_plan, "us-east-1")
{
    walk->reading.mark = "/savingsPlan/v1/us-east-1/index.json";
    EXPECT_INT(walk_texts(walk, TEXTS(INDEX)), READING_UNCHANGED);
    EXPECT_INT(walk->asked, 1);
}

TEST_WALK(a_region_that_is_not_in_the_index_is_an_error, aws_savings_plan, "mars-north-1")
{
    EXPECT_FAILED(walk_texts(walk, TEXTS(INDEX)), "the index has no region mars-north-1");
}

TEST_WALK(rates_may_come_before_the_plans, aws_savings_plan, "us-east-1")
{
    EXPECT_READ(
        read_file(walk, "{" TERMS(TERM("P1", LINUX("P1", "m5.large", "0.07"))) "," PRODUCTS(
                            COMPUTE("P1", "No Upfront", "1yr")) "}"));
    expect_price(walk, "m5.large", PRICE_SAVINGS_PLAN_1Y, "0.07", 0);
}

/* Each of these rates gives no price; a plain one with it does. */
static void expect_only_the_plain_one(struct walk *walk, const char *const *rates,
                                      long long malformed)
{
    for (; *rates; rates++) {
        char file[2048];

        snprintf(file, sizeof file,
                 FILE_OF(COMPUTE("P1", "No Upfront", "1yr"),
                         TERM("P1", TWO("%s", LINUX("P1", "m5.large", "0.07")))),
                 *rates);
        EXPECT_PRICES(read_file(walk, file), 1);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, malformed);
        expect_price(walk, "m5.large", PRICE_SAVINGS_PLAN_1Y, "0.07", 0);
    }
}

/* What is not plain Linux on shared hardware in the region, by the hour, is no price of ours. */
TEST_WALK(what_is_not_plain_linux_is_passed_over, aws_savings_plan, "us-east-1")
{
    expect_only_the_plain_one(
        walk,
        TEXTS(RATE("P1", "BoxUsage:m5.large", "RunInstances:0002", HERE, "0.01"),
              RATE("P1", "DedicatedUsage:m5.large", "RunInstances", HERE, "0.01"),
              RATE("P1", "UnusedBox:m5.large", "RunInstances", HERE, "0.01"),
              RATE("P1", "HostBoxUsage:m5.large", "RunInstances", HERE, "0.01"),
              RATE("P1", "EUW1-BoxUsage:m5.large", "RunInstances",
                   "\"unit\":\"Hrs\",\"discountedRegionCode\":\"eu-west-1\",", "0.01"),
              RATE("P1", "EUW1-BoxUsage:m5.large", "RunInstances", "\"unit\":\"Hrs\",", "0.01"),
              "{\"discountedServiceCode\":\"AWSLambda\",\"discountedUsageType\":"
              "\"BoxUsage:m5.large\",\"discountedOperation\":\"RunInstances\",\"x\":"
              "\"AmazonEC2\"}"),
        0);
}

TEST_WALK(a_rate_that_cannot_be_read_is_counted, aws_savings_plan, "us-east-1")
{
    expect_only_the_plain_one(
        walk,
        TEXTS(LINUX("P1", "c5.large", "0"), LINUX("P1", "c5.large", "none"),
              LINUX("P1", "c5.large", "200000"),
              LINUX("P9", "c5.large", "0.05"), /* of a plan that is not sold */
              LINUX("", "c5.large", "0.05"),
              RATE("P1", "BoxUsage:c5.large", "RunInstances",
                   "\"unit\":\"Quantity\",\"discountedRegionCode\":\"us-east-1\",", "0.05"),
              RATE("P1", "BoxUsage:c5.large", "RunInstances",
                   HERE "\"discountedInstanceType\":\"c5.xlarge\",", "0.05")),
        1);
}

TEST_WALK(two_rates_for_a_type_are_none, aws_savings_plan, "us-east-1")
{
    static const char file[] =
        FILE_OF(COMPUTE("P1", "No Upfront", "1yr"),
                TERM("P1", THREE(LINUX("P1", "m5.large", "0.07"), LINUX("P1", "m5.large", "0.08"),
                                 LINUX("P1", "c5.large", "0.05"))));

    EXPECT_PRICES(read_file(walk, file), 1);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.ambiguous, 2);
}

TEST_WALK(metal_that_is_only_sold_dedicated_has_that_rate, aws_savings_plan, "us-east-1")
{
    static const char file[] =
        FILE_OF(COMPUTE("P1", "No Upfront", "1yr"),
                TERM("P1", THREE(RATE("P1", "DedicatedUsage:a.metal", "RunInstances", HERE, "2"),
                                 RATE("P1", "DedicatedUsage:b.metal", "RunInstances", HERE, "4"),
                                 LINUX("P1", "b.metal", "3"))));

    EXPECT_PRICES(read_file(walk, file), 2);
    expect_price(walk, "a.metal", PRICE_SAVINGS_PLAN_1Y, "2", 0);
    expect_price(walk, "b.metal", PRICE_SAVINGS_PLAN_1Y, "3", 0);
}

TEST_WALK(plans_of_other_kinds_are_passed_over, aws_savings_plan, "us-east-1")
{
    static const char file[] =
        FILE_OF(THREE(COMPUTE("P1", "No Upfront", "1yr"), COMPUTE("P2", "No Upfront", "5yr"),
                      PLAN("P3", "SageMakerSavingsPlans", "No Upfront", "1yr")),
                THREE(TERM("P1", LINUX("P1", "m5.large", "0.07")),
                      TERM("P2", LINUX("P2", "m5.large", "0.05")),
                      TERM("P3", LINUX("P3", "m5.large", "0.06"))));

    EXPECT_PRICES(read_file(walk, file), 1);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 0);
}

TEST_WALK(a_file_without_a_rate_or_with_a_plan_twice_is_refused, aws_savings_plan, "us-east-1")
{
    EACH(struct pair, file, {"{}", "the file has no rate that passes for Linux"},
         {FILE_OF(TWO(COMPUTE("P1", "No Upfront", "1yr"), COMPUTE("P1", "All Upfront", "1yr")),
                  TERM("P1", LINUX("P1", "m5.large", "0.07"))),
          "the plan P1 comes twice"},
         {"{" PRODUCTS(COMPUTE("P1", "No Upfront", "1yr")) "," TERMS(
              TERM("P1", LINUX("P1", "m5.large", "0.07"))),
          "the document ends in the middle"}) {
        EXPECT_FAILED(read_file(walk, file.given), file.wanted);
    }
}
