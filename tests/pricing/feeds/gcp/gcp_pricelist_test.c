/* Google's prices as a third party computes them: YAML whose indentation is its meaning. */
#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define HEAD                                                                                     \
    "---\nabout:\n  copyright: |2\n\n    Copyright Somebody: all rights.\n    compute:\n"        \
    "  generated: Thu Mar  6 03:53:56 2025\n  timestamp: 1741233236\ncompute:\n"                 \
    "  instance:\n"
#define N2                                                                                       \
    "    n2-standard-2:\n      cost:\n        us-central1:\n          hour: 0.097118\n"          \
    "          hour_spot: 0.023548\n          month: 70.89614\n          month_1y: 44.6637\n"    \
    "        europe-west12:\n          hour: 0.1273\n      cpu: 2\n      ram: 8\n"
#define TAIL                                                                                     \
    "  license:\n    n2-standard-2:\n      cost:\n        windows:\n          hour: 0.092\n"     \
    "        us-east1:\n          hour: 0.5\n      cpu: 2\n"                                     \
    "storage:\n  instance:\n    x-1:\n      cost:\n        us-east1:\n          hour: 0.1\n"

static enum reading_state walk_yaml(struct walk *walk, const char *text)
{
    return walk_texts(walk, TEXTS(text));
}

static const char *text_of(const struct walk *walk, const char *type, const char *region,
                           enum price_kind kind)
{
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(walk->reading.batch, &position)) != NULL)
        if (price->kind == kind && strcmp(price->instance_type, type) == 0 &&
            strcmp(price->region, region) == 0)
            return price->text;
    return "";
}

static long long malformed_of(const struct walk *walk)
{
    return price_batch_facts(walk->reading.batch)->tally.malformed;
}

TEST_WALK(prices_are_by_type_and_region, gcp_pricelist, "")
{
    for (walk->chunk = 0; walk->chunk < 30; walk->chunk += 7) {
        EXPECT_PRICES(walk_yaml(walk, HEAD N2 TAIL), 3);
        EXPECT_STR(text_of(walk, "n2-standard-2", "us-central1", PRICE_ON_DEMAND), "0.097118");
        EXPECT_STR(text_of(walk, "n2-standard-2", "us-central1", PRICE_SPOT), "0.023548");
        EXPECT_STR(text_of(walk, "n2-standard-2", "europe-west12", PRICE_ON_DEMAND), "0.1273");
        EXPECT_STR(text_of(walk, "n2-standard-2", "europe-west12", PRICE_SPOT), "");
        EXPECT_INT(malformed_of(walk), 0);
    }
    EXPECT_INT(price_batch_facts(walk->reading.batch)->source_us, 1741233236000000);
    EXPECT_INT((long long)price_batch_type_count(walk->reading.batch), 1);
    const struct instance_type *type = price_batch_type(walk->reading.batch, 0);
    EXPECT_HAS(*type, (name, "n2-standard-2"), (vcpus, 2), (memory_gib, 8), (accelerator, ""));
}

TEST_WALK(it_is_a_third_party_that_is_off_by_default, gcp_pricelist, "")
{
    EXPECT(gcp_pricelist.third_party && !gcp_pricelist.on);
    EXPECT_PART(gcp_pricelist.title, "third party");
    walk->reading.etag = "\"abc\"";
    EXPECT_READ(walk_yaml(walk, HEAD N2));
    EXPECT_STR(walk->requests[0].url, "https://raw.githubusercontent.com/Cyclenerd/"
                                      "google-cloud-pricing-cost-calculator/master/pricing.yml");
    EXPECT_HAS(walk->requests[0], (etag, "\"abc\""), (headers[0], ""));
}

TEST_WALK(accelerators_stand_before_or_after_the_price, gcp_pricelist, "")
{
    EXPECT_READ(walk_yaml(walk, HEAD "    a2-highgpu-1g:\n      a100: 1\n      cost:\n"
                                     "        us-east1:\n          hour: 3.673385\n"
                                     "      cpu: 12\n      ram: 85\n"
                                     "    g4-standard-6:\n      cost:\n        us-east1:\n"
                                     "          hour: 31.5\n      cpu: 6\n      rtx6000: 0.125\n"
                                     "    g4-standard-12:\n      cost:\n        us-east1:\n"
                                     "          hour: 61\n      cpu: 12\n      local-ssd: 9\n"));
    EXPECT_STR(text_of(walk, "a2-highgpu-1g", "us-east1", PRICE_ON_DEMAND), "3.673385");
    EXPECT_STR(price_batch_type(walk->reading.batch, 0)->accelerator, "1 x a100");
    EXPECT_STR(text_of(walk, "g4-standard-6", "us-east1", PRICE_ON_DEMAND), "31.5");
    EXPECT_STR(price_batch_type(walk->reading.batch, 1)->accelerator, "0.125 x rtx6000");
    EXPECT_STR(text_of(walk, "g4-standard-12", "us-east1", PRICE_ON_DEMAND), "");
    EXPECT_INT(malformed_of(walk), 1);
}

/* A document with one type; the test gives only the line of a price. */
static const char *price_of(struct walk *walk, const char *line)
{
    char text[1000];

    snprintf(text, sizeof text,
             HEAD N2 "    n2-standard-4:\n      cost:\n        us-east1:\n%s\n      cpu: 4\n"
                     "    n2-standard-8:\n      cost:\n        us-east1:\n          hour: 0.8\n"
                     "      cpu: 8\n" TAIL,
             line);
    EXPECT_READ(walk_yaml(walk, text));
    /* Its neighbours are there whatever it is. */
    EXPECT_STR(text_of(walk, "n2-standard-2", "us-central1", PRICE_ON_DEMAND), "0.097118");
    EXPECT_STR(text_of(walk, "n2-standard-8", "us-east1", PRICE_ON_DEMAND), "0.8");
    EXPECT(!walk_price(walk, "x-1", "", PRICE_ON_DEMAND));
    return text_of(walk, "n2-standard-4", "us-east1", PRICE_ON_DEMAND);
}

TEST_WALK(no_price_is_no_price, gcp_pricelist, "")
{
    char line[100];

    EXPECT_STR(price_of(walk, "          hour: 20.0"), "20.0"); /* 5 for each vCPU */
    EXPECT_STR(price_of(walk, "          hour: 9.0E-4"), "9.0E-4");
    EXPECT_STR(price_of(walk, "          month: 100"), "");
    EXPECT_INT(malformed_of(walk), 0);
    EACH_TEXT(none, "0", "0.0", "-0.4", "-1") {
        snprintf(line, sizeof line, "          hour: %s", none);
        EXPECT_STR(price_of(walk, line), "");
        EXPECT_INT(malformed_of(walk), 0);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.unpriced, 1);
    }
    EACH_TEXT(malformed, "abc", "700.0", "20.1", "1e99", "1 # one", "'0.4'", "0.4 USD", "0,4",
              ".", "null", "[0.4, 0.5]", "- 0.4", "NaN", "&a 0.4", "0.4.1", "0x1", "--1", "-") {
        snprintf(line, sizeof line, "          hour: %s", malformed);
        EXPECT_STR(price_of(walk, line), "");
        EXPECT_INT(malformed_of(walk), 1);
        EXPECT_INT(price_batch_facts(walk->reading.batch)->tally.unpriced, 0);
    }
}

TEST_WALK(a_price_at_another_place_is_none, gcp_pricelist, "")
{
    EACH_TEXT(line, "        hour: 0.4", "            hour: 0.4", "      hour: 0.4",
              "         hour: 0.4", "\t\thour: 0.4",
              "          hour:", "          hour:\n            value: 0.4", "          hour:0.4",
              "          \"hour\": 0.4", "        - hour: 0.4",
              "        windows:\n          hour: 0.4", "        global:\n          hour: 0.4") {
        EXPECT_STR(price_of(walk, line), "");
        EXPECT_INT(walk_count(walk), 4);
        /* Except for an unknown member of the type. */
        EXPECT(malformed_of(walk) > 0 || strncmp(line, "      hour", 10) == 0);
    }
}

TEST_WALK(a_price_that_occurs_twice_is_dropped, gcp_pricelist, "")
{
    EXPECT_STR(price_of(walk, "          hour: 0.4\n          hour: 0.5"), "");
    EXPECT_STR(price_of(walk, "          hour: 0.4\n          hour: x"), "");
    EXPECT_STR(price_of(walk, "          hour: x\n          hour: 0.4"), "");
    EXPECT_STR(price_of(walk, "          hour: 0.4\n        us-east1:\n          hour: 0.5"), "");
    EXPECT_STR(price_of(walk, "          hour: 0.4\n      cpu: 400"), "");
    EXPECT_STR(price_of(walk, "          hour: 0.4\n      cost:\n        us-west1:\n"
                              "          hour: 0.5"),
               "");
    EXPECT_PRICES(walk_yaml(walk,
                            HEAD N2 N2 "    n2-standard-4:\n      cost:\n        us-east1:\n"
                                       "          hour: 0.2\n      cpu: 4\n"),
                  1);
}

/* What stands below a line that cannot be understood must not become a price of what came
 * before it. */
TEST_WALK(lines_below_a_stray_line_are_left_out, gcp_pricelist, "")
{
#define OTHER "      cost:\n        us-west1:\n          hour: 9.0\n      cpu: 2\n"
    char text[2000];

    EACH_TEXT(stray, "   n2-standard-4:\n" OTHER, "     n2-standard-4:\n" OTHER,
              "      n2-standard-4:\n" OTHER, "\tn2-standard-4:\n" OTHER,
              "    \tn2-standard-4:\n" OTHER, "    \"n2-standard-4\":\n" OTHER,
              "    n2 standard 4:\n" OTHER, "  n2-standard-4:\n" OTHER,
              "        n2-standard-4:\n" OTHER, "n2-standard-4:\n" OTHER,
              "    ? n2-standard-4\n" OTHER, " license:\n    n2-standard-2:\n" OTHER,
              "\tlicense:\n    n2-standard-2:\n" OTHER,
              "  \"license\":\n    n2-standard-2:\n" OTHER,
              "      \tlicense:\n    n2-standard-2:\n" OTHER,
              "---\n  instance:\n    n2-standard-2:\n" OTHER) {
        snprintf(text, sizeof text, HEAD "    n2-standard-8:\n" OTHER N2 "%s" TAIL, stray);
        EXPECT_READ(walk_yaml(walk, text));
        EXPECT_STR(text_of(walk, "n2-standard-2", "us-west1", PRICE_ON_DEMAND), "");
        EXPECT_STR(text_of(walk, "n2-standard-4", "us-west1", PRICE_ON_DEMAND), "");
        EXPECT_STR(text_of(walk, "n2-standard-8", "us-west1", PRICE_ON_DEMAND), "9.0");
    }
}

TEST_WALK(a_stray_region_does_not_lend_its_prices_to_the_one_before, gcp_pricelist, "")
{
    char text[1000];

    EACH_TEXT(stray, "         us-west1:", "\tus-west1:", "        us west:", "       us-west1:",
              "        \"us-west1\":", "        - us-west1", "          us-west1:") {
        snprintf(text, sizeof text,
                 HEAD N2 "    n2-standard-4:\n      cost:\n        us-east1:\n"
                         "          hour_spot: 0.1\n%s\n          hour: 0.4\n      cpu: 4\n",
                 stray);
        EXPECT_READ(walk_yaml(walk, text));
        EXPECT_STR(text_of(walk, "n2-standard-4", "us-east1", PRICE_ON_DEMAND), "");
        EXPECT_STR(text_of(walk, "n2-standard-4", "us-west1", PRICE_ON_DEMAND), "");
        EXPECT(malformed_of(walk) > 0);
    }
}

TEST_WALK(a_document_without_instances_is_a_failure, gcp_pricelist, "")
{
    EACH(struct pair, document, {"", "the document has no compute.instance"},
         {"<html>\n<body>\n", "the document has no compute.instance"},
         {"404: Not Found\n", "the document has no compute.instance"},
         {"about:\n  timestamp: 1\n", "the document has no compute.instance"},
         {"compute:\n" TAIL, "the document has no compute.instance"},
         {"about:\n  instance:\n" N2, "the document has no compute.instance"},
         {"compute:\n  instance: {}\n" N2, "the document has no compute.instance"},
         {"compute:\n\"storage\":\n  instance:\n" N2, "the document has no compute.instance"},
         {HEAD TAIL, "the feed has an unexpected format: there is no price in compute.instance"},
         {HEAD N2 "          hour: 0.0", "it ends in the middle of a line"}) {
        EXPECT_FAILED(walk_yaml(walk, document.given), document.wanted);
        EXPECT_INT((long long)walk->err.kind, ERROR_UPSTREAM);
    }
}

TEST_WALK(a_time_that_is_none_is_not_taken_for_one, gcp_pricelist, "")
{
    EXPECT_READ(walk_yaml(walk, "about:\n  timestamp: yesterday\n    timestamp: 5\n"
                                "compute:\n  timestamp: 6\n  instance:\n" N2));
    EXPECT_INT(price_batch_facts(walk->reading.batch)->source_us, 0);
}

TEST_WALK(a_type_without_end_is_a_failure, gcp_pricelist, "")
{
    AUTO(freep) char *text = calloc(1, 40000);

    snprintf(text, 1000, HEAD "    n2-standard-2:\n      cost:\n        us-east1:\n");
    for (size_t i = 0; i < 1025; i++)
        memcpy(text + strlen(text), "          hour: 0.1\n", 20);
    EXPECT_FAILED(walk_yaml(walk, text), "n2-standard-2 has more than 1024 prices");
}
