/* What a provider charges for a job of a given length: rules with dates, as data. A job is
 * charged from boot to end, rounded up to whole units, with a minimum. */
#pragma once

#include <stdbool.h>

struct billing_rule {
    const char *provider;
    const char *from;    /* "2017-10-02": valid from the beginning of that day, UTC; "" from the
                          * start */
    double unit_seconds; /* 1, 60, 3600 */
    double minimum_seconds; /* minimum charge; 0 for none */
    const char *words;      /* for people: "per second, 60 s at least" */
    const char *source;     /* the provider's page with the rule, without scheme */
};

/* By provider, the latest first; a row without a provider ends the list. */
extern const struct billing_rule billing_rules[];

/* The rule of a provider at a moment (microseconds, calendar). NULL if unknown: a job is then
 * charged for exactly its time, and the answer says so. */
const struct billing_rule *billing_rule_at(const char *provider, long long at_us);

/* Seconds that are charged; `rule` may be NULL. */
double billing_seconds(const struct billing_rule *rule, double run_seconds, double boot_seconds);
