#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define HEAD "{\"BillingCurrency\":\"USD\",\"Items\":["

/* A row that is wanted; with something said otherwise where `change` says so. */
static json_t *row(int number, const char *change)
{
    char meter[40], sku[40];
    AUTO(json_decrefp) json_t *changes = json_loads(change, 0, NULL);

    snprintf(meter, sizeof meter, "meter-%d", number);
    snprintf(sku, sizeof sku, "DZH/%04d", number);
    json_t *item = json_pack(
        "{s:s,s:f,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "currencyCode", "USD", "retailPrice",
        0.5, "armRegionName", "eastus", "effectiveStartDate", "2024-05-01T00:00:00Z", "meterId",
        meter, "skuId", sku, "productName", "Virtual Machines Dsv5 Series", "skuName", "D2s v5",
        "serviceName", "Virtual Machines", "unitOfMeasure", "1 Hour", "type", "Consumption",
        "armSkuName", "Standard_D2s_v5");
    EXPECT(item && changes && json_object_update(item, changes) == 0);
    return item;
}

/* A page of rows, each with a change; the caller frees it. */
static char *page_of(const char *const *changes, const char *next)
{
    AUTO(json_decrefp) json_t *items = json_array();
    int number = 0;

    for (; *changes; changes++)
        json_array_append_new(items, row(++number, *changes));
    AUTO(json_decrefp)
    json_t *page = json_pack("{s:s,s:O,s:s?,s:i}", "BillingCurrency", "USD", "Items", items,
                             "NextPageLink", next, "Count", number);
    return json_dumps(page, 0);
}

static enum reading_state walk_rows(struct walk *walk, const char *const *changes)
{
    AUTO(freep) char *text = page_of(changes, NULL);

    return walk_texts(walk, TEXTS(text));
}

/* A row with each of these changes is no price; another row is one. */
static void expect_no_price(struct walk *walk, const char *const *changes, long long malformed)
{
    for (; *changes; changes++) {
        EXPECT_PRICES(walk_rows(walk, TEXTS(*changes, "{\"armSkuName\":\"Standard_D4s_v5\"}")),
                      1);
        if (walk_count(walk) != 1)
            printf("       %s\n", *changes);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, malformed);
    }
}

static const char *const samples[] = {"azure-retail-page1.json", "azure-retail-page2.json", NULL};

TEST_WALK(of_thirteen_rows_of_one_machine_four_are_its_prices, azure_retail, "australiacentral")
{
    if (!walk_has_samples(samples[0]))
        return;
    EACH(size_t, chunk, 0, 1, 7, 1000) {
        walk->chunk = chunk;
        EXPECT_PRICES(walk_samples(walk, samples), 6);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.seen, 13);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 0);
        EXPECT_HAS(*walk_found(walk, "Standard_B16als_v2", "", PRICE_ON_DEMAND),
                   (nanos, 673000000), (text, "0.673"), (region, "australiacentral"),
                   (currency, "USD"), (reference, "25385797-d48b-5b47-9e0c-6ee37b6b9a8d"),
                   (provider, "azure"), (source_us, 1693526400000000LL)); /* 2023-09-01 */
        EXPECT_HAS(*walk_found(walk, "Standard_B16als_v2", "", PRICE_SPOT), (nanos, 605700000),
                   (text, "0.6057"));
        /* 3478 dollars for 8760 hours */
        EXPECT_HAS(*walk_found(walk, "Standard_B16als_v2", "", PRICE_RESERVED_1Y_NO_UPFRONT),
                   (nanos, 397031963), (upfront_nanos, 0));
        EXPECT_INT(walk_nanos(walk, "Standard_B16als_v2", "", PRICE_RESERVED_3Y_NO_UPFRONT),
                   255745814); /* 6721 dollars for 26280 hours */
        EXPECT_STR(walk_amount(walk, "Standard_B16als_v2", "", PRICE_SAVINGS_PLAN_1Y), "0.49129");
        EXPECT_STR(walk_amount(walk, "Standard_B16als_v2", "", PRICE_SAVINGS_PLAN_3Y), "0.34323");
    }
}

#define RESERVATION                                                                              \
    "\"type\":\"Reservation\",\"armSkuName\":\"Standard_D4s_v5\",\"retailPrice\":876.0"

TEST_WALK(a_reservation_is_no_price_by_the_hour, azure_retail, "eastus")
{
    EXPECT_PRICES(walk_rows(walk, TEXTS("{}", "{" RESERVATION ",\"reservationTerm\":\"1 Year\"}",
                                        "{" RESERVATION ",\"reservationTerm\":\"5 Years\"}",
                                        "{" RESERVATION ",\"reservationTerm\":\"\"}")),
                  2);
    EXPECT_INT(walk_nanos(walk, "Standard_D4s_v5", "", PRICE_RESERVED_1Y_NO_UPFRONT), 100000000);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 0);
}

/* Both terms have one meter, and may have one SKU. */
TEST_WALK(two_terms_of_one_sku_are_two_rows, azure_retail, "eastus")
{
    static const char same[] = "\"meterId\":\"m\",\"skuId\":\"s\"";
    char first[200], second[200];

    snprintf(first, sizeof first, "{" RESERVATION ",%s,\"reservationTerm\":\"1 Year\"}", same);
    snprintf(second, sizeof second, "{" RESERVATION ",%s,\"reservationTerm\":\"3 Years\"}", same);
    EXPECT_PRICES(walk_rows(walk, TEXTS("{\"meterId\":\"m\",\"skuId\":\"s\"}", first, second)),
                  3);
}

TEST_WALK(a_commitment_that_cannot_be_read_is_counted, azure_retail, "eastus")
{
    EACH_TEXT(change, "{" RESERVATION ",\"reservationTerm\":\"1 Year\",\"retailPrice\":0}",
              "{" RESERVATION ",\"reservationTerm\":\"1 Year\",\"retailPrice\":\"7\"}",
              "{" RESERVATION ",\"reservationTerm\":\"1 Year\",\"retailPrice\":1e30}",
              "{" RESERVATION ",\"reservationTerm\":\"3 Years\",\"retailPrice\":-1}",
              "{\"savingsPlan\":[{\"term\":\"1 Year\",\"retailPrice\":0}]}",
              "{\"savingsPlan\":[{\"term\":\"5 Years\",\"retailPrice\":0.1}]}",
              "{\"savingsPlan\":[7]}") {
        EXPECT_READ(walk_rows(walk, TEXTS(change, "{\"armSkuName\":\"Standard_D8s_v5\"}")));
        EXPECT(!walk_price(walk, "Standard_D4s_v5", "", PRICE_RESERVED_1Y_NO_UPFRONT));
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 1);
    }
}

TEST_WALK(the_first_page_is_requested_with_a_filter_and_the_second_by_its_link, azure_retail,
          "australiacentral")
{
    if (!walk_has_samples(samples[0]))
        return;
    walk_samples(walk, samples);
    EXPECT_INT(walk->asked, 2);
    EXPECT_STR(
        walk->requests[0].url,
        "https://prices.azure.com/api/retail/prices?api-version=2023-01-01-preview"
        "&$filter=serviceName%20eq%20%27Virtual%20Machines%27%20and%20armRegionName%20eq%20"
        "%27australiacentral%27%20and%20%28priceType%20eq%20%27Consumption%27%20or%20"
        "priceType%20eq%20%27Reservation%27%29");
    EXPECT_STR(
        walk->requests[1].url,
        "https://prices.azure.com:443/api/retail/prices?api-version=2023-01-01-preview"
        "&$filter=serviceName%20eq%20%27Virtual%20Machines%27%20and%20armRegionName%20eq%20"
        "%27australiacentral%27&$skip=1000");
    EXPECT(!walk->requests[0].credentials && walk->bodies[0][0] == '\0');
}

/* A region that is misspelt has an empty list, and no error: to us it is one. */
TEST_WALK(a_list_without_a_price_is_a_failure_that_says_why, azure_retail, "eastuss")
{
    EXPECT_FAILED_AS(walk_texts(walk, TEXTS("{\"BillingCurrency\":\"USD\",\"Items\":[],"
                                            "\"NextPageLink\":null,\"Count\":0}")),
                     ERROR_UPSTREAM);
    EXPECT_STR(walk->err.message, "it lists nothing for the region 'eastuss': is that how Azure "
                                  "writes it, like eastus2?");
    EXPECT_FAILED(
        walk_rows(walk, TEXTS("{\"currencyCode\":\"EUR\"}",
                              "{\"currencyCode\":\"EUR\",\"skuName\":\"D2s v5 Spot\"}")),
        "its prices are in EUR, and only USD is read (2 of 2 entries)");
    EXPECT_FAILED(walk_rows(walk, TEXTS("{\"productName\":\"Virtual Machines Windows\"}")),
                  "none of its 1 entries is a price of an hour of Linux that can be taken");
}

TEST_WALK(rows_other_than_public_hourly_linux_prices_are_left_out, azure_retail, "eastus")
{
    expect_no_price(
        walk,
        TEXTS("{\"type\":\"Reservation\"}", "{\"type\":\"DevTestConsumption\"}",
              "{\"reservationTerm\":\"1 Year\"}", "{\"unitOfMeasure\":\"1 Month\"}",
              "{\"unitOfMeasure\":\"100 Hours\"}", "{\"currencyCode\":\"EUR\"}",
              "{\"productName\":\"Virtual Machines Dsv5 Series Windows\"}",
              "{\"productName\":\"Dsv5 Series Cloud Services\"}",
              "{\"productName\":\"Dsv5 Series CloudServices\"}",
              "{\"productName\":\"Dsv5 Series Dedicated Host\"}", "{\"productName\":\"\"}",
              "{\"skuName\":\"D2s v5 Low Priority\"}", "{\"skuName\":\"D2s v5 Spot Something\"}",
              "{\"skuName\":null}", "{\"armSkuName\":\"\"}", "{\"armRegionName\":\"eastus2\"}",
              "{\"serviceName\":\"Virtual Machines Licenses\"}",
              "{\"effectiveEndDate\":\"2026-09-01T00:00:00Z\"}",
              "{\"effectiveStartDate\":\"2026-10-01T00:00:00Z\"}", "{\"tierMinimumUnits\":100}"),
        0);
}

TEST_WALK(an_unreadable_row_is_counted_and_gives_no_price, azure_retail, "eastus")
{
    expect_no_price(walk,
                    TEXTS("{\"retailPrice\":0}", "{\"retailPrice\":0.0}", "{\"retailPrice\":-1}",
                          "{\"retailPrice\":1e9}", "{\"retailPrice\":\"0.5\"}",
                          "{\"retailPrice\":null}", "{\"meterId\":\"\"}", "{\"skuId\":7}",
                          "{\"armSkuName\":\"Standard\\u00e9\"}",
                          "{\"effectiveStartDate\":\"soon\"}", "{\"effectiveEndDate\":5}"),
                    1);
}

TEST_WALK(a_price_may_be_a_whole_number_and_end_in_the_future, azure_retail, "eastus")
{
    EXPECT_READ(walk_rows(walk, TEXTS("{\"retailPrice\":84,\"skuName\":\"D2s v5 Spot\","
                                      "\"effectiveEndDate\":\"2027-01-01T00:00:00Z\"}")));
    EXPECT_HAS(*walk_found(walk, "Standard_D2s_v5", "", PRICE_SPOT), (nanos, 84000000000LL),
               (text, "84"));
    EXPECT(!walk_price(walk, "Standard_D2s_v5", "", PRICE_ON_DEMAND));
}

TEST_WALK(two_prices_for_one_machine_are_none, azure_retail, "eastus")
{
    EXPECT_PRICES(walk_rows(walk, TEXTS("{}", "{\"retailPrice\":0.25}",
                                        "{\"armSkuName\":\"Standard_D4s_v5\"}")),
                  1);
    EXPECT(!walk_price(walk, "Standard_D2s_v5", "", PRICE_ON_DEMAND));
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.ambiguous, 2);
}

TEST_WALK(a_row_that_comes_twice_means_that_the_list_changed_meanwhile, azure_retail, "eastus")
{
    AUTO(freep) char *first = page_of(TEXTS("{}"), "https://prices.azure.com/p?2");
    AUTO(freep)
    char *second = page_of(TEXTS("{\"productName\":\"Virtual Machines Windows\"}"), NULL);

    EXPECT_FAILED_AS(walk_texts(walk, TEXTS(first, second)), ERROR_BUSY); /* to be tried again */
}

TEST_WALK(a_meter_may_have_a_past_and_a_future, azure_retail, "eastus")
{
    static const char past[] = "{\"meterId\":\"m\",\"skuId\":\"s\",\"retailPrice\":9,"
                               "\"effectiveEndDate\":\"2026-01-01T00:00:00Z\"}";
    static const char now[] = "{\"meterId\":\"m\",\"skuId\":\"s\"}";
    static const char future[] = "{\"meterId\":\"m\",\"skuId\":\"s\",\"retailPrice\":8,"
                                 "\"effectiveStartDate\":\"2027-01-01T00:00:00Z\"}";

    EXPECT_READ(walk_rows(walk, TEXTS(past, now, future)));
    EXPECT_INT(walk_nanos(walk, "Standard_D2s_v5", "", PRICE_ON_DEMAND), 500000000);
}

struct link {
    const char *at, *to;
};

static enum reading_state walk_link(struct walk *walk, const char *url, const char *link)
{
    AUTO(freep) char *first = page_of(TEXTS("{}"), link);
    AUTO(freep)
    char *second =
        page_of(TEXTS("{\"meterId\":\"other\",\"armSkuName\":\"Standard_D4s_v5\"}"), NULL);

    walk->reading.url = url;
    return walk_texts(walk, TEXTS(first, second));
}

TEST_WALK(links_lead_on_only_within_the_host_that_was_asked, azure_retail, "eastus")
{
    static const char here[] = "https://prices.azure.com/api/retail/prices";

    EACH(struct link, link, {here, "https://prices.azure.com/a?$skip=1"},
         {here, "https://prices.azure.com:443/a?$skip=1"},
         {here, "HTTPS://Prices.Azure.com/a?$skip=1"},
         {"http://127.0.0.1:9999/x", "http://127.0.0.1:9999/a"},
         {"http://127.0.0.1", "http://127.0.0.1:80/a"},
         {"http://[::1]:9999", "http://[::1]:9999?a"}) {
        EXPECT_READ(walk_link(walk, link.at, link.to));
        EXPECT_STR(walk->requests[1].url, link.to);
    }
    EACH(struct link, link, {here, "http://prices.azure.com/a"},
         {here, "https://prices.azure.com:444/a"},
         {here, "https://prices.azure.com.example.org/a"},
         {here, "https://prices.azure.com@example.org/a"},
         {here, "https://example.org\\@prices.azure.com/a"},
         {here, "https://example.org/https://prices.azure.com/a"}, {here, "//prices.azure.com/a"},
         {here, "/api/retail/prices?$skip=1"}, {here, "https:///a"}, {here, "file:///etc/passwd"},
         {here, "https://prices.azure.com/a b"},
         {here, "https://prices.azure.com/a\r\nX-Header: b"},
         {"http://127.0.0.1:9999", "http://127.0.0.1:9998/a"},
         {"http://127.0.0.1:9999", "https://prices.azure.com/a"}) {
        EXPECT_FAILED_AS(walk_link(walk, link.at, link.to), ERROR_UPSTREAM);
        EXPECT_INT(walk->asked, 1);
    }
}

TEST_WALK(a_link_that_is_too_long_is_not_cut, azure_retail, "eastus")
{
    char link[FETCH_URL_MAX + 100] = "https://prices.azure.com/a?";

    memset(link + strlen(link), 'x', FETCH_URL_MAX);
    EXPECT_INT(walk_link(walk, azure_retail.url, link), READING_FAILED);
    EXPECT_INT(walk->asked, 1);
}

#define LEADS_TO(page)                                                                           \
    HEAD "],\"NextPageLink\":\"https://prices.azure.com:443/" page "\",\"Count\":0}"

/* How many pages there may be is in pages_test.c. */
TEST_WALK(a_link_that_was_followed_before_is_a_failure_and_no_end, azure_retail, "eastus")
{
    EXPECT_INT(walk_texts(walk, TEXTS(LEADS_TO("a"), LEADS_TO("b"), LEADS_TO("a"))),
               READING_FAILED);
    EXPECT_INT(walk->asked, 3);
    EXPECT_PART(walk->err.message, "circles");
}

TEST_WALK(a_page_that_is_not_whole_or_has_another_shape_is_a_failure, azure_retail, "eastus")
{
    walk_failures(walk,
                  TEXTS("", "not json", "{}", "[]", "{\"Error\":{\"Code\":\"BadRequest\"}}",
                        HEAD "{}", HEAD "{}]", HEAD "{}],\"Count\":2}", HEAD "],\"Count\":1}",
                        HEAD "{}],\"Count\":\"1\"}", HEAD "{\"a\":1,\"a\":2}],\"Count\":1}",
                        HEAD "],\"Count\":0,\"NextPageLink\":5}"));
    EXPECT_FAILED(
        walk_texts(walk, TEXTS(HEAD "],\"Count\":0,\"NextPageLink\":\"https://prices.azure"
                                    ".com/a\",\"NextPageLink\":\"\"}")),
        "a page has two links to the next");
    EXPECT_FAILED(
        walk_texts(walk, TEXTS("{\"BillingCurrency\":\"EUR\",\"Items\":[],\"Count\":0}")),
        "the prices are in 'EUR', not in USD");
}

TEST_WALK(a_region_that_is_no_word_is_refused, azure_retail, "")
{
    EACH_TEXT(name, "", "East US", "eastus' or 'a' eq 'a", "../x") {
        snprintf(walk->reading.scope.name, sizeof walk->reading.scope.name, "%s", name);
        EXPECT_FAILED_AS(walk_texts(walk, TEXTS("{}")), ERROR_INVALID);
        EXPECT_INT(walk->asked, 0);
    }
}
