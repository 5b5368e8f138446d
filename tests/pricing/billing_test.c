#include "pricing/billing.h"

#include "pricing/parse_time.h"
#include "tests/test.h"

#include <math.h>

static const struct billing_rule *rule_at(const char *provider, const char *when)
{
    long long us = 0;

    EXPECT(parse_time(when, &us));
    return billing_rule_at(provider, us);
}

static double charged(const char *provider, const char *when, double seconds)
{
    const struct billing_rule *rule = rule_at(provider, when);

    EXPECT(rule != NULL);
    return billing_seconds(rule, seconds, 0);
}

TEST(half_a_minute_is_charged_by_the_rule_of_its_day)
{
    EXPECT_NEAR(charged("aws", "2018-05-01", 30), 60, 0);
    EXPECT_NEAR(charged("aws", "2017-07-01", 30), 3600, 0);
    EXPECT_NEAR(charged("gcp", "2018-05-01", 30), 60, 0);
    EXPECT_NEAR(charged("gcp", "2017-07-01", 30), 600, 0);
    EXPECT_NEAR(charged("azure", "2024-05-01", 30), 30, 0);
}

TEST(a_rule_begins_with_its_day)
{
    EXPECT_NEAR(charged("aws", "2017-10-01T23:59:59.999Z", 100), 3600, 0);
    EXPECT_NEAR(charged("aws", "2017-10-02T00:00:00Z", 100), 100, 0);
    EXPECT_NEAR(charged("gcp", "2017-09-25T23:59:59.999Z", 601), 660, 0);
    EXPECT_NEAR(charged("gcp", "2017-09-26", 601), 601, 0);
    EXPECT(rule_at("gcp", "2013-05-15") != NULL);
    EXPECT(rule_at("gcp", "2013-05-14T23:59:59Z") == NULL); /* not known, so not guessed */
}

TEST(whole_units_are_charged_and_the_minimum_at_least)
{
    EXPECT_NEAR(charged("aws", "2017-07-01", 3600), 3600, 0);
    EXPECT_NEAR(charged("aws", "2017-07-01", 3601), 7200, 0);
    EXPECT_NEAR(charged("aws", "2018-07-01", 59.5), 60, 0);
    EXPECT_NEAR(charged("aws", "2018-07-01", 60.2), 61, 0);
    EXPECT_NEAR(charged("gcp", "2017-07-01", 599), 600, 0);
    EXPECT_NEAR(charged("gcp", "2017-07-01", 660.5), 720, 0);
    EXPECT_NEAR(charged("aws", "2018-07-01", 0), 60, 0);
}

/* 0.1 hours, ten times, are no second hour. */
TEST(what_the_last_digit_adds_is_not_charged)
{
    double hours = 0;

    for (int i = 0; i < 30; i++)
        hours += 0.1; /* 3.0000000000000013 */
    EXPECT(hours > 3);
    EXPECT_NEAR(charged("aws", "2017-07-01", hours * 3600), 10800, 0);
}

TEST(from_boot_to_end)
{
    const struct billing_rule *rule = rule_at("aws", "2018-07-01");

    EXPECT_NEAR(billing_seconds(rule, 50, 45), 95, 0);
    EXPECT_NEAR(billing_seconds(rule, 10, 45), 60, 0);
}

TEST(without_a_rule_it_is_what_it_takes)
{
    EXPECT(rule_at("hetzner", "2024-01-01") == NULL);
    EXPECT(rule_at("AWS", "2024-01-01") == NULL);
    EXPECT(rule_at("", "2024-01-01") == NULL);
    EXPECT(billing_rule_at(NULL, 0) == NULL);
    EXPECT_NEAR(billing_seconds(NULL, 30.5, 10), 40.5, 0);
}

TEST(unknown_costs_are_not_charged)
{
    const struct billing_rule *rule = rule_at("aws", "2018-07-01");

    EXPECT(isnan(billing_seconds(rule, NAN, 0)) && isnan(billing_seconds(rule, 10, NAN)));
    EXPECT(isnan(billing_seconds(rule, -1, 0)) && isnan(billing_seconds(rule, 10, -1)));
    EXPECT(isnan(billing_seconds(NULL, -1, 0)));
    EXPECT(isinf(billing_seconds(rule, INFINITY, 0)));
}

TEST(the_table_is_in_order_and_says_where_it_is_from)
{
    size_t count = 0;

    for (const struct billing_rule *rule = billing_rules; rule->provider; rule++, count++) {
        long long us = 0, next_us = -1;

        EXPECT(!rule->from[0] || parse_time(rule->from, &us));
        EXPECT(rule->unit_seconds >= 1 && rule->minimum_seconds >= 0);
        EXPECT(rule->words[0] && rule->source[0] && !strstr(rule->source, "://"));
        if (rule[1].provider && strcmp(rule->provider, rule[1].provider) == 0) {
            EXPECT(!rule[1].from[0] || parse_time(rule[1].from, &next_us));
            EXPECT(rule->from[0] && next_us < us);
        }
    }
    EXPECT(count >= 5);
    EXPECT_PART(rule_at("azure", "2024-01-01")->words, "not certain");
}
