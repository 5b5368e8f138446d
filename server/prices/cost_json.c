#include "server/prices/cost_json.h"

#include "common/cleanup.h"
#include "common/json_text.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/text.h"

#include <math.h>
#include <stddef.h>

static const struct {
    const char *name;
    size_t offset; /* of a struct amount in struct cost */
} amounts[] = {{"samples_per_dollar", offsetof(struct cost, samples_per_dollar)},
               {"dollars_per_million_samples", offsetof(struct cost, dollars_per_million)},
               {"hours_per_million_samples", offsetof(struct cost, hours_per_million)}};
_Static_assert(COUNT(amounts) == COST_AMOUNTS, "one row for each");

/* The members that do not follow from others; a cost may lack the last. */
static const char *const cost_facts[] = {"identity", "price", "why_no_price", "over_run"};
enum { IDENTITY, OVER_RUN = 3 };

/* A member that is missing has no start. */
static void cost_take_apart(const char *stored, struct span ret_facts[COUNT(cost_facts)])
{
    struct json_scan scan = {stored, stored + strlen(stored)};
    struct span name, value;
    bool first = true;

    memset(ret_facts, 0, COUNT(cost_facts) * sizeof *ret_facts);
    if (!json_scan_take(&scan, '{'))
        return;
    while (json_scan_member(&scan, &first, &name) == JSON_SCAN_MEMBER &&
           json_scan_extent(&scan, &value))
        for (size_t i = 0; i < COUNT(cost_facts); i++)
            if (span_is(name, cost_facts[i]))
                ret_facts[i] = value;
}

const char *cost_amount_name(size_t i)
{
    return amounts[i].name;
}

const struct amount *cost_amount(const struct cost *cost, size_t i)
{
    return (const struct amount *)(const void *)((const char *)cost + amounts[i].offset);
}

json_t *cost_amount_to_json(const struct amount *amount)
{
    if (!amount->has_interval)
        return json_pack("{s:f, s:n, s:n}", "value", amount->value, "low", "high");
    return json_pack("{s:f, s:f, s:f}", "value", amount->value, "low", amount->low, "high",
                     amount->high);
}

struct paid_price run_cost_paid(const struct run_cost *cost)
{
    struct paid_price paid = paid_price_of(&cost->price);

    if (cost->price.known && cost->over.known)
        paid.per_hour = cost->over.mean;
    return paid;
}

static const struct member over_rows[] = {
    {MEMBER_AS(struct price_window, "price_per_hour", mean), .range = MEMBER_POSITIVE},
    {MEMBER(struct price_window, low), .range = MEMBER_POSITIVE},
    {MEMBER(struct price_window, high), .range = MEMBER_POSITIVE},
    {0},
};
static const struct members over_members = {.rows = over_rows};

/* The cost of a million samples. */
struct million {
    bool known;
    struct cost cost;
};

MEMBER_FINDS(find_samples, struct million, million,
             million->known ? &million->cost.samples_per_dollar : NULL)
MEMBER_FINDS(find_dollars, struct million, million,
             million->known ? &million->cost.dollars_per_million : NULL)
MEMBER_FINDS(find_hours, struct million, million,
             million->known ? &million->cost.hours_per_million : NULL)

static const struct member million_rows[] = {
    {MEMBER_FOUND("samples_per_dollar", &amount_members, find_samples), .nullable = true,
     .meaning = "null without a price, and of a run that did not finish. Of an invalid run a "
                "point: `low` and `high` are null."},
    {MEMBER_FOUND("dollars_per_million_samples", &amount_members, find_dollars),
     .nullable = true},
    {MEMBER_FOUND("hours_per_million_samples", &amount_members, find_hours), .nullable = true},
    {0},
};
static const struct members million_members = {.rows = million_rows};

/* What is stored. */
struct cost_said {
    const struct run_cost *cost;
    const struct span *identity; /* JSON; NULL: of the cost */
    struct priced_machine priced;
    struct million million;
};

static void write_identity(struct json_writer *out, const struct member *row, const void *object)
{
    const struct cost_said *said = object;

    if (said->identity)
        jsonw_raw_span(out, row->name, *said->identity);
    else
        present_identity(out, row->name, &said->cost->identity);
}

/* Absent if the price never moved. */
static void write_over(struct json_writer *out, const struct member *row, const void *object)
{
    const struct price_window *over = &((const struct cost_said *)object)->cost->over;

    if (over->known)
        members_write(out, row->name, row->members, over);
}

static const struct member stored_rows[] = {
    {MEMBER_WRITTEN("identity", MEMBER_JSON, write_identity), .reference = "Identity"},
    {MEMBER_ROWS_AT(struct cost_said, priced, &machine_price_members)},
    {MEMBER_WRITTEN("over_run", MEMBER_OBJECT, write_over), .nullable = true,
     .members = &over_members,
     .meaning =
         "If a spot price moved during the run, and its history is known: the "
         "mean, weighted by time, and the range, discount taken off. The cost follows from "
         "the mean; `price` is the price at the start. Else null; a document lacks it then."},
    {MEMBER_ROWS_AT(struct cost_said, million, &million_members)},
    {0},
};
const struct members document_cost_members = {
    .name = "DocumentCost",
    .meaning = "The cost of a run in transit.",
    .rows = stored_rows,
    .schema =
        "{\"required\": [\"identity\", \"price\", \"why_no_price\", \"samples_per_dollar\", "
        "\"dollars_per_million_samples\", \"hours_per_million_samples\"]}"};

static const struct member cost_rows[] = {
    {MEMBER_ROWS(&document_cost_members)},
    {.name = "why_not_ranked",
     .type = MEMBER_TEXT,
     .nullable = true,
     .filled = true,
     .meaning = "Why the run takes part in no ranking: it is invalid, and its amounts are points "
                "without an interval; or it did not finish, and they are null."},
    {0},
};
const struct members run_cost_members = {
    .name = "RunCost",
    .meaning =
        "The machine and its price when the run began, its mean where a spot price moved "
        "meanwhile (later prices do not change either), and the cost of a million samples. "
        "null where there is no price in dollars, or the run has not finished.",
    .rows = cost_rows};

/* `identity` is from a stored cost, or NULL for the cost's own. */
static char *cost_text(const struct run_cost *cost, const struct span *identity,
                       const struct amount *samples_per_second)
{
    /* A sender may write more digits. */
    struct bytes text = {.limit = 8 * DOCUMENT_MEMBER_MAX};
    struct json_writer out = {.bytes = &text};
    struct cost_said said = {
        .cost = cost, .identity = identity, .priced = {&cost->price, cost->at_us}};

    said.million.known =
        samples_per_second && cost->price.known &&
        cost_of(samples_per_second, run_cost_paid(cost).per_hour, &said.million.cost);
    members_write(&out, NULL, &document_cost_members, &said);
    return text.data;
}

char *run_cost_to_text(const struct run_cost *cost, const struct amount *samples_per_second)
{
    return cost_text(cost, NULL, samples_per_second);
}

char *run_cost_renew(const char *stored, const struct machine_price *price, long long at_us,
                     const struct amount *samples_per_second)
{
    const struct run_cost cost = {.price = *price, .at_us = at_us};
    struct span known[COUNT(cost_facts)];

    cost_take_apart(stored, known);
    return cost_text(&cost, &known[IDENTITY], samples_per_second);
}

struct amount summary_speed(const struct summary *summary)
{
    return (struct amount){.value = summary->samples_per_second,
                           .low = summary->throughput.low,
                           .high = summary->throughput.high,
                           .has_interval = summary->throughput.known};
}

/* Without an interval if the run may not be ranked. False if unknown. */
static bool cost_of_run(const struct run *run, struct cost *ret_cost)
{
    struct amount speed = summary_speed(&run->summary);

    speed.has_interval = speed.has_interval && run_may_be_ranked(run);
    return run->state == RUN_FINISHED && strcmp(run->paid.currency, "USD") == 0 &&
           cost_of(&speed, run->paid.per_hour, ret_cost);
}

/* NULL if it may. */
static const char *why_not_ranked(const struct run *run)
{
    if (run->state != RUN_FINISHED)
        return "the run did not finish";
    return run_may_be_ranked(run) ? NULL : "the run is invalid: validity.findings says why";
}

void present_run_cost(struct json_writer *out, const char *key, const struct run *run)
{
    struct span known[COUNT(cost_facts)];
    struct million million;

    cost_take_apart(run->price, known);
    million.known = cost_of_run(run, &million.cost);
    jsonw_open(out, key, '{');
    for (size_t i = 0; i < COUNT(cost_facts); i++)
        jsonw_raw_span(out, cost_facts[i], known[i]);
    members_write_rows(out, &million_members, &million);
    jsonw_text(out, "why_not_ranked", why_not_ranked(run));
    jsonw_close(out, '}');
}

static double hours_of(const struct run *run)
{
    return run->started_us > 0 && run->ended_us > run->started_us
               ? (double)(run->ended_us - run->started_us) / 3600e6
               : NAN;
}

/* The head of a cost. */
struct cost_head {
    const struct paid_price *paid;
    double dollars;
    struct million million;
};

MEMBER_FINDS(find_paid, struct cost_head, head, head->paid)

static const struct member paid_rows[] = {
    {MEMBER_AS(struct paid_price, "price_per_hour", per_hour), .range = MEMBER_POSITIVE,
     .meaning = "Dollars, discount taken off."},
    {MEMBER(struct paid_price, kind), .nullable = true, .filled = true},
    {MEMBER(struct paid_price, feed), .nullable = true, .filled = true},
    {MEMBER_TIME_AT(struct paid_price, "fetched_at", fetched_us), .nullable = true},
    {0},
};
static const struct members paid_members = {.rows = paid_rows};

static const struct member head_rows[] = {
    {MEMBER_ROWS(&paid_members), .find = find_paid},
    {MEMBER(struct cost_head, dollars), .nullable = true, .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_ROWS_AT(struct cost_head, million, &million_members)},
    {0},
};
const struct members run_cost_head_members = {
    .name = "RunCostHead",
    .meaning = "A short cost, in lists: the price when the run began, or its mean where a spot "
               "price moved meanwhile, the dollars from its start to its end, and the cost of a "
               "million samples; null where the run has not finished, and without an interval "
               "where it is not valid.",
    .rows = head_rows};

void present_run_cost_head(struct json_writer *out, const char *key, const struct run *run)
{
    const struct paid_price *paid = &run->paid;
    struct cost_head head = {.paid = paid,
                             .dollars = price_exact(paid->per_hour * hours_of(run))};
    bool in_dollars = paid->per_hour > 0 && strcmp(paid->currency, "USD") == 0;

    head.million.known = cost_of_run(run, &head.million.cost);
    members_write(out, key, &run_cost_head_members, in_dollars ? &head : NULL);
}

static bool is_member(const char *name)
{
    for (size_t i = 0; i < COUNT(cost_facts); i++)
        if (strcmp(cost_facts[i], name) == 0)
            return true;
    for (size_t i = 0; i < COUNT(amounts); i++)
        if (strcmp(amounts[i].name, name) == 0)
            return true;
    return false;
}

static bool cost_has(json_t *cost, const char *name, struct error *err)
{
    return json_object_get(cost, name) ||
           error_set(err, ERROR_INVALID, "cost", "lacks '%s'", name);
}

static bool check_members(json_t *cost, struct error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(cost, key, value)
    {
        if (!is_member(key))
            return error_set(err, ERROR_INVALID, "cost", "has an unknown member '%.40s'", key);
    }
    for (size_t i = 0; i < OVER_RUN; i++)
        if (!cost_has(cost, cost_facts[i], err))
            return false;
    for (size_t i = 0; i < COUNT(amounts); i++)
        if (!cost_has(cost, amounts[i].name, err))
            return false;
    return json_is_object(json_object_get(cost, "identity")) ||
           error_set(err, ERROR_INVALID, "cost.identity", "must be an object");
}

/* The mean of a price that moved, instead of its start value. */
static bool read_over(const json_t *cost, struct paid_price *paid, struct error *err)
{
    const json_t *over = json_object_get(cost, "over_run");
    double mean = json_number_value(json_object_get(over, "price_per_hour"));

    if (!over || json_is_null(over))
        return true;
    if (!(mean > 0) || !(paid->per_hour > 0))
        return error_set(err, ERROR_INVALID, "cost.over_run",
                         "must have a price_per_hour above 0, and price must not be null");
    paid->per_hour = mean;
    return true;
}

bool run_cost_read(const char *text, json_t **ret_json, struct paid_price *ret_paid,
                   struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    const json_t *price = json_object_get(json, "price");
    struct paid_price paid = paid_price_read(price);

    if (!check_members(json, err))
        return false;
    if (!json_is_null(price) && !(paid.per_hour > 0))
        return error_set(err, ERROR_INVALID, "cost.price",
                         "must be null, or have a price_per_hour above 0");
    if (!read_over(json, &paid, err))
        return false;
    *ret_paid = paid;
    *ret_json = take(&json);
    return true;
}
