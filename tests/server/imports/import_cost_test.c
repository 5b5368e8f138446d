#include "server/imports/import_cost.h"

#include "tests/test.h"

/* 1000 samples a second, from 900 to 1100; an hour costs 0.36 dollars: 10^7 samples a dollar. */
static const struct summary summary = {.samples_per_second = 1000,
                                       .throughput = {.known = true, .low = 900, .high = 1100}};

#define PRICE "{\"price_per_hour\":0.36,\"discount\":null}"
#define PER_DOLLAR "{\"value\":10000000.0,\"low\":9000000,\"high\":11000000}"
#define DOLLARS "{\"value\":0.1,\"low\":0.09090909,\"high\":0.11111111}"
#define HOURS "{\"value\":0.27777778,\"low\":0.25252525,\"high\":0.30864198}"
#define COST(price, per_dollar, dollars, hours)                                                  \
    "{\"identity\":{},\"price\":" price ",\"why_no_price\":null,\"samples_per_dollar\":"         \
    "" per_dollar ",\"dollars_per_million_samples\":" dollars                                    \
    ",\"hours_per_million_samples\":" hours "}"

static struct paid_price paid; /* of the cost that was read last */

static const struct {
    const char *cost;
    const char *field; /* NULL: it is right */
} costs[] = {
    {NULL, NULL},
    {COST(PRICE, PER_DOLLAR, DOLLARS, HOURS), NULL},
    {COST(PRICE, "null", "null", "null"), NULL},
    {COST("null", "null", "null", "null"), NULL},
    {COST("{\"price_per_hour\":0.72,\"discount\":{\"price_per_hour\":0.36}}", PER_DOLLAR, DOLLARS,
          HOURS),
     NULL},
    {COST("{\"price_per_hour\":0.36,\"discount\":{\"price_per_hour\":0.18}}", PER_DOLLAR, DOLLARS,
          HOURS),
     "cost.samples_per_dollar"},
    {COST("{\"price_per_hour\":0.35}", PER_DOLLAR, DOLLARS, HOURS), "cost.samples_per_dollar"},
    {COST("null", PER_DOLLAR, "null", "null"), "cost.samples_per_dollar"},
    {COST("null", "null", DOLLARS, "null"), "cost.dollars_per_million_samples"},
    {COST("null", "null", "null", HOURS), "cost.hours_per_million_samples"},
    {COST(PRICE, PER_DOLLAR, PER_DOLLAR, HOURS), "cost.dollars_per_million_samples"},
    {COST(PRICE, PER_DOLLAR, DOLLARS, DOLLARS), "cost.hours_per_million_samples"},
    {COST(PRICE, "{\"value\":1e7,\"low\":9000000,\"high\":null}", "null", "null"),
     "cost.samples_per_dollar"},
    {COST(PRICE, "{\"value\":1e7,\"low\":9000000,\"high\":11000000,\"x\":1}", "null", "null"),
     "cost.samples_per_dollar"},
    {COST(PRICE, "1e7", "null", "null"), "cost.samples_per_dollar"},
    {COST("{\"price_per_hour\":0}", "null", "null", "null"), "cost.price"},
    {COST("{\"price_per_hour\":-1}", "null", "null", "null"), "cost.price"},
    {COST("{\"price_per_hour\":\"0.36\"}", "null", "null", "null"), "cost.price"},
    {COST("{}", "null", "null", "null"), "cost.price"},
    {COST("0.36", "null", "null", "null"), "cost.price"},
    {"{}", "cost"},
    {"{\"identity\":{},\"free\":true}", "cost"},
};

TEST(what_is_said_of_dollars_follows_from_the_price_and_the_steps)
{
    for (size_t i = 0; i < COUNT(costs); i++) {
        struct error err = {0};

        EXPECT_INT(import_cost_check(costs[i].cost, &summary, &paid, &err), !costs[i].field);
        EXPECT_STR(err.field, costs[i].field ? costs[i].field : "");
        EXPECT_INT(err.kind, costs[i].field ? ERROR_INVALID : ERROR_NONE);
    }
}

TEST(without_an_interval_there_is_none_of_dollars)
{
    static const char bare[] = "{\"value\":1e7,\"low\":null,\"high\":null}";
    const struct summary short_one = {.samples_per_second = 1000};
    char cost[1000];

    snprintf(cost, sizeof cost, COST(PRICE, "%s", "null", "null"), bare);
    EXPECT(import_cost_check(cost, &short_one, &paid, NULL));
    EXPECT(!import_cost_check(cost, &summary, &paid, NULL));
    EXPECT(!import_cost_check(COST(PRICE, PER_DOLLAR, "null", "null"), &short_one, &paid, NULL));
}

/* Of a sender with other statistics: its dollars are of its own speed. */
TEST(dollars_are_written_anew_from_our_speed)
{
    AUTO(freep)
    char *cost = strdup(COST(PRICE, "{\"value\":1,\"low\":1,\"high\":1}", "null",
                             "{\"value\":2,\"low\":2,\"high\":2}"));

    EXPECT(!import_cost_check(cost, &summary, &paid, NULL));
    EXPECT_OK(import_cost_renew(&cost, &summary, &paid, &err));
    EXPECT_HAS(paid, (per_hour, 0.36), (nanos, 360000000));
    EXPECT_OK(import_cost_check(cost, &summary, &paid, &err));
    EXPECT_PART(cost, "\"dollars_per_million_samples\":null"); /* said nothing */
    EXPECT_PART(cost, "\"samples_per_dollar\":{\"value\":10000000.0");
}

TEST(what_is_no_cost_is_refused_with_other_statistics_too)
{
    for (size_t i = 0; i < COUNT(costs); i++) {
        AUTO(freep) char *cost = costs[i].cost ? strdup(costs[i].cost) : NULL;
        bool form = costs[i].field && (strcmp(costs[i].field, "cost") == 0 ||
                                       strcmp(costs[i].field, "cost.price") == 0);
        struct error err = {0};

        EXPECT_INT(import_cost_renew(&cost, &summary, &paid, &err), !form);
        EXPECT_STR(err.field, form ? costs[i].field : "");
    }
}
