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

static const char *const others[] = {"identity", "price", "why_no_price"};

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

/* Left out where the price never moved. */
static void present_over(struct json_writer *out, const struct price_window *over)
{
    if (!over->known)
        return;
    jsonw_open(out, "over_run", '{');
    jsonw_number(out, "price_per_hour", over->mean);
    jsonw_number(out, "low", over->low);
    jsonw_number(out, "high", over->high);
    jsonw_close(out, '}');
}

/* `identity` is the JSON text of a stored cost, or NULL for the cost's own. */
static char *cost_text(const struct run_cost *cost, const char *identity,
                       const struct amount *samples_per_second)
{
    /* What was sent may be written with more digits. */
    struct bytes text = {.limit = 8 * DOCUMENT_MEMBER_MAX};
    struct json_writer out = {.bytes = &text};
    struct cost each;
    bool known = samples_per_second && cost->price.known &&
                 cost_of(samples_per_second, run_cost_paid(cost).per_hour, &each);

    jsonw_open(&out, NULL, '{');
    if (identity)
        jsonw_raw(&out, "identity", identity);
    else
        present_identity(&out, "identity", &cost->identity);
    present_machine_price(&out, &cost->price, cost->at_us);
    present_over(&out, &cost->over);
    for (size_t i = 0; i < COST_AMOUNTS; i++)
        present_interval(&out, amounts[i].name, known ? cost_amount(&each, i) : NULL);
    jsonw_close(&out, '}');
    return text.data;
}

char *run_cost_to_text(const struct run_cost *cost, const struct amount *samples_per_second)
{
    return cost_text(cost, NULL, samples_per_second);
}

char *run_cost_renew(const char *stored, const struct machine_price *price, long long at_us,
                     const struct amount *samples_per_second)
{
    AUTO(json_decrefp) json_t *json = json_loads(stored, 0, NULL);
    AUTO(freep) char *identity = json_text(json_object_get(json, "identity"));
    const struct run_cost cost = {.price = *price, .at_us = at_us};

    return cost_text(&cost, identity ? identity : "null", samples_per_second);
}

/* Where the run may not be ranked a point without an interval. False where nothing is known. */
static bool cost_of_run(const struct run *run, struct cost *ret_cost)
{
    const struct summary *summary = &run->summary;
    const struct amount speed = {.value = summary->samples_per_second,
                                 .low = summary->throughput.low,
                                 .high = summary->throughput.high,
                                 .has_interval =
                                     summary->throughput.known && run_may_be_ranked(run)};

    return run->state == RUN_FINISHED && strcmp(run->paid.currency, "USD") == 0 &&
           cost_of(&speed, run->paid.per_hour, ret_cost);
}

/* NULL where it is. */
static const char *why_not_ranked(const struct run *run)
{
    if (run->state != RUN_FINISHED)
        return "the run did not finish";
    return run_may_be_ranked(run) ? NULL : "the run is invalid: validity.findings says why";
}

/* The stored object with points in place of what follows from the speed; NULL of what is not
 * JSON.
 */
static char *with_points(const struct run *run)
{
    AUTO(json_decrefp) json_t *json = json_loads(run->price, 0, NULL);
    struct cost cost;
    bool known = cost_of_run(run, &cost);

    if (!json_object_get(json, "over_run"))
        json_object_set_new(json, "over_run", json_null());
    for (size_t i = 0; i < COUNT(amounts); i++)
        json_object_set_new(json, amounts[i].name,
                            known ? cost_amount_to_json(cost_amount(&cost, i)) : json_null());
    json_object_set_new(json, "why_not_ranked", json_string(why_not_ranked(run)));
    return json_text(json);
}

/* The stored text as it is, to the digit, and what it lacks. */
static char *with_no_reason(const char *stored)
{
    size_t length = strlen(stored);

    /* Within a string there would be a backslash before the quotation mark. */
    const char *over = strstr(stored, "\"over_run\":") ? "" : ",\"over_run\":null";

    return length < 1
               ? NULL
               : xasprintf("%.*s%s,\"why_not_ranked\":null}", (int)length - 1, stored, over);
}

void present_run_cost(struct json_writer *out, const char *key, const struct run *run)
{
    AUTO(freep)
    char *text = why_not_ranked(run) ? with_points(run) : with_no_reason(run->price);

    jsonw_raw(out, key, text);
}

static double hours_of(const struct run *run)
{
    return run->started_us > 0 && run->ended_us > run->started_us
               ? (double)(run->ended_us - run->started_us) / 3600e6
               : NAN;
}

void present_run_cost_head(struct json_writer *out, const char *key, const struct run *run)
{
    const struct paid_price *paid = &run->paid;
    struct cost each;
    bool known = cost_of_run(run, &each);

    if (!(paid->per_hour > 0) || strcmp(paid->currency, "USD") != 0) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_number(out, "price_per_hour", paid->per_hour);
    jsonw_text(out, "kind", text_or_null(paid->kind));
    jsonw_text(out, "feed", text_or_null(paid->feed));
    jsonw_time(out, "fetched_at", paid->fetched_us);
    jsonw_number(out, "dollars", price_exact(paid->per_hour * hours_of(run)));
    for (size_t i = 0; i < COST_AMOUNTS; i++)
        present_interval(out, amounts[i].name, known ? cost_amount(&each, i) : NULL);
    jsonw_close(out, '}');
}

static bool is_member(const char *name)
{
    if (strcmp(name, "over_run") == 0)
        return true;
    for (size_t i = 0; i < COUNT(others); i++)
        if (strcmp(others[i], name) == 0)
            return true;
    for (size_t i = 0; i < COUNT(amounts); i++)
        if (strcmp(amounts[i].name, name) == 0)
            return true;
    return false;
}

static bool has(json_t *cost, const char *name, struct error *err)
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
    for (size_t i = 0; i < COUNT(others); i++)
        if (!has(cost, others[i], err))
            return false;
    for (size_t i = 0; i < COUNT(amounts); i++)
        if (!has(cost, amounts[i].name, err))
            return false;
    return json_is_object(json_object_get(cost, "identity")) ||
           error_set(err, ERROR_INVALID, "cost.identity", "must be an object");
}

/* The mean of a price that moved, in place of what it was at the start. */
static bool read_over(const json_t *cost, struct paid_price *paid, struct error *err)
{
    const json_t *over = json_object_get(cost, "over_run");
    double mean = json_number_value(json_object_get(over, "price_per_hour"));

    if (!over || json_is_null(over))
        return true;
    if (!(mean > 0) || !(paid->per_hour > 0))
        return error_set(err, ERROR_INVALID, "cost.over_run",
                         "must have a price_per_hour above 0, beside a price");
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
