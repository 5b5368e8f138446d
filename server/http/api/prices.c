/* Tested by tests/api/test_questions.py. */
#include "server/http/api/prices.h"

#include "common/cleanup.h"
#include "pricing/feeds/source.h"
#include "server/http/api/shared.h"

static bool check_history(const struct query *query, void *into, struct error *err)
{
    const struct prices_question *question = into;

    (void)query;
    if (question->history && !question->filter.instance_type)
        return error_set(err, ERROR_INVALID, "instance_type", "is needed for a history");
    if (question->history && question->filter.after)
        return error_set(err, ERROR_INVALID, "cursor",
                         "a history has none: go on with at=, the time of its last row");
    return true;
}

static bool check_refresh(const struct query *query, void *into, struct error *err)
{
    const struct refresh_question *question = into;

    (void)query;
    if (question->accept && !question->feed)
        return error_set(err, ERROR_INVALID, "feed",
                         "is needed with accept: say which feed is right");
    if (!question->accept && question->reason[0])
        return error_set(err, ERROR_INVALID, "reason",
                         "is why a feed is accepted: say accept=true");
    return true;
}

#define AT(member) .offset = offsetof(struct prices_question, member)
static const struct parameter_row prices[] = {
    {"provider", PARAMETER_PROVIDER, AT(filter.provider), .meaning = "The cloud provider."},
    {"region", PARAMETER_WORD, AT(filter.region),
     .meaning = "The region, in its provider's notation."},
    {"zone", PARAMETER_WORD, AT(filter.zone), .meaning = "The zone."},
    {"instance_type", PARAMETER_WORD, AT(filter.instance_type), .meaning = "The instance type."},
    {"kind", PARAMETER_CHOICE, AT(filter.kind), .choices = price_kind_names,
     .meaning = "The kind of price."},
    {"feed", PARAMETER_WORD, AT(filter.feed), .meaning = "The feed."},
    {"at", PARAMETER_TIME, AT(filter.at_us),
     .meaning = "The time of the prices; the default is now."},
    {"history", PARAMETER_FLAG, AT(history), .usual = "false",
     .meaning = "true: every price that the instance type ever had, latest first."},
    {"limit", PARAMETER_INTEGER, AT(filter.limit), .min = 1, .max = PRICE_LIST_MAX,
     .usual = "100", .meaning = "Maximum number of prices on the page."},
    {"cursor", API_CURSOR, AT(filter.after)},
    {0},
};
#undef AT

#define AT(member) .offset = offsetof(struct refresh_question, member)
static const struct parameter_row refresh[] = {
    {"feed", PARAMETER_NAME, AT(feed), .name_at = source_name,
     .meaning = "Only this feed; GET /v1/feeds lists them."},
    {"accept", PARAMETER_FLAG, AT(accept), .usual = "false",
     .meaning = "With true, the server stores this feed's prices without confirmation. Needs "
                "`feed`; `held` of GET /v1/feeds shows what waits."},
    {"reason", API_REASON, AT(reason),
     .meaning = "With `accept`: why; for the audit, at most 500 bytes."},
    {0},
};
#undef AT

#define AT(member) .offset = offsetof(struct discounts_question, member)
static const struct parameter_row discounts[] = {
    {"history", PARAMETER_FLAG, AT(history), .usual = "false",
     .meaning = "true: every discount that was ever entered, withdrawn ones included, latest "
                "first."},
    {"at", PARAMETER_TIME, AT(at_us),
     .meaning = "The time at which they hold; the default is now."},
    {0},
};
#undef AT

#define AT(member) .offset = offsetof(struct instances_question, member)
static const struct parameter_row instances[] = {
    {"provider", PARAMETER_PROVIDER, AT(filter.provider), .meaning = "The cloud provider."},
    {"instance_type", PARAMETER_WORD, AT(filter.name), .meaning = "Only this type."},
    {"prefix", PARAMETER_WORD, AT(filter.prefix),
     .meaning = "Only types whose name starts with this."},
    {"region", PARAMETER_WORD, AT(region), .meaning = "Add the prices of this region."},
    {"architecture", PARAMETER_WORD, AT(architecture),
     .meaning = "The architecture: x86_64 or arm64. Where no feed says it, a rule for the type's "
                "family does."},
    {"min_vcpus", PARAMETER_NUMBER, AT(filter.min_vcpus), .max = 100000,
     .meaning = "Minimum number of vCPUs."},
    {"min_memory_gib", PARAMETER_NUMBER, AT(filter.min_memory_gib), .max = 1000000,
     .meaning = "Minimum memory in GiB."},
    {"limit", PARAMETER_INTEGER, AT(filter.limit), .min = 1, .max = INSTANCE_LIST_MAX,
     .usual = "100", .meaning = "Maximum number of types on the page."},
    {"cursor", API_NAME_CURSOR, AT(filter.after)},
    {0},
};
#undef AT

#define AT(member) .offset = offsetof(struct capacity_question, member)
static const struct parameter_row capacity[] = {
    {"provider", PARAMETER_PROVIDER, AT(filter.provider), .meaning = "The cloud provider."},
    {"instance_type", PARAMETER_WORD, AT(filter.instance_type), .meaning = "Only this type."},
    {"zone", PARAMETER_WORD, AT(filter.zone), .meaning = "Only this zone."},
    {"price_kind", PARAMETER_WORD, AT(filter.price_kind), .meaning = "`on_demand` or `spot`."},
    {"sender", PARAMETER_WORD, AT(filter.sender),
     .meaning = "Only events reported by the token of this name."},
    {"days", PARAMETER_INTEGER, AT(days), .min = 1, .max = DAYS_MAX, .usual = "30",
     .meaning = "Count the events of so many days, up to now."},
    {"limit", PARAMETER_INTEGER, AT(filter.limit), .min = 1, .max = INSTANCE_LIST_MAX,
     .usual = "100", .meaning = "Maximum number of counts on the page."},
    {"cursor", API_NAME_CURSOR, AT(filter.after)},
    {0},
};
#undef AT

const struct parameters prices_list_parameters = {
    .size = sizeof(struct prices_question),
    .parts = {{prices}},
    .check = check_history,
};

const struct parameters refresh_parameters = {
    .size = sizeof(struct refresh_question),
    .parts = {{refresh}},
    .check = check_refresh,
};

const struct parameters discounts_list_parameters = {
    .size = sizeof(struct discounts_question),
    .parts = {{discounts}},
};

const struct parameters instances_parameters = {
    .size = sizeof(struct instances_question),
    .parts = {{instances}},
};

const struct parameters capacity_list_parameters = {
    .size = sizeof(struct capacity_question),
    .parts = {{capacity}},
};
