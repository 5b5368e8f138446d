#include "server/runs/import_cost.h"

#include "common/cleanup.h"
#include "common/json_text.h"
#include "pricing/cost.h"
#include "server/prices/price_json.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define AGREEMENT 0.001

static const char *const members[] = {"identity",
                                      "price",
                                      "why_no_price",
                                      "samples_per_dollar",
                                      "dollars_per_million_samples",
                                      "hours_per_million_samples",
                                      NULL};

static bool check_members(json_t *cost, struct error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(cost, key, value)
    {
        bool known = false;

        for (const char *const *name = members; *name; name++)
            known = known || strcmp(*name, key) == 0;
        if (!known)
            return error_set(err, ERROR_INVALID, "cost", "has an unknown member '%.40s'", key);
    }
    for (const char *const *name = members; *name; name++)
        if (!json_object_get(cost, *name))
            return error_set(err, ERROR_INVALID, "cost", "lacks '%s'", *name);
    return json_is_object(json_object_get(cost, "identity")) ||
           error_set(err, ERROR_INVALID, "cost.identity", "must be an object");
}

/* Nothing is paid where there is no price. */
static bool read_price(json_t *cost, struct paid_price *ret_paid, struct error *err)
{
    const json_t *price = json_object_get(cost, "price");

    *ret_paid = paid_price_read(price);
    return json_is_null(price) || ret_paid->per_hour > 0 ||
           error_set(err, ERROR_INVALID, "cost.price",
                     "must be null, or have a price_per_hour above 0");
}

static bool number_agrees(json_t *given, bool known, double computed)
{
    if (!known)
        return json_is_null(given);
    return json_is_number(given) &&
           fabs(json_number_value(given) - computed) <= AGREEMENT * fabs(computed);
}

/* The price, and what each member must be; `known` is false where there is no price to divide by.
 */
struct derived {
    struct paid_price paid;
    bool known;
    struct cost each;
};

static const struct {
    const char *name;
    size_t offset; /* of a struct amount in struct cost */
} amounts[] = {{"samples_per_dollar", offsetof(struct cost, samples_per_dollar)},
               {"dollars_per_million_samples", offsetof(struct cost, dollars_per_million)},
               {"hours_per_million_samples", offsetof(struct cost, hours_per_million)}};

static const struct amount *amount_at(const struct derived *derived, size_t i)
{
    return (const struct amount *)(const void *)((const char *)&derived->each +
                                                 amounts[i].offset);
}

static bool check_amount(json_t *cost, const struct derived *derived, size_t i, struct error *err)
{
    json_t *given = json_object_get(cost, amounts[i].name);
    const struct amount *computed = amount_at(derived, i);
    char field[64];

    snprintf(field, sizeof field, "cost.%s", amounts[i].name);
    if (json_is_null(given)) /* said nothing: what can be wrong is what is said */
        return true;
    if (!derived->known)
        return error_set(err, ERROR_INVALID, field, "cannot be known without a price");
    if (json_is_object(given) && json_object_size(given) == 3 &&
        number_agrees(json_object_get(given, "value"), true, computed->value) &&
        number_agrees(json_object_get(given, "low"), computed->has_interval, computed->low) &&
        number_agrees(json_object_get(given, "high"), computed->has_interval, computed->high))
        return true;
    return error_set(err, ERROR_INVALID, field, "is not what the price and the steps give: %.9g",
                     computed->value);
}

static json_t *amount_json(const struct amount *amount)
{
    if (!amount->has_interval)
        return json_pack("{s:f, s:n, s:n}", "value", amount->value, "low", "high");
    return json_pack("{s:f, s:f, s:f}", "value", amount->value, "low", amount->low, "high",
                     amount->high);
}

/* The checked members of a cost, and what must follow from them. */
static bool read_cost(const char *cost, const struct summary *summary, json_t **ret_json,
                      struct derived *ret_derived, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(cost, 0, NULL);
    const struct range *throughput = &summary->throughput;
    const struct amount speed = {.value = summary->samples_per_second,
                                 .low = throughput->low,
                                 .high = throughput->high,
                                 .has_interval = throughput->known};

    if (!json)
        return error_no_memory(err);
    if (!check_members(json, err) || !read_price(json, &ret_derived->paid, err))
        return false;
    ret_derived->known = cost_of(&speed, ret_derived->paid.per_hour, &ret_derived->each);
    *ret_json = take(&json);
    return true;
}

bool import_cost_check(const char *cost, const struct summary *summary,
                       struct paid_price *ret_paid, struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct derived derived;

    *ret_paid = (struct paid_price){0};
    if (!cost)
        return true;
    if (!read_cost(cost, summary, &json, &derived, err))
        return false;
    for (size_t i = 0; i < COUNT(amounts); i++)
        if (!check_amount(json, &derived, i, err))
            return false;
    *ret_paid = derived.paid;
    return true;
}

bool import_cost_renew(char **cost, const struct summary *summary, struct paid_price *ret_paid,
                       struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct derived derived;
    char *text;

    *ret_paid = (struct paid_price){0};
    if (!*cost)
        return true;
    if (!read_cost(*cost, summary, &json, &derived, err))
        return false;
    for (size_t i = 0; i < COUNT(amounts); i++)
        if (!json_is_null(json_object_get(json, amounts[i].name)) &&
            json_object_set_new(json, amounts[i].name,
                                derived.known ? amount_json(amount_at(&derived, i))
                                              : json_null()) != 0)
            return error_no_memory(err);
    text = json_text(json);
    if (!text)
        return error_no_memory(err);
    free(*cost);
    *cost = text;
    *ret_paid = derived.paid;
    return true;
}
