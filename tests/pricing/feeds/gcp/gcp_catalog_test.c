/* Google's billing catalog: what cores and memory cost, and what that makes of machine types. */
#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

/* An entry of the list as Google writes it; members that a test does not name are as for an N1
 * core on demand. */
struct sku {
    const char *id, *description, *group, *usage, *regions, *unit, *tiers, *family;
    const char *conversion, *more; /* more: a second price after the first */
};

#define TIER(units, nanos)                                                                       \
    "{\"startUsageAmount\":0,\"unitPrice\":{\"currencyCode\":\"USD\"," units "\"nanos\":" nanos  \
    "}}"
#define CORE TIER("\"units\":\"0\",", "31611000")
#define RAM TIER("\"units\":\"0\",", "4237000")
#define IOWA "[\"us-central1\"]"
#define CORE_NAME "N1 Predefined Instance Core running in Americas"
#define RAM_NAME "N1 Predefined Instance Ram running in Americas"

static const char *or_else(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* A page of these entries; the caller frees it. */
static char *page(const struct sku *skus, size_t count, const char *next)
{
    struct bytes bytes = {.limit = 1024 * 1024};

    EXPECT(bytes_printf(&bytes, "{\"skus\":["));
    for (size_t i = 0; i < count; i++) {
        const struct sku *sku = &skus[i];

        EXPECT(bytes_printf(
            &bytes,
            "%s{\"skuId\":\"%s\",\"description\":\"%s\",\"category\":{\"resourceFamily\":\"%s\","
            "\"resourceGroup\":\"%s\",\"usageType\":\"%s\"},\"serviceRegions\":%s,"
            "\"pricingInfo\":[{\"effectiveTime\":\"2026-08-0%zuT10:00:00.000Z\","
            "\"pricingExpression\":{\"usageUnit\":\"%s\",\"tieredRates\":[%s]},"
            "\"currencyConversionRate\":%s}%s]}",
            i ? "," : "", or_else(sku->id, "AAAA"), or_else(sku->description, CORE_NAME),
            or_else(sku->family, "Compute"), or_else(sku->group, "N1Standard"),
            or_else(sku->usage, "OnDemand"), or_else(sku->regions, IOWA), i % 9 + 1,
            or_else(sku->unit, "h"), or_else(sku->tiers, CORE), or_else(sku->conversion, "1"),
            or_else(sku->more, "")));
    }
    EXPECT(bytes_printf(&bytes, "],\"nextPageToken\":\"%s\"}", next));
    return bytes.data;
}

/* With the RAM that belongs to the core, so that there are prices. */
static const struct sku ram = {
    .id = "BBBB", .description = RAM_NAME, .unit = "GiBy.h", .tiers = RAM};

static enum reading_state walk_skus(struct walk *walk, const struct sku *skus, size_t count)
{
    AUTO(freep) char *text = page(skus, count, "");

    return walk_texts(walk, TEXTS(text));
}

/* What n1-highcpu-64 costs after these entries and a good one for memory; "" for nothing. */
static const char *price_after(struct walk *walk, const struct sku *skus, size_t count)
{
    struct sku all[8] = {ram};

    memcpy(all + 1, skus, count * sizeof *skus);
    walk_skus(walk, all, count + 1);
    return walk_amount(walk, "n1-highcpu-64", "", PRICE_ON_DEMAND);
}

#define PRICE_AFTER(walk, ...)                                                                   \
    price_after((walk), (const struct sku[]){__VA_ARGS__},                                       \
                COUNT(((const struct sku[]){__VA_ARGS__})))

static struct price_batch_tally tally_of(struct walk *walk)
{
    return price_batch_facts(walk->reading.batch)->tally;
}

/* clang-format off */
#define CPU_FOR(years, usage_, nanos)                                                            \
    {                                                                                            \
        .description = "Commitment v1: N2 Cpu in Americas for " years, .group = "CPU",           \
        .usage = usage_, .tiers = TIER("", nanos)                                                \
    }
#define RAM_FOR(years, usage_, nanos)                                                            \
    {                                                                                            \
        .description = "Commitment v1: N2 Ram in Americas for " years, .group = "RAM",           \
        .usage = usage_, .unit = "GiBy.h", .tiers = TIER("", nanos)                              \
    }
/* clang-format on */

TEST_WALK(committed_use_is_a_price_where_all_parts_have_one, gcp_catalog, "")
{
    static const struct sku skus[] = {
        {.description = CORE_NAME},
        {.description = RAM_NAME, .unit = "GiBy.h", .tiers = RAM},
        CPU_FOR("1 Year", "Commit1Yr", "19560000"),
        RAM_FOR("1 Year", "Commit1Yr", "2626000"),
        CPU_FOR("3 Year", "Commit3Yr", "14000000"), /* without memory */
        RAM_FOR("3 Year", "Commit1Yr", "1"),        /* its category says otherwise */
    };

    EXPECT_READ(walk_skus(walk, skus, COUNT(skus)));
    EXPECT_STR(walk_amount(walk, "n2-standard-4", "", PRICE_COMMITTED_USE_1Y), "0.120256");
    EXPECT(!walk_price(walk, "n2-standard-4", "", PRICE_COMMITTED_USE_3Y));
    EXPECT(!walk_price(walk, "n2-standard-4", "", PRICE_ON_DEMAND));
    EXPECT(walk_price(walk, "n1-highcpu-64", "", PRICE_ON_DEMAND) != NULL);
    EXPECT(!walk_price(walk, "n1-highcpu-64", "", PRICE_COMMITTED_USE_1Y));
    EXPECT_INT(tally_of(walk).malformed, 1);
}

/* clang-format off */
#define PART_FOR(description_, group_, unit_, nanos)                                             \
    {                                                                                            \
        .description = "Commitment v1: " description_ " in Iowa for 1 Year", .group = group_,    \
        .usage = "Commit1Yr", .unit = unit_, .tiers = TIER("", nanos)                            \
    }
/* clang-format on */

/* GPUs and local SSD have commitments of their own; a machine has one where all its parts have.
 */
TEST_WALK(committed_use_counts_gpus_and_local_ssd, gcp_catalog, "")
{
    static const struct sku skus[] = {
        {.description = CORE_NAME},
        {.description = RAM_NAME, .unit = "GiBy.h", .tiers = RAM},
        PART_FOR("A2 Cpu", "CPU", "h", "20000000"),
        PART_FOR("A2 Ram", "RAM", "GiBy.h", "2000000"),
        PART_FOR("Nvidia Tesla A100 GPU running", "GPU", "h", "500000000"),
        PART_FOR("C3 Cpu", "CPU", "h", "10000000"),
        PART_FOR("C3 Ram", "RAM", "GiBy.h", "1000000"),
        {.description = "Commitment v1: Local SSD in Iowa for 1 Year",
         .family = "Storage",
         .group = "LocalSSD",
         .usage = "Commit1Yr",
         .unit = "GiBy.mo",
         .tiers = TIER("", "73000000")},
    };

    EXPECT_READ(walk_skus(walk, skus, COUNT(skus)));
    EXPECT_INT(tally_of(walk).malformed, 0);
    /* 12 x 0.02 + 85 x 0.002 + 0.5 */
    EXPECT_STR(walk_amount(walk, "a2-highgpu-1g", "", PRICE_COMMITTED_USE_1Y), "0.91");
    /* 4 x 0.01 + 16 x 0.001 + 375 x 0.0001 */
    EXPECT_STR(walk_amount(walk, "c3-standard-4-lssd", "", PRICE_COMMITTED_USE_1Y), "0.0935");
    /* Their 80 GiB GPUs are sold with a commitment only on request. */
    EXPECT(!walk_price(walk, "a2-ultragpu-1g", "", PRICE_COMMITTED_USE_1Y));
}

TEST_WALK(samples_give_the_known_prices_and_no_decoys, gcp_catalog, "")
{
    static const char *const names[] = {"gcp-skus-n1.reconstructed.json",
                                        "gcp-skus-lastpage.reconstructed.json", NULL};
    const struct price *price;
    size_t position = 0;

    if (!walk_has_samples(names[0]))
        return;
    for (size_t chunk = 0; chunk < 4; chunk++) {
        walk->chunk = chunk * chunk * chunk;
        EXPECT_READ(walk_samples(walk, names));
        EXPECT_INT((long long)walk->asked, 2);
        EXPECT_HAS(*walk_found(walk, "n1-highcpu-64", "", PRICE_ON_DEMAND), (text, "2.2671552"),
                   (nanos, 2267155200), (reference, "2E27-4F75-95CD+RECO-0000-0001"));
        EXPECT_HAS(*walk_found(walk, "n1-highcpu-64", "", PRICE_SPOT), (text, "0.629568"),
                   (reference, "RECO-0000-0002+RECO-0000-0003"));
        /* 22 types of N1, in three regions, two kinds; in Finland only the core is known. */
        EXPECT_INT(walk_count(walk), 22 * 3 * 2);
        EXPECT_INT((long long)price_batch_type_count(walk->reading.batch), 22);
    }
    while ((price = price_batch_next(walk->reading.batch, &position)) != NULL) {
        EXPECT(strncmp(price->instance_type, "n1-", 3) == 0);
        EXPECT(strcmp(price->region, "europe-north1") != 0);
        EXPECT_HAS(*price, (currency, "USD"), (feed, "gcp-billing-catalog"));
    }
    EXPECT_INT(tally_of(walk).seen, 10);
    EXPECT_INT(tally_of(walk).malformed + tally_of(walk).ambiguous, 0);
}

TEST_WALK(a_price_is_the_sum_of_cores_and_memory, gcp_catalog, "")
{
    const struct sku skus[] = {{.id = "CORE", .regions = "[\"us-central1\",\"us-east1\"]"}, ram};

    EXPECT_READ(walk_skus(walk, skus, COUNT(skus)));
    EXPECT_INT(walk_count(walk), 22); /* not in us-east1 */
    /* 0.031611 + 3.75 x 0.004237, and the later of two times */
    EXPECT_HAS(*walk_found(walk, "n1-standard-1", "", PRICE_ON_DEMAND), (text, "0.04749975"),
               (region, "us-central1"), (provider, "gcp"), (reference, "CORE+BBBB"),
               (source_us, 1785664800000000));
    EXPECT(!walk_price(walk, "n1-standard-1", "", PRICE_SPOT));
    const struct instance_type *type = price_batch_type(walk->reading.batch, 0);
    EXPECT_HAS(*type, (name, "n1-standard-1"), (architecture, "x86_64"), (vcpus, 1),
               (memory_gib, 3.75));
}

TEST_WALK(less_than_a_nano_is_rounded, gcp_catalog, "")
{
    const struct sku skus[] = {
        {.id = "CORE"},
        {.id = "RAM", .description = RAM_NAME, .unit = "GiBy.h", .tiers = TIER("", "3333333")}};

    EXPECT_READ(walk_skus(walk, skus, COUNT(skus)));
    /* 0.031611 + 0.01249999875 */
    EXPECT_STR(walk_amount(walk, "n1-standard-1", "", PRICE_ON_DEMAND), "0.044110999");
}

TEST_WALK(the_key_travels_in_a_header_only, gcp_catalog, "")
{
    AUTO(freep) char *first = page(&ram, 1, "a+b/c=");
    AUTO(freep) char *last = page(&(struct sku){.id = "X"}, 1, "");

    EXPECT_READ(walk_texts(walk, TEXTS(first, last)));
    EXPECT_STR(walk->requests[0].url,
               "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
               "?currencyCode=USD&pageSize=5000");
    EXPECT_STR(walk->requests[1].url,
               "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
               "?currencyCode=USD&pageSize=5000&pageToken=a%2Bb%2Fc%3D");
    for (size_t i = 0; i < 2; i++) {
        EXPECT_STR(walk->requests[i].headers[0], "X-Goog-Api-Key: key-for-tests");
        EXPECT_STR(walk->requests[i].headers[1], "");
        EXPECT(!walk->requests[i].credentials);
    }
    walk->reading.key = "";
    EXPECT_FAILED_AS(walk_texts(walk, TEXTS(last)), ERROR_INVALID);
    EXPECT_STR(walk->err.field, "key");
}

TEST_WALK(money_is_units_and_nanos, gcp_catalog, "")
{
    /* 64 x 2.933908 + 57.6 x 0.004237 */
    EXPECT_STR(PRICE_AFTER(walk, {.tiers = TIER("\"units\":\"2\",", "933908000")}),
               "188.0141632");
    EXPECT_STR(PRICE_AFTER(walk, {.tiers = TIER("", "31611000")}), "2.2671552");
    EXPECT_STR(PRICE_AFTER(walk, {.tiers = "{\"unitPrice\":{\"currencyCode\":\"USD\","
                                           "\"units\":\"1\"}}"}),
               "64.2440512");
}

TEST_WALK(what_is_no_price_by_the_hour_in_dollars_is_none, gcp_catalog, "")
{
    static const char *const tiers[] = {
        "",
        CORE "," CORE,
        "{\"startUsageAmount\":0,\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"0\","
        "\"nanos\":0}},{\"startUsageAmount\":1,\"unitPrice\":{\"currencyCode\":\"USD\","
        "\"units\":\"0\",\"nanos\":31611000}}",
        TIER("\"units\":\"0\",", "0"),
        TIER("\"units\":\"0\",", "-31611000"),
        TIER("\"units\":\"-1\",", "31611000"),
        TIER("\"units\":0,", "31611000"),
        TIER("\"units\":\"\",", "31611000"),
        TIER("\"units\":\"1e1\",", "31611000"),
        TIER("\"units\":\"700\",", "0"),
        TIER("\"units\":\"99999999999999999999\",", "31611000"),
        TIER("\"units\":\"0\",", "1000000000"),
        TIER("\"units\":\"0\",", "0.5"),
        TIER("\"units\":\"0\",", "\"31611000\""),
        TIER("\"units\":null,", "31611000"),
        "{\"startUsageAmount\":10,\"unitPrice\":{\"currencyCode\":\"USD\",\"nanos\":5}}",
        "{\"unitPrice\":{\"currencyCode\":\"EUR\",\"nanos\":5}}",
        "{\"unitPrice\":{\"nanos\":5}}",
        "{\"unitPrice\":{\"currencyCode\":\"USD\"}}",
        "{}",
        "7",
    };

    for (size_t i = 0; i < COUNT(tiers); i++) {
        EXPECT_STR(PRICE_AFTER(walk, {.tiers = tiers[i]}), "");
        EXPECT_INT(tally_of(walk).malformed, 1);
        /* With a good entry as well, it is not known which of the two is meant. */
        EXPECT_STR(PRICE_AFTER(walk, {.tiers = tiers[i]}, {.id = "GOOD"}), "");
        EXPECT_STR(PRICE_AFTER(walk, {.id = "GOOD"}, {.tiers = tiers[i]}), "");
    }
    EXPECT_STR(PRICE_AFTER(walk, {.unit = "mo"}), "");
    EXPECT_STR(PRICE_AFTER(walk, {.conversion = "1.0"}), "2.2671552");
    EXPECT_STR(PRICE_AFTER(walk, {.conversion = "0.9"}), "");
    EXPECT_STR(PRICE_AFTER(walk, {.conversion = "\"1\""}), "");
    EXPECT_STR(PRICE_AFTER(walk, {.more = ",{}"}), "");
    EXPECT_STR(PRICE_AFTER(walk, {.unit = "GiBy.h"}), "");
}

TEST_WALK(words_must_agree_on_what_it_is, gcp_catalog, "")
{
    EACH(struct sku, wrong,
         {.description = "Spot Preemptible " CORE_NAME}, /* but the usage is OnDemand */
         {.description = "Preemptible " CORE_NAME}, {.usage = "Preemptible"},
         {.usage = "Commit1Yr"}, {.usage = ""}, {.group = "CPU"}, {.group = "GPU"},
         {.family = "Network"}, {.regions = "[]"}, {.regions = "\"us-central1\""},
         {.regions = "[\"global\"]"}, {.regions = "[7]"}) {
        EXPECT_STR(PRICE_AFTER(walk, wrong), "");
        EXPECT_INT(tally_of(walk).malformed, 1);
        EXPECT(!walk_price(walk, "n1-highcpu-64", "", PRICE_SPOT));
        /* It is dropped; it does not speak of the component that another one names. */
        EXPECT_STR(PRICE_AFTER(walk, wrong, {.id = "GOOD"}), "2.2671552");
    }
}

TEST_WALK(two_prices_for_one_component_are_none, gcp_catalog, "")
{
    static const struct sku other = {.tiers = TIER("", "31611001")};

    EXPECT_STR(PRICE_AFTER(walk, {.id = "ONE"}, {.id = "TWO"}), "2.2671552"); /* the same */
    EXPECT_INT(tally_of(walk).ambiguous, 0);
    EXPECT_STR(PRICE_AFTER(walk, {.id = "ONE"}, other), "");
    EXPECT_INT(tally_of(walk).ambiguous, 2);
    EXPECT_STR(PRICE_AFTER(walk, {.id = "ONE"}, other, {.id = "ONE"}), ""); /* nor a third */
    EXPECT_INT(tally_of(walk).ambiguous, 3);
    /* Elsewhere there is only one of them. */
    EXPECT_STR(PRICE_AFTER(walk, {.id = "ONE"}, {.regions = "[\"us-east1\"]", .tiers = RAM}),
               "2.2671552");
}

TEST_WALK(pages_go_on_until_the_token_is_empty_or_absent, gcp_catalog, "")
{
    AUTO(freep) char *first = page(&ram, 1, "two");
    AUTO(freep) char *empty = page(&ram, 0, "three");
    AUTO(freep) char *last = page(&(struct sku){.id = "X"}, 1, "");

    EXPECT_PRICES(walk_texts(walk, TEXTS(first, empty, last)), 22);
    *strstr(last, ",\"nextPageToken\"") = '}';
    *(strchr(last, '\0') - strlen("\"nextPageToken\":\"\"}")) = '\0';
    EXPECT_READ(walk_texts(walk, TEXTS(first, empty, last)));
    EXPECT_INT((long long)walk->asked, 3);
}

TEST_WALK(a_page_has_one_token, gcp_catalog, "")
{
    const struct sku skus[] = {ram, {.id = "X"}};
    AUTO(freep) char *text = page(skus, COUNT(skus), "\",\"nextPageToken\":\"");

    EXPECT_FAILED_AS(walk_texts(walk, TEXTS(text)), ERROR_UPSTREAM);
}

/* How many pages there may be is in pages_test.c. */
TEST_WALK(pages_that_lead_back_are_a_failure, gcp_catalog, "")
{
    AUTO(freep) char *first = page(&ram, 1, "two");
    AUTO(freep) char *second = page(&(struct sku){.id = "X"}, 1, "three");

    EXPECT_INT(walk_texts(walk, TEXTS(first, second, first)), READING_FAILED);
    EXPECT_PART(walk->err.message, "circles");
    EXPECT_INT((long long)walk->err.kind, ERROR_UPSTREAM);
    EXPECT_INT(walk_count(walk), 0);
}

TEST_WALK(other_documents_are_a_failure, gcp_catalog, "")
{
    walk_failures(walk, TEXTS("{}", "[]", "{\"skus\":[]}", "{\"skus\":[],\"nextPageToken\":\"\"}",
                              "{\"skus\":[],\"nextPageToken\":7}",
                              "{\"skus\":[],\"nextPageToken\":\"\",\"nextPageToken\":\"\"}",
                              "{\"skus\":[{\"a\":\" running in \",}],\"nextPageToken\":\"\"}",
                              "{\"skus\":[{\"skuId\":\"A\"", "{\"error\":{\"code\":403}}",
                              "<html>", ""));
}

TEST_WALK(a_refusal_is_never_read_as_prices, gcp_catalog, "")
{
    static const char *const names[] = {"gcp-error-nokey.json", NULL};

    if (!walk_has_samples(names[0]))
        return;
    EXPECT_FAILED(walk_samples(walk, names), "the page is an error instead of prices");
}

TEST_WALK(an_entry_that_is_too_large_is_a_failure, gcp_catalog, "")
{
    AUTO(freep) char *huge = calloc(1, 70000);
    struct sku skus[] = {ram, {.id = "X"}, {.description = huge}};

    memset(huge, 'x', 69999);
    EXPECT_READ(walk_skus(walk, skus, 2));
    EXPECT_FAILED_AS(walk_skus(walk, skus, 3), ERROR_UPSTREAM);
}
