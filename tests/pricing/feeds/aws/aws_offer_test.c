/* AWS's price list as a file of a region: of all its products one price a type. */
#include "pricing/feeds/sources.h"

#include "tests/pricing/feeds/walk.h"

#define INDEX                                                                                    \
    "{\"regions\":{\"us-east-1\":{\"currentVersionUrl\":\"/v/2026/us-east-1/index.json\"},"      \
    "\"x\":{\"currentVersionUrl\":\"/v/x.json\"}}}"

static const char *const json_files[] = {"aws-region_index.reconstructed.json",
                                         "aws-ec2-index-us-east-1.reconstructed.json", NULL};
static const char *const csv_files[] = {"aws-region_index.reconstructed.json",
                                        "aws-ec2-index-us-east-1.reconstructed.csv", NULL};

#define SAMPLE_OF(ending)                                                                        \
    "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/"                         \
    "20250912225308/us-east-1/index." ending

static void expect_the_eight(struct walk *walk, const char *const *files, const char *url)
{
    static const size_t chunks[] = {0, 1, 7, 16384};

    for (size_t i = 0; i < COUNT(chunks) && walk_has_samples(files[1]); i++) {
        walk->chunk = chunks[i];
        EXPECT_PRICES(walk_samples(walk, files), 8);
        EXPECT_INT((long long)price_batch_type_count(walk->reading.batch), 8);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.ambiguous, 0);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->source_us, 1786036672000000);
        EXPECT_INT(walk_nanos(walk, "c7i.2xlarge", "", PRICE_ON_DEMAND), 357000000);
        EXPECT_INT(walk_nanos(walk, "m7i.2xlarge", "", PRICE_ON_DEMAND), 403200000);
        EXPECT_STR(walk->requests[1].url, url);
    }
}

TEST_WALK(the_sample_has_exactly_eight_prices_in_json, aws_offer, "us-east-1")
{
    expect_the_eight(walk, json_files, SAMPLE_OF("json"));
}

TEST_WALK(the_sample_has_exactly_eight_prices_in_csv, aws_offer_csv, "us-east-1")
{
    expect_the_eight(walk, csv_files, SAMPLE_OF("csv"));
}

TEST_WALK(an_older_file_of_another_region_gives_its_one_price, aws_offer, "us-east-2")
{
    size_t length;
    AUTO(freep) char *file = walk_sample("aws-ec2-index-us-east-2.json", &length);

    if (!file)
        return;
    EXPECT_READ(walk_texts(walk, TEXTS("{\"regions\":{\"us-east-2\":{"
                                       "\"currentVersionUrl\":\"/v.json\"}}}",
                                       file)));
    EXPECT_INT(walk_nanos(walk, "m5.large", "", PRICE_ON_DEMAND), 96000000);
    EXPECT_INT(walk_count(walk), 1);
}

TEST_WALK(the_same_version_is_not_fetched_again, aws_offer, "us-east-1")
{
    walk->reading.mark = "/v/2026/us-east-1/index.json";
    EXPECT_INT(walk_texts(walk, TEXTS(INDEX)), READING_UNCHANGED);
    EXPECT_INT((long long)walk->asked, 1);
}

TEST_WALK(a_region_that_is_not_in_the_index_is_an_error, aws_offer, "mars-north-1")
{
    EXPECT_FAILED(walk_texts(walk, TEXTS(INDEX)), "the index has no region mars-north-1");
}

#define PRODUCT(sku, type, family, tenancy, usage)                                               \
    "\"" sku "\":{\"sku\":\"" sku "\",\"productFamily\":\"" family "\",\"attributes\":{"         \
    "\"locationType\":\"AWS Region\",\"instanceType\":\"" type "\",\"vcpu\":\"8\",\"memory\":"   \
    "\"16 GiB\",\"physicalProcessor\":\"AWS Graviton3 Processor\",\"tenancy\":\"" tenancy        \
    "\",\"operatingSystem\":\"Linux\",\"licenseModel\":\"No License required\",\"usagetype\":"   \
    "\"" usage "\",\"operation\":\"RunInstances\",\"capacitystatus\":\"Used\",\"marketoption\":" \
    "\"OnDemand\",\"preInstalledSw\":\"NA\",\"regionCode\":\"us-east-1\"}}"
#define PLAIN(sku, type) PRODUCT(sku, type, "Compute Instance", "Shared", "BoxUsage:" type)
#define METAL(sku, type)                                                                         \
    PRODUCT(sku, type, "Compute Instance (bare metal)", "Dedicated", "DedicatedUsage:" type)
#define TERM(sku, price)                                                                         \
    "\"" sku "\":{\"" sku ".T\":{\"effectiveDate\":\"2026-08-01T00:00:00Z\","                    \
    "\"priceDimensions\":{\"" sku ".T.R\":{\"unit\":\"Hrs\",\"beginRange\":\"0\",\"endRange\":"  \
    "\"Inf\",\"rateCode\":\"" sku ".T.R\",\"pricePerUnit\":{\"USD\":\"" price "\"}}}}}"
#define PRODUCTS(list) "\"products\":{" list "}"
#define ON_DEMAND(list) "\"OnDemand\":{" list "}"
#define RESERVED "\"Reserved\":{\"A\":{\"x\":{}}}"
#define LIST(products, terms) "{" PRODUCTS(products) ",\"terms\":{" terms "}}"

static enum reading_state read_file(struct walk *walk, const char *file)
{
    return walk_texts(walk, TEXTS(INDEX, file));
}

TEST_WALK(sections_may_come_in_any_order, aws_offer, "us-east-1")
{
    EACH_TEXT(
        file,
        LIST(TWO(PLAIN("B", "c7g.large"), PLAIN("A", "c7g.2xlarge")),
             TWO(ON_DEMAND(THREE(TERM("A", "0.2"), TERM("B", "0.1"), TERM("C", "9"))), RESERVED)),
        "{\"terms\":{" TWO(
            RESERVED,
            ON_DEMAND(THREE(TERM("C", "9"), TERM("B", "0.1"),
                            TERM("A", "0.2")))) "}," PRODUCTS(TWO(PLAIN("A", "c7g.2xlarge"),
                                                                  PLAIN("B", "c7g.large"))) "}") {
        EXPECT_PRICES(read_file(walk, file), 2);
        EXPECT_STR(price_batch_type(walk->reading.batch, 0)->architecture, "arm64");
    }
}

TEST_WALK(the_reader_stops_at_the_section_reserved, aws_offer, "us-east-1")
{
    static const char file[] = LIST(
        PLAIN("A", "a.1"), TWO(ON_DEMAND(TERM("A", "0.2")), "\"Reserved\":{ this is no JSON"));

    EXPECT_PRICES(read_file(walk, file), 1);
}

TEST_WALK(two_prices_for_a_type_are_none, aws_offer, "us-east-1")
{
    static const char file[] =
        LIST(THREE(PLAIN("A", "a.1"), PLAIN("B", "a.1"), PLAIN("C", "c.1")),
             ON_DEMAND(THREE(TERM("A", "0.2"), TERM("B", "0.3"), TERM("C", "0.4"))));

    EXPECT_PRICES(read_file(walk, file), 1);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.ambiguous, 2);
}

TEST_WALK(metal_that_is_only_sold_dedicated_has_that_price, aws_offer, "us-east-1")
{
    static const char file[] =
        LIST(THREE(METAL("A", "m.metal"), METAL("B", "c.metal"),
                   PRODUCT("C", "c.metal", "Compute Instance (bare metal)", "Shared",
                           "BoxUsage:c.metal")),
             ON_DEMAND(THREE(TERM("A", "5"), TERM("B", "7"), TERM("C", "6"))));

    EXPECT_PRICES(read_file(walk, file), 2);
    EXPECT_INT(walk_nanos(walk, "c.metal", "", PRICE_ON_DEMAND), 6000000000);
    EXPECT_INT(walk_nanos(walk, "m.metal", "", PRICE_ON_DEMAND), 5000000000);
}

TEST_WALK(a_file_without_a_price_or_cut_short_is_refused, aws_offer, "us-east-1")
{
    EACH_TEXT(file, "{}", "{" PRODUCTS(PLAIN("A", "a.1")) ",\"terms\":{" ON_DEMAND("") "}}",
              "{" PRODUCTS(PLAIN("A", "a.1")) ",\"terms\":{" ON_DEMAND(TERM("A", "0")) "}}",
              "{" PRODUCTS(PLAIN("A", "a.1")) ",\"terms\":{" ON_DEMAND(TERM("A", "1"))) {
        EXPECT_FAILED_AS(read_file(walk, file), ERROR_UPSTREAM);
    }
}

/* A list in CSV: five lines before the header, and of its many columns those that are looked at.
 */
#define CSV_HEAD                                                                                 \
    "\"FormatVersion\",\"v1.0\"\na\nb\nc\nd\n"                                                   \
    "SKU,TermType,StartingRange,EndingRange,Unit,PricePerUnit,Currency,Instance Type,"           \
    "Product Family,Location Type,Tenancy,Operating System,License Model,usageType,operation,"   \
    "CapacityStatus,MarketOption,Pre Installed S/W,Region Code,vCPU,Memory\n"
#define CSV_ROW(sku, type, range, price)                                                         \
    sku ",OnDemand," range ",Hrs," price ",USD," type ",Compute Instance,AWS Region,Shared,"     \
        "Linux,No License required,BoxUsage:" type ",RunInstances,Used,OnDemand,NA,us-east-1,"   \
        "8,16 GiB\n"
#define DIMENSION(key, begin, end, price)                                                        \
    "\"" key "\":{\"unit\":\"Hrs\",\"beginRange\":\"" begin "\",\"endRange\":\"" end             \
    "\",\"rateCode\":\"" key "\",\"pricePerUnit\":{\"USD\":\"" price "\"}}"
#define DIMENSIONS(sku, list) "\"" sku "\":{\"" sku ".T\":{\"priceDimensions\":{" list "}}}"

static void expect_only_the_plain_one(struct walk *walk, const char *file)
{
    const struct price_batch_tally *tally = &price_batch_facts(walk->reading.batch)->tally;

    EXPECT_PRICES(read_file(walk, file), 1);
    EXPECT_INT(walk_nanos(walk, "c7i.2xlarge", "", PRICE_ON_DEMAND), 357000000);
    EACH_TEXT(other, "p4d.24xlarge", "tiered.large", "bounded.large")
        EXPECT(!walk_price(walk, other, "", PRICE_ON_DEMAND));
    EXPECT_HAS(*tally, (seen, 4), (unpriced, 3));
    EXPECT_INT(tally->ambiguous + tally->malformed, 0);
}

/* A price for some hours only is no price of an hour; nor is one that comes with a price of 0. */
TEST_WALK(csv_is_strict, aws_offer_csv, "us-east-1")
{
    static const char csv[] = CSV_HEAD CSV_ROW("A", "c7i.2xlarge", "0,Inf", "0.357")
        CSV_ROW("B", "p4d.24xlarge", "0,Inf", "0.0000000000")
            CSV_ROW("B", "p4d.24xlarge", "0,Inf", "32.77")
                CSV_ROW("C", "tiered.large", "0,100", "1.0")
                    CSV_ROW("C", "tiered.large", "100,Inf", "0.5")
                        CSV_ROW("D", "bounded.large", "0,100", "1.0");

    expect_only_the_plain_one(walk, csv);
    EXPECT_FAILED(read_file(walk, CSV_HEAD "A,OnDemand,more\n"),
                  "a row has 3 columns, the header 21");
    EXPECT_FAILED(read_file(walk, CSV_HEAD "A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V\n"),
                  "a row has 22 columns, the header 21");
}

TEST_WALK(json_is_as_strict, aws_offer, "us-east-1")
{
    static const char json[] =
        LIST(TWO(TWO(PLAIN("A", "c7i.2xlarge"), PLAIN("B", "p4d.24xlarge")),
                 TWO(PLAIN("C", "tiered.large"), PLAIN("D", "bounded.large"))),
             ON_DEMAND(TWO(TWO(DIMENSIONS("A", DIMENSION("R", "0", "Inf", "0.357")),
                               DIMENSIONS("B", TWO(DIMENSION("R", "0", "Inf", "0.0000000000"),
                                                   DIMENSION("S", "0", "Inf", "32.77")))),
                           TWO(DIMENSIONS("C", TWO(DIMENSION("R", "0", "100", "1.0"),
                                                   DIMENSION("S", "100", "Inf", "0.5"))),
                               DIMENSIONS("D", DIMENSION("R", "0", "100", "1.0"))))));

    expect_only_the_plain_one(walk, json);
}

/* China has a host of its own, and its list another path and another currency. */
TEST_WALK(the_list_of_china_is_in_its_currency, aws_offer, "cn-north-1")
{
    static const char file[] =
        "{\"products\":{\"A\":{\"sku\":\"A\",\"productFamily\":\"Compute Instance\","
        "\"attributes\":{\"locationType\":\"AWS Region\",\"instanceType\":\"m5.large\","
        "\"vcpu\":\"2\",\"memory\":\"8 GiB\",\"tenancy\":\"Shared\",\"operatingSystem\":"
        "\"Linux\",\"licenseModel\":\"No License required\",\"usagetype\":"
        "\"CNN1-BoxUsage:m5.large\",\"operation\":\"RunInstances\",\"capacitystatus\":"
        "\"Used\","
        "\"marketoption\":\"OnDemand\",\"preInstalledSw\":\"NA\",\"regionCode\":"
        "\"cn-north-1\"}}},\"terms\":{\"OnDemand\":{\"A\":{\"A.T\":{\"priceDimensions\":{"
        "\"A.T.R\":{\"unit\":\"Hrs\",\"beginRange\":\"0\",\"endRange\":\"Inf\","
        "\"pricePerUnit\":{\"CNY\":\"0.74\"}}}}}}}}";

    walk->reading.url = "https://pricing.cn-north-1.amazonaws.com.cn";
    EXPECT_READ(walk_texts(walk, TEXTS("{\"regions\":{\"cn-north-1\":{\"currentVersionUrl\":"
                                       "\"/offers/v1.0/cn/AmazonEC2/1/cn-north-1/index.json\"}}}",
                                       file)));
    EXPECT_STR(walk->requests[0].url,
               "https://pricing.cn-north-1.amazonaws.com.cn/offers/v1.0/cn/"
               "AmazonEC2/current/region_index.json");
    EXPECT_HAS(*walk_found(walk, "m5.large", "", PRICE_ON_DEMAND), (nanos, 740000000),
               (currency, "CNY"));
}

/* Versions of clang-format differ about strings that macros are put together with. */
/* clang-format off */
#define CLASS(class, length, option, dimensions)                                                 \
    "{\"priceDimensions\":{" dimensions                                                          \
    "},\"termAttributes\":{\"LeaseContractLength\":\"" length                                    \
    "\",\"OfferingClass\":\"" class "\",\"PurchaseOption\":\"" option "\"}}"
#define STANDARD(length, option, dimensions) CLASS("standard", length, option, dimensions)
#define AMOUNT(unit, price)                                                                      \
    "\"" unit "\":{\"unit\":\"" unit "\",\"pricePerUnit\":{\"USD\":\"" price "\"}}"
#define HOURLY(price) AMOUNT("Hrs", price)
#define ONCE(price) AMOUNT("Quantity", price)
#define FILE_OF(reserved)                                                                        \
    LIST(THREE(PLAIN("A", "a.1"), PLAIN("B", "b.1"), METAL("M", "m.metal")),                     \
         TWO(ON_DEMAND(THREE(TERM("A", "0.2"), TERM("B", "0.3"), TERM("M", "9"))),               \
             "\"Reserved\":{" reserved "}"))

static enum reading_state read_committed(struct walk *walk, const char *file)
{
    walk->reading.committed = true;
    walk->chunk = 64;
    return walk_texts(walk, TEXTS(INDEX, file));
}

static void expect_nanos(const struct walk *walk, const char *type, enum price_kind kind,
                         long long nanos, long long upfront_dollars)
{
    EXPECT_HAS(*walk_found(walk, type, "", kind), (nanos, nanos),
               (upfront_nanos, upfront_dollars * 1000000000));
}

static void expect_two_reserved(struct walk *walk, const char *const *files)
{
    if (!walk_has_samples(files[1]))
        return;
    walk->reading.committed = true;
    EXPECT_PRICES(walk_samples(walk, files), 10);
    expect_nanos(walk, "c7i.2xlarge", PRICE_ON_DEMAND, 357000000, 0);
    expect_nanos(walk, "c7i.2xlarge", PRICE_RESERVED_1Y_NO_UPFRONT, 236100000, 0);
    expect_nanos(walk, "c7i.2xlarge", PRICE_RESERVED_1Y_ALL_UPFRONT, 220319635, 1930);
    EXPECT_STR(price_batch_facts(walk->reading.batch)->mark,
               "+/offers/v1.0/aws/AmazonEC2/20250912225308/us-east-1/index.json");
}

TEST_WALK(the_sample_has_two_prices_of_reserved_instances_in_json, aws_offer, "us-east-1")
{
    expect_two_reserved(walk, json_files);
}

TEST_WALK(the_sample_has_two_prices_of_reserved_instances_in_csv, aws_offer_csv, "us-east-1")
{
    expect_two_reserved(walk, csv_files);
}

TEST_WALK(reserved_instances_are_prices_of_their_own, aws_offer, "us-east-1")
{
    static const char file[] = FILE_OF(
        "\"A\":{\"A.1\":" STANDARD("1yr", "No Upfront", HOURLY("0.12"))
        ",\"A.2\":" STANDARD("3yr", "Partial Upfront", TWO(HOURLY("0.05"), ONCE("1314")))
        ",\"A.3\":" STANDARD("3yr", "All Upfront", TWO(HOURLY("0.0000000000"), ONCE("2365.2")))
        ",\"A.4\":" CLASS("convertible", "1yr", "No Upfront", HOURLY("0.14"))
        ",\"A.5\":" STANDARD("5yr", "No Upfront", HOURLY("0.01"))
        "},\"X\":{\"X.1\":" STANDARD("1yr", "No Upfront", HOURLY("0.1"))
        "},\"M\":{\"M.1\":" STANDARD("1yr", "No Upfront", HOURLY("5")) "}");

    EXPECT_PRICES(read_committed(walk, file), 3 + 5);
    expect_nanos(walk, "a.1", PRICE_CONVERTIBLE_1Y_NO_UPFRONT, 140000000, 0);
    expect_nanos(walk, "a.1", PRICE_ON_DEMAND, 200000000, 0);
    expect_nanos(walk, "a.1", PRICE_RESERVED_1Y_NO_UPFRONT, 120000000, 0);
    expect_nanos(walk, "a.1", PRICE_RESERVED_3Y_PARTIAL_UPFRONT, 100000000, 1314);
    expect_nanos(walk, "m.metal", PRICE_RESERVED_1Y_NO_UPFRONT, 5000000000, 0);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 0);
}

TEST_WALK(a_reserved_price_that_cannot_be_read_is_none, aws_offer, "us-east-1")
{
    EACH_TEXT(term, FILE_OF("\"A\":{\"1\":" STANDARD("1yr", "No Upfront", HOURLY("0")) "}"),
        FILE_OF("\"A\":{\"1\":" STANDARD("1yr", "No Upfront", HOURLY("many")) "}"),
        FILE_OF("\"A\":{\"1\":" STANDARD("1yr", "No Upfront", HOURLY("0.1") "," ONCE("5")) "}"),
        FILE_OF("\"A\":{\"1\":" STANDARD("1yr", "All Upfront", HOURLY("0.1") "," ONCE("5")) "}"),
        FILE_OF("\"A\":{\"1\":" STANDARD("1yr", "Partial Upfront", HOURLY("0.1")) "}"),
        FILE_OF("\"A\":{\"1\":" STANDARD("1yr", "No Upfront", HOURLY("0.1")) ",\"2\":" STANDARD(
            "1yr", "No Upfront", HOURLY("0.1")) "}")) {
        EXPECT_PRICES(read_committed(walk, term), 3);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 1);
    }
}

TEST_WALK(reserved_terms_before_the_products_are_passed_over, aws_offer, "us-east-1")
{
    static const char file[] =
        "{\"terms\":{\"Reserved\":{\"A\":{\"1\":" STANDARD("1yr", "No Upfront", HOURLY("0.1"))
        "}}," ON_DEMAND(TERM("A", "0.2")) "}," PRODUCTS(PLAIN("A", "a.1")) "}";

    EXPECT_PRICES(read_committed(walk, file), 1);
}

/* clang-format on */
