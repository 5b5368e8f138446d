/* What a provider charges for a job of some seconds: rules with dates, as data. A job is charged
 * from boot to end, at least the minimum, in whole units. */
#pragma once

#include <stdbool.h>

struct billing_rule {
    const char *provider;
    const char *from; /* "2017-10-02": holds from the beginning of that day, UTC; "" always did */
    double unit_seconds;    /* 1, 60, 3600 */
    double minimum_seconds; /* charged at least; 0 for no minimum */
    const char *words;      /* for people: "per second, 60 s at least" */
    const char *source;     /* where it is written, without scheme: a page of the provider's */
};

/* By provider, the latest first; ended by one without a provider. */
extern const struct billing_rule billing_rules[];

/* The rule of a provider at a moment (microseconds, calendar); NULL where we know none: then a
 * job is charged what it takes, and the answer says so. */
const struct billing_rule *billing_rule_at(const char *provider, long long at_us);

/* Seconds that are charged; `rule` may be NULL. */
double billing_seconds(const struct billing_rule *rule, double run_seconds, double boot_seconds);
