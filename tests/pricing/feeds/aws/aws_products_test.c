#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define PAGE(list, token)                                                                        \
    "{\"FormatVersion\":\"aws_v1\",\"NextToken\":\"" token "\",\"PriceList\":[" list "]}"

/* A product that is wanted in us-east-1, with other attributes and terms where these say so. */
static json_t *product(const char *attributes, const char *price)
{
    AUTO(json_decrefp) json_t *changes = json_loads(attributes, 0, NULL);
    AUTO(json_decrefp)
    json_t *all = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "operatingSystem", "Linux",
        "tenancy", "Shared", "preInstalledSw", "NA", "capacitystatus", "Used", "marketoption",
        "OnDemand", "licenseModel", "No License required", "operation", "RunInstances",
        "usagetype", "BoxUsage:c7i.2xlarge", "locationType", "AWS Region", "regionCode",
        "us-east-1", "instanceType", "c7i.2xlarge", "vcpu", "8", "memory", "16 GiB");

    EXPECT(changes && all && json_object_update(all, changes) == 0);
    return json_pack("{s:s,s:{s:s,s:s,s:O},s:{s:{s:{s:s,s:{s:{s:s,s:s,s:s,s:s,s:{s:s}}}}}}}",
                     "publicationDate", "2026-08-06T17:17:52Z", "product", "sku", "SKU",
                     "productFamily", "Compute Instance", "attributes", all, "terms", "OnDemand",
                     "SKU.T", "effectiveDate", "2026-08-01T00:00:00Z", "priceDimensions",
                     "SKU.T.R", "rateCode", "SKU.T.R", "unit", "Hrs", "beginRange", "0",
                     "endRange", "Inf", "pricePerUnit", "USD", price);
}

/* One page of products, each of them JSON in a text. */
static char *page_of(json_t *const *products, size_t count)
{
    AUTO(json_decrefp) json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        AUTO(freep) char *text = json_dumps(products[i], 0);

        json_array_append_new(list, json_string(text));
        json_decref(products[i]);
    }
    AUTO(json_decrefp)
    json_t *page = json_pack("{s:s,s:O}", "FormatVersion", "aws_v1", "PriceList", list);
    return json_dumps(page, 0);
}

static enum reading_state walk_products(struct walk *walk, json_t *const *products, size_t count)
{
    AUTO(freep) char *text = page_of(products, count);

    return walk_texts(walk, TEXTS(text));
}

static const char *const samples[] = {"aws-getproducts-page1.json", "aws-getproducts-page2.json",
                                      NULL};

TEST_WALK(of_two_pages_one_product_is_the_price_on_demand, aws_products, "us-east-1")
{
    static const size_t chunks[] = {0, 1, 13, 4096};

    for (size_t i = 0; i < COUNT(chunks) && walk_has_samples(samples[0]); i++) {
        walk->chunk = chunks[i];
        EXPECT_PRICES(walk_samples(walk, samples), 1);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.seen, 3);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->source_us, 1665004602000000LL);
        EXPECT_HAS(*walk_found(walk, "m5.large", "", PRICE_ON_DEMAND), (nanos, 96000000),
                   (text, "0.0960000000"), (reference, "6C86BEPQVG73ZGGR.JRTCKXETXF.6YS6EN2CT7"),
                   (region, "us-east-1"), (source_us, 1593561600000000LL)); /* 2020-07-01 */
        EXPECT_NEAR(price_batch_type(walk->reading.batch, 0)->memory_gib, 8, 0);
    }
}

TEST_WALK(an_unknown_machine_has_no_price, aws_products, "ap-southeast-1")
{
    if (!walk_has_samples("aws-getproducts-cli-doc-example.json"))
        return;
    walk_samples(walk, TEXTS("aws-getproducts-cli-doc-example.json", samples[1]));
    EXPECT_INT(walk_count(walk), 0);
}

TEST_WALK(it_asks_in_json_and_signed_for_where_the_service_is, aws_products, "ap-southeast-1")
{
    walk->reading.url = "https://api.pricing.eu-central-1.amazonaws.com";
    EXPECT_READ(walk_texts(walk, TEXTS(PAGE("", "next\\\"=="), PAGE("", ""))));
    EXPECT_HAS(*walk, (asked, 2),
               (requests[0].url, "https://api.pricing.eu-central-1.amazonaws.com/"),
               (requests[0].headers[0], "Content-Type: application/x-amz-json-1.1"),
               (requests[0].headers[1], "X-Amz-Target: AWSPriceListService.GetProducts"),
               (requests[0].service, "pricing"), (requests[0].region, "eu-central-1"));
    EXPECT(walk->requests[0].credentials == &walk->credentials);
    AUTO(json_decrefp) json_t *first = json_loads(walk->bodies[0], 0, NULL);
    AUTO(json_decrefp) json_t *second = json_loads(walk->bodies[1], 0, NULL);
    EXPECT_STR(source_text(first, "ServiceCode"), "AmazonEC2");
    EXPECT(!json_object_get(first, "NextToken"));
    EXPECT_STR(source_text(second, "NextToken"), "next\"==");
    const json_t *filters = json_object_get(first, "Filters");
    EXPECT(json_equal(filters, json_object_get(second, "Filters")));
    EXPECT_INT((long long)json_array_size(filters), 6);
    EXPECT_STR(source_text(json_array_get(filters, 0), "Type"), "TERM_MATCH");
    EXPECT_STR(source_text(json_array_get(filters, 0), "Field"), "regionCode");
    EXPECT_STR(source_text(json_array_get(filters, 0), "Value"), "ap-southeast-1");
}

TEST_WALK(the_signature_is_for_us_east_1_where_the_address_has_no_region, aws_products,
          "us-west-2")
{
    EACH_TEXT(url, "http://127.0.0.1:9999", "https://api.pricing.",
              "https://api.pricing.EU_1.amazonaws.com") {
        walk->reading.url = url;
        EXPECT_READ(walk_texts(walk, TEXTS(PAGE("", ""))));
        EXPECT_STR(walk->requests[0].region, "us-east-1");
    }
}

TEST_WALK(regions_of_other_partitions_are_refused, aws_products, "")
{
    EACH_TEXT(region, "cn-north-1", "us-gov-west-1", "us-iso-east-1", "", "US East") {
        snprintf(walk->reading.scope.name, sizeof walk->reading.scope.name, "%s", region);
        EXPECT_FAILED_AS(walk_texts(walk, TEXTS(PAGE("", ""))), ERROR_INVALID);
        EXPECT_INT(walk->asked, 0);
    }
}

TEST_WALK(without_credentials_nothing_is_asked, aws_products, "us-east-1")
{
    walk->reading.credentials = NULL;
    EXPECT_FAILED_AS(walk_texts(walk, TEXTS(PAGE("", ""))), ERROR_UNABLE);
}

/* What is wanted is in aws_selection_test.c. */
TEST_WALK(a_filter_that_the_service_ignored_is_applied_here, aws_products, "us-east-1")
{
    EXPECT_PRICES(walk_products(walk,
                                (json_t *[]){product("{\"tenancy\":\"Dedicated\"}", "0.357"),
                                             product("{\"regionCode\":\"us-west-2\"}", "0.357")},
                                2),
                  0);
}

TEST_WALK(prices_of_0_and_future_prices_are_counted_and_left_out, aws_products, "us-east-1")
{
    json_t *later = product("{}", "0.357");

    json_object_set_new(
        json_object_get(json_object_get(json_object_get(later, "terms"), "OnDemand"), "SKU.T"),
        "effectiveDate", json_string("2027-01-01T00:00:00Z"));
    EXPECT_PRICES(walk_products(walk, (json_t *[]){product("{}", "0.0000000000"), later}, 2), 0);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 2);

    json_t *termless = product("{}", "1");
    json_object_del(termless, "terms");
    EXPECT_READ(walk_products(walk, (json_t *[]){termless}, 1));
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.unpriced, 1);
}

TEST_WALK(two_products_for_one_type_are_no_price, aws_products, "us-east-1")
{
    EXPECT_PRICES(walk_products(walk,
                                (json_t *[]){product("{}", "0.357"), product("{}", "0.4"),
                                             product("{\"instanceType\":\"c7i.large\"}", "0.1")},
                                3),
                  1);
    EXPECT(!walk_price(walk, "c7i.2xlarge", "", PRICE_ON_DEMAND));
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.ambiguous, 2);
}

/* How many pages there may be is in pages_test.c. */
TEST_WALK(a_token_that_comes_again_is_a_failure, aws_products, "us-east-1")
{
    EXPECT_INT(walk_texts(walk, TEXTS(PAGE("", "a"), PAGE("", "b"), PAGE("", "a"))),
               READING_FAILED);
    EXPECT_HAS(*walk, (asked, 3), (err.kind, ERROR_UPSTREAM));
}

TEST_WALK(an_answer_of_another_shape_is_a_failure, aws_products, "us-east-1")
{
    walk_failures(walk, TEXTS("", "{}", "{\"PriceList\":[]}",
                              "{\"FormatVersion\":\"aws_v2\",\"PriceList\":[]}",
                              "{\"FormatVersion\":\"aws_v1\",\"PriceList\":[",
                              "{\"FormatVersion\":\"aws_v1\",\"PriceList\":[],\"NextToken\":7}",
                              PAGE("{}", ""), PAGE("7", ""), PAGE("\"\"", ""), PAGE("\"{\"", ""),
                              PAGE("\"{\\\"a\\\":1,\\\"a\\\":2}\"", ""),
                              "{\"__type\":\"AccessDeniedException\",\"Message\":\"no\"}"));
}
