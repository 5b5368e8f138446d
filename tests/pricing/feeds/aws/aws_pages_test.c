/* The public pages of AWS: spot, on demand, and how often spot is interrupted. */
#include "pricing/feeds/sources.h"

#include "tests/pricing/feeds/walk.h"

#define SPOT_HEAD "{\"config\":{\"rate\":\"perhr\",\"currencies\":[\"USD\"],\"regions\":["
#define SPOT_SIZE(type, price)                                                                   \
    "{\"size\":\"" type "\",\"valueColumns\":[{\"name\":\"linux\",\"prices\":{\"USD\":\"" price  \
    "\"}},{\"name\":\"mswin\",\"prices\":{\"USD\":\"0.0001\"}}]}"
#define SPOT_REGION(name, sizes)                                                                 \
    "{\"region\":\"" name "\",\"instanceTypes\":[{\"type\":\"a\",\"sizes\":[]},"                 \
    "{\"type\":\"b\",\"sizes\":[" sizes "]}]}"

TEST_WALK(a_sample_of_the_spot_page_gives_each_linux_price_once, aws_spot_page, "")
{
    static const size_t chunks[] = {0, 1, 7, 4096};

    for (size_t i = 0; i < COUNT(chunks) && walk_has_samples("aws-spot.json"); i++) {
        walk->chunk = chunks[i];
        walk->response.last_modified_us = 1786000000000000;
        EXPECT_READ(walk_samples(walk, TEXTS("aws-spot.json")));
        EXPECT_INT(walk_count(walk), 39); /* 44 entries, five of them twice */
        EXPECT_HAS(*price_batch_facts(walk->reading.batch), (tally.seen, 44),
                   (tally.ambiguous, 0), (source_us, 1786000000000000));
    }
}

TEST_WALK(spot_prices_are_linux_and_exponents_are_numbers, aws_spot_page, "")
{
    EXPECT_READ(walk_texts(
        walk, TEXTS(SPOT_HEAD SPOT_REGION("af-south-1", SPOT_SIZE("t3.nano", "9.0E-4")) "]}}")));
    EXPECT_HAS(*walk_found(walk, "t3.nano", "", PRICE_SPOT), (nanos, 900000), (text, "9.0E-4"),
               (region, "af-south-1"), (currency, "USD"), (feed, "aws-spot-page"));
}

TEST_WALK(a_type_without_one_clear_price_has_none, aws_spot_page, "")
{
    static const char page[] = SPOT_HEAD SPOT_REGION(
        "r", THREE(TWO(SPOT_SIZE("a.x", "N/A*"), SPOT_SIZE("b.x", "0")),
                   THREE(SPOT_SIZE("c.x", "1"), SPOT_SIZE("c.x", "2"), SPOT_SIZE("c.x", "1")),
                   THREE(SPOT_SIZE("d.x", "3"), SPOT_SIZE("d.x", "3.0"),
                         SPOT_SIZE("e.x", "1,5")))) "]}}";
    struct price_batch_tally *tally;

    EXPECT_READ(walk_texts(walk, TEXTS(page)));
    tally = &price_batch_facts(walk->reading.batch)->tally;
    EXPECT_INT(walk_count(walk), 1);
    EXPECT(walk_price(walk, "d.x", "", PRICE_SPOT) != NULL);
    EXPECT(walk_price(walk, "c.x", "", PRICE_SPOT) == NULL);
    EXPECT_HAS(*tally, (unpriced, 1), (malformed, 2), (ambiguous, 3));
}

TEST_WALK(another_shape_is_refused, aws_spot_page, "")
{
    walk_failures(
        walk, TEXTS("{\"config\":{\"rate\":\"perday\",\"currencies\":[\"USD\"],\"regions\":[]}}",
                    "{\"config\":{\"rate\":\"perhr\",\"currencies\":[\"CNY\"],\"regions\":[]}}",
                    "{\"config\":{\"rate\":\"perhr\",\"currencies\":[\"USD\"],\"regions\":[{}]}}",
                    "{}", "callback({})", SPOT_HEAD "]}", ""));
}

TEST_WALK(a_sample_of_the_on_demand_page_gives_its_rows, aws_on_demand_page, "us-east-1")
{
    if (!walk_has_samples("aws-ondemand-unitmap-us-east-1-Linux.json"))
        return;
    snprintf(walk->reading.scope.address, sizeof walk->reading.scope.address,
             "US East (N. Virginia)");
    EXPECT_PRICES(walk_samples(walk, TEXTS("aws-ondemand-unitmap-us-east-1-Linux.json")), 26);
    EXPECT_INT((long long)price_batch_type_count(walk->reading.batch), 26);
    EXPECT_STR(walk->requests[0].url,
               "https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/"
               "ec2-ondemand-without-sec-sel/US%20East%20%28N.%20Virginia%29/Linux/index.json");
    const struct price *price = walk_found(walk, "c7i.4xlarge", "", PRICE_ON_DEMAND);
    EXPECT_HAS(*price, (nanos, 714000000), (text, "0.7140000000"),
               (reference, "MDCEERAZ4UHT28VS.JRTCKXETXF.6YS6EN2CT7"));
    /* 2026-08-06T17:17:52Z */
    EXPECT_INT(price_batch_facts(walk->reading.batch)->source_us, 1786036672000000);
}

#define MAP(location, listed, rows)                                                              \
    "{\"manifest\":{\"currencyCode\":\"USD\"},\"sets\":{\"x\":[" listed                          \
    "]},\"regions\":{\"" location "\":{" rows "}}}"
#define ROW(key, system, software, price)                                                        \
    "\"" key "\":{\"Instance Type\":\"" key "\",\"price\":\"" price                              \
    "\",\"Operating System\":\"" system "\",\"Pre Installed S/W\":\"" software                   \
    "\",\"License Model\":\"No License required\",\"vCPU\":\"8\",\"Memory\":\"1,952.5 GiB\"}"

static enum reading_state read_map(struct walk *walk, const char *page)
{
    snprintf(walk->reading.scope.address, sizeof walk->reading.scope.address, "Place");
    return walk_texts(walk, TEXTS(page));
}

TEST_WALK(only_plain_linux_counts, aws_on_demand_page, "r-1")
{
    EXPECT_PRICES(read_map(walk, MAP("Place", "1,2,3,4",
                                     ROW("a.1", "Linux", "NA", "0.5") "," ROW(
                                         "b.1", "Windows", "NA", "0.5") "," ROW("c.1", "Linux",
                                                                                "SQL", "1") "," //
                                     ROW("d.1", "Linux", "NA", "0.0000000000"))),
                  1);
    EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.malformed, 1);
    EXPECT_NEAR(price_batch_type(walk->reading.batch, 0)->memory_gib, 1952.5, 0);
    EXPECT_NEAR(price_batch_type(walk->reading.batch, 0)->vcpus, 8, 0);
}

TEST_WALK(a_page_with_rows_missing_or_of_another_place_is_refused, aws_on_demand_page, "r-1")
{
    EXPECT_FAILED(read_map(walk, MAP("Place", "1,2", ROW("a.1", "Linux", "NA", "0.5"))),
                  "it lists 2 rows and has 1");
    EXPECT_FAILED(read_map(walk, MAP("Elsewhere", "1", ROW("a.1", "Linux", "NA", "0.5"))),
                  "it is about Elsewhere, not about Place");
}

TEST_WALK(locations_are_called_by_their_key_and_local_zones_are_minor, aws_on_demand_page, "")
{
    size_t regions = 0;

    if (!walk_has_samples("aws-locations.json"))
        return;
    walk->ops = aws_on_demand_page.list;
    EXPECT_READ(walk_samples(walk, TEXTS("aws-locations.json")));
    for (size_t i = 0; i < walk->scopes.count; i++) {
        const struct scope *scope = &walk->scopes.list[i];

        regions += !scope->minor;
        if (strcmp(scope->name, "eu-central-1") == 0)
            EXPECT_STR(scope->address, "EU (Frankfurt)");
        if (strcmp(scope->name, "us-west-2-lax-1") == 0)
            EXPECT(scope->minor);
        if (strcmp(scope->name, "us-gov-west-1") == 0)
            EXPECT_STR(scope->address, "AWS GovCloud (US)");
    }
    EXPECT(regions > 5);
}

TEST_WALK(the_advisor_has_bands_and_no_price, aws_spot_advisor, "")
{
    bool found = false;

    if (!walk_has_samples("aws-spot-advisor-data.json"))
        return;
    EXPECT_PRICES(walk_samples(walk, TEXTS("aws-spot-advisor-data.json")), 0);
    EXPECT_INT((long long)price_batch_type_count(walk->reading.batch), 15);
    for (size_t i = 0; i < price_batch_interruption_count(walk->reading.batch); i++) {
        const struct interruption *row = price_batch_interruption(walk->reading.batch, i);

        if (strcmp(row->region, "us-east-1") != 0 ||
            strcmp(row->instance_type, "c7i.4xlarge") != 0)
            continue;
        found = true;
        EXPECT_STR(row->band, "15-20%");
    }
    EXPECT(found);
}

TEST_WALK(a_band_without_an_explanation_is_refused, aws_spot_advisor, "")
{
    EXPECT_INT(walk_texts(walk, TEXTS("{\"spot_advisor\":{\"r\":{\"Linux\":{\"a.1\":{\"s\":1,"
                                      "\"r\":3}}}},\"ranges\":[{\"index\":0,\"label\":\"<5%"
                                      "\"}]}")),
               READING_FAILED);
}
