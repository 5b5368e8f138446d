#include "pricing/billing.h"

#include "pricing/parse_time.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define EC2_PAGE                                                                                 \
    "aws.amazon.com/about-aws/whats-new/2017/10/announcing-amazon-ec2-per-second-billing/"
#define GCE_PAGE                                                                                 \
    "cloudplatform.googleblog.com/2017/09/extending-per-second-billing-in-google.html"

const struct billing_rule billing_rules[] = {
    {"aws", "2017-10-02", 1, 60,
     "per second, 60 s at least (Linux without an hourly charge of its own)", EC2_PAGE},
    {"aws", "", 3600, 0, "per hour that was begun", EC2_PAGE},
    {"gcp", "2017-09-26", 1, 60, "per second, 1 minute at least", GCE_PAGE},
    /* No rule is known for earlier times. */
    {"gcp", "2013-05-15", 60, 600, "per minute that was begun, 10 minutes at least",
     "cloud.google.com/compute/pricing"},
    /* Azure's pages contradict each other, by less than a minute a job; they give no date for
     * billing by the second. */
    {"azure", "", 1, 0,
     "per second; not certain: another page of Azure's says per full minute, and a minimum of "
     "5 minutes since June 2025 is reported but not confirmed",
     "azure.microsoft.com/pricing/details/virtual-machines/linux/"},
    {NULL, NULL, 0, 0, NULL, NULL},
};

static bool billing_holds(const struct billing_rule *rule, long long at_us)
{
    long long from_us;

    return !rule->from[0] || (parse_time(rule->from, &from_us) && at_us >= from_us);
}

const struct billing_rule *billing_rule_at(const char *provider, long long at_us)
{
    for (const struct billing_rule *rule = billing_rules; provider && rule->provider; rule++)
        if (strcmp(rule->provider, provider) == 0 && billing_holds(rule, at_us))
            return rule;
    return NULL;
}

double billing_seconds(const struct billing_rule *rule, double run_seconds, double boot_seconds)
{
    double seconds = run_seconds + boot_seconds, units;

    if (!(run_seconds >= 0 && boot_seconds >= 0))
        return NAN;
    if (!rule)
        return seconds;
    /* Tolerates a microsecond, because hours converted to seconds are inexact. */
    units = ceil((seconds - 1e-6) / rule->unit_seconds);
    return fmax(fmax(units, 0) * rule->unit_seconds, rule->minimum_seconds);
}
