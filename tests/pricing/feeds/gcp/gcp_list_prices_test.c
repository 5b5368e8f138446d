/* What Google's billing catalog makes of machine types, held against Google's page of list
 * prices. */
#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

/* What a part costs in Iowa, in nanos; its description without the place. */
struct part {
    const char *description, *group, *unit;
    long long nanos;
};

#define PAIR(called, core, gib)                                                                  \
    {called " Core", "CPU", "h", core},                                                          \
    {                                                                                            \
        called " Ram", "RAM", "GiBy.h", gib                                                      \
    }

/* Rates of Iowa, worked out of Google's page of list prices (seen in 2026), which gives the sums
 * below; of some families the page gives one sum alone, and the parts are any that make them. */
static const struct part iowa[] = {
    PAIR("C4A Arm Instance", 30860000, 3510000),
    PAIR("C4D Instance", 32703500, 3495578),
    PAIR("C4 Instance", 34650000, 3938000),
    PAIR("N4A Instance", 30000000, 2567500),
    PAIR("N4D Instance", 29000000, 3337500),
    PAIR("E2 Instance", 21811590, 2923530),
    PAIR("Memory-optimized Instance", 34800000, 5100000),
    PAIR("Memory Optimized Upgrade Premium for Memory-optimized Instance", 4524000, 663000),
    PAIR("M3 Memory-optimized Instance", 34800000, 5100000),
    PAIR("M4 Instance", 18278400, 4570000),
    PAIR("M4Ultramem224 Instance", 52590000, 4987200),
    PAIR("H3 Instance", 44110000, 2960000),
    PAIR("Z3 Instance", 54895500, 6000000),
    PAIR("A2 Instance", 31611000, 4237000),
    PAIR("G2 Instance", 24988009, 2927500),
    PAIR("G4 Instance", 20000000, 2000000),
    {"Micro Instance with burstable CPU", "F1Micro", "h", 7600000},
    {"Small Instance with 1 VCPU", "G1Small", "h", 25700000},
    {"Nvidia Tesla A100 GPU", "GPU", "h", 2933908000},
    {"Nvidia Tesla A100 80GB GPU", "GPU", "h", 3928080000},
    {"Nvidia L4 GPU", "GPU", "h", 560040240},
    {"RTX 6000 96GB", "GPU", "h", 3179930000},
    {"C4A Instance Local SSD", "LocalSSD", "GiBy.mo", 120000000},
    {"C4D Instance Local SSD", "LocalSSD", "GiBy.mo", 160000000},
    {"C4 Instance Local SSD", "LocalSSD", "GiBy.mo", 160000000},
    {"SSD backed Local Storage", "LocalSSD", "GiBy.mo", 80000000},
};

/* The list prices of that page. */
static const struct {
    const char *type, *text;
} list_prices[] = {
    {"c4a-standard-1", "0.0449"},
    {"c4a-highmem-72", "4.24368"},
    {"c4a-highcpu-48", "1.81824"},
    {"c4a-standard-4-lssd", "0.241243836"},
    {"c4a-highmem-72-lssd", "5.22998137"},
    {"c4d-highmem-2", "0.11784067"},
    {"c4d-highmem-4", "0.239176918"},
    {"c4d-highmem-384", "23.128771872"},
    {"c4d-highcpu-2", "0.075893734"},
    {"c4d-highcpu-4", "0.155283046"},
    {"c4d-highcpu-8", "0.31406167"},
    {"c4d-standard-384", "17.759564064"},
    {"c4d-standard-384-metal", "17.927351808"},
    {"c4d-highcpu-384-metal", "15.242747904"},
    {"c4d-highmem-384-metal", "23.296559616"},
    {"c4d-standard-8-lssd", "0.452182699"},
    {"c4d-highmem-64-lssd", "4.347945997"},
    {"c4-highmem-144", "9.384408"},
    {"c4-highcpu-24", "1.020624"},
    {"c4-highcpu-288", "12.247488"},
    {"c4-standard-4-lssd", "0.279861781"},
    {"c4-standard-32-lssd", "1.992318904"},
    {"c4-highmem-288-lssd", "22.714021479"},
    {"z3-highmem-14-standardlssd", "1.769304123"},
    {"z3-highmem-176-standardlssd", "22.054813479"},
    {"z3-highmem-22-highlssd", "3.25000237"},
    {"z3-highmem-88-highlssd", "13.000009479"},
    {"n4a-highmem-8", "0.40432"},
    {"n4a-highmem-64", "3.23456"},
    {"n4d-standard-2", "0.0847"},
    {"n4d-standard-96", "4.0656"},
    {"e2-micro", "0.008376428"},
    {"e2-small", "0.016752855"},
    {"e2-medium", "0.03350571"},
    {"f1-micro", "0.0076"},
    {"g1-small", "0.0257"},
    {"m1-ultramem-40", "6.2931"},
    {"m1-megamem-96", "10.65216"},
    {"m2-ultramem-208", "42.111936"},
    {"m2-megamem-416", "50.291328"},
    {"m2-hypermem-416", "67.2576"},
    {"m3-ultramem-32", "6.0912"},
    {"m3-megamem-128", "14.4096"},
    {"m4-ultramem-112", "15.6475008"},
    {"m4-megamem-28", "2.2118352"},
    {"m4-hypermem-64", "5.7032576"},
    {"h3-standard-88", "4.9236"},
    {"a2-highgpu-1g", "3.673385"},
    {"a2-highgpu-8g", "29.38708"},
    {"a2-megagpu-16g", "55.739504"},
    {"a2-ultragpu-1g", "5.06879789"},
    {"a2-ultragpu-8g", "40.550383123"},
    {"g2-standard-4", "0.706832276"},
    {"g2-standard-12", "1.000416348"},
    {"g2-standard-24", "2.000832696"},
    {"g2-standard-32", "1.734376528"},
    {"g2-standard-96", "8.003330784"},
    {"g4-standard-48", "4.49993"},
    {"g4-standard-384", "35.99944"},
};

/* A page of these parts, on demand; the caller frees it. */
static char *page_of_parts(const struct part *parts, size_t count)
{
    struct bytes bytes = {.limit = 1024 * 1024};

    EXPECT(bytes_printf(&bytes, "{\"skus\":["));
    for (size_t i = 0; i < count; i++) {
        bool is_disk = strncmp(parts[i].description, "SSD", 3) == 0;

        EXPECT(bytes_printf(
            &bytes,
            "%s{\"skuId\":\"%zu\",\"description\":\"%s%s\",\"category\":{\"resourceFamily\":"
            "\"%s\",\"resourceGroup\":\"%s\",\"usageType\":\"OnDemand\"},\"serviceRegions\":"
            "[\"us-central1\"],\"pricingInfo\":[{\"effectiveTime\":\"2026-08-01T10:00:00Z\","
            "\"pricingExpression\":{\"usageUnit\":\"%s\",\"tieredRates\":[{\"startUsageAmount\":"
            "0,"
            "\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"%lld\",\"nanos\":%lld}}]},"
            "\"currencyConversionRate\":1}]}",
            i ? "," : "", i, parts[i].description, is_disk ? "" : " running in Americas",
            is_disk ? "Storage" : "Compute", parts[i].group, parts[i].unit,
            parts[i].nanos / 1000000000, parts[i].nanos % 1000000000));
    }
    EXPECT(bytes_printf(&bytes, "]}"));
    return bytes.data;
}

TEST_WALK(sums_of_parts_are_the_list_prices, gcp_catalog, "")
{
    AUTO(freep) char *text = page_of_parts(iowa, COUNT(iowa));

    EXPECT_READ(walk_texts(walk, TEXTS(text)));
    const struct price_batch_tally *tally = &price_batch_facts(walk->reading.batch)->tally;
    EXPECT_INT(tally->malformed + tally->ambiguous, 0);
    for (size_t i = 0; i < COUNT(list_prices); i++) {
        const struct price *price = walk_price(walk, list_prices[i].type, "", PRICE_ON_DEMAND);

        EXPECT_STR(price ? price->text : list_prices[i].type, list_prices[i].text);
    }
}

/* Without one of its parts a type has no price, rather than a price without the part. */
TEST_WALK(a_type_without_one_of_its_parts_has_no_price, gcp_catalog, "")
{
    static const struct {
        const char *type, *lacks;
    } rows[] = {
        {"g2-standard-4", "Nvidia L4 GPU"},
        {"a2-highgpu-1g", "Nvidia Tesla A100 GPU"},
        {"a2-ultragpu-1g", "SSD backed Local Storage"},
        {"c4a-standard-4-lssd", "C4A Instance Local SSD"},
        {"z3-highmem-88-highlssd", "SSD backed Local Storage"},
        {"m2-ultramem-208", "Memory Optimized Upgrade Premium for Memory-optimized Instance Ram"},
        {"m2-ultramem-208", "Memory-optimized Instance Core"},
        {"m4-ultramem-224", "M4Ultramem224 Instance Core"},
        {"g4-standard-48", "RTX 6000 96GB"},
        {"f1-micro", "Micro Instance with burstable CPU"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct part parts[COUNT(iowa)];
        size_t count = 0;

        for (size_t j = 0; j < COUNT(iowa); j++)
            if (strcmp(iowa[j].description, rows[i].lacks) != 0)
                parts[count++] = iowa[j];
        EXPECT_INT((long long)count, (long long)COUNT(iowa) - 1);

        AUTO(freep) char *text = page_of_parts(parts, count);

        EXPECT_READ(walk_texts(walk, TEXTS(text)));
        EXPECT(!walk_price(walk, rows[i].type, "", PRICE_ON_DEMAND));
    }
}

TEST_WALK(a_price_by_the_month_and_one_by_the_hour_are_two, gcp_catalog, "")
{
    static const struct part parts[] = {
        PAIR("C4A Arm Instance", 30860000, 3510000),
        {"C4A Instance Local SSD", "LocalSSD", "GiBy.mo", 120000000},
        {"C4A Instance Local SSD", "LocalSSD", "GiBy.h", 120000000},
    };

    for (size_t count = 3; count <= 4; count++) {
        AUTO(freep) char *text = page_of_parts(parts, count);

        EXPECT_READ(walk_texts(walk, TEXTS(text)));
        EXPECT_HAS(*walk_found(walk, "c4a-standard-4-lssd", "", PRICE_ON_DEMAND),
                   (text, count == 3 ? "0.241243836" : ""),
                   (reference, count == 3 ? "0+1+2" : ""));
        EXPECT(walk_price(walk, "c4a-standard-4", "", PRICE_ON_DEMAND) != NULL);
    }
}
