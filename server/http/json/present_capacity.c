/* Tested by tests/api/test_capacity.py. */
#include "server/http/json/present_capacity.h"

#include <math.h>

#define ZONE_MEANING "In its provider's notation; the region where the zone is not known."

static const struct member event_rows[] = {
    {MEMBER(struct capacity_event, provider), .filled = true},
    {MEMBER(struct capacity_event, instance_type), .filled = true},
    {MEMBER(struct capacity_event, zone), .filled = true, .meaning = ZONE_MEANING},
    {MEMBER(struct capacity_event, kind), .words = capacity_kinds},
    {MEMBER(struct capacity_event, price_kind), .words = capacity_price_kinds,
     .meaning = "Only spot machines are preempted."},
    {MEMBER_TIME_AT(struct capacity_event, "at", at_us)},
    {MEMBER(struct capacity_event, machine), .nullable = true},
    {MEMBER(struct capacity_event, note), .nullable = true},
    {MEMBER(struct capacity_event, sender), .nullable = true,
     .meaning = "The name of the token that reported it; null where tokens have no names."},
    {0},
};
const struct members capacity_event_members = {.name = "CapacityEvent",
                                               .meaning =
                                                   "A launch, a failed launch or a preemption.",
                                               .rows = event_rows};

static void write_failed_share(struct json_writer *out, const struct member *row,
                               const void *object)
{
    const struct capacity_count *count = object;
    long long asked = count->launched + count->launch_failed;

    jsonw_number(out, row->name, asked > 0 ? (double)count->launch_failed / (double)asked : NAN);
}

static const struct member sums_rows[] = {
    {MEMBER(struct capacity_count, launched), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct capacity_count, launch_failed), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct capacity_count, preempted), .range = MEMBER_NOT_NEGATIVE},
    {.name = "failed_share",
     .type = MEMBER_NUMBER,
     .nullable = true,
     .range = MEMBER_SHARE,
     .write = write_failed_share,
     .meaning = "Of launches; null without any, when machines were only seen to be preempted."},
    {MEMBER_TIME_AT(struct capacity_count, "first_at", first_us)},
    {MEMBER_TIME_AT(struct capacity_count, "newest_at", newest_us)},
    {0},
};
static const struct members sums_members = {.rows = sums_rows};

static const struct member count_rows[] = {
    {MEMBER(struct capacity_count, provider)},
    {MEMBER(struct capacity_count, instance_type)},
    {MEMBER(struct capacity_count, zone)},
    {MEMBER(struct capacity_count, price_kind), .words = capacity_price_kinds},
    {MEMBER_ROWS(&sums_members)},
    {0},
};
const struct members capacity_count_members = {
    .name = "CapacityCount", .meaning = "Events of a type in a zone.", .rows = count_rows};

static void write_days(struct json_writer *out, const struct member *row, const void *object)
{
    (void)object;
    jsonw_integer(out, row->name, CAPACITY_DAYS);
}

static const struct member row_capacity_rows[] = {
    {.name = "days", .type = MEMBER_INTEGER, .range = MEMBER_POSITIVE, .write = write_days},
    {MEMBER_ROWS(&sums_members)},
    {0},
};
const struct members row_capacity_members = {.name = "RowCapacity", .rows = row_capacity_rows};
