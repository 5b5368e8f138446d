#include "server/import_cost.h"

#include "common/cleanup.h"
#include "pricing/cost.h"

#include <math.h>

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

/* Dollars an hour after a discount; 0 where there is no price. */
static bool read_dollars(json_t *cost, double *ret_dollars, struct error *err)
{
    json_t *price = json_object_get(cost, "price"), *discount, *hour;

    *ret_dollars = 0;
    if (json_is_null(price))
        return true;
    discount = json_object_get(price, "discount");
    hour = json_object_get(json_is_object(discount) ? discount : price, "price_per_hour");
    *ret_dollars = json_number_value(hour);
    return *ret_dollars > 0 || error_set(err, ERROR_INVALID, "cost.price",
                                         "must be null, or have a price_per_hour above 0");
}

static bool number_agrees(json_t *told, bool known, double computed)
{
    if (!known)
        return json_is_null(told);
    return json_is_number(told) &&
           fabs(json_number_value(told) - computed) <= AGREEMENT * fabs(computed);
}

/* `computed` is NULL where there can be none. */
static bool check_amount(json_t *cost, const char *name, const struct amount *computed,
                         struct error *err)
{
    json_t *told = json_object_get(cost, name);
    char field[64];

    snprintf(field, sizeof field, "cost.%s", name);
    if (json_is_null(told)) /* said nothing: what can be wrong is what is said */
        return true;
    if (!computed)
        return error_set(err, ERROR_INVALID, field, "cannot be known without a price");
    if (json_is_object(told) && json_object_size(told) == 3 &&
        number_agrees(json_object_get(told, "value"), true, computed->value) &&
        number_agrees(json_object_get(told, "low"), computed->has_interval, computed->low) &&
        number_agrees(json_object_get(told, "high"), computed->has_interval, computed->high))
        return true;
    return error_set(err, ERROR_INVALID, field, "is not what the price and the steps give: %.9g",
                     computed->value);
}

bool import_cost_check(const char *cost, const struct summary *summary, struct error *err)
{
    AUTO(json_decrefp) json_t *json = cost ? json_loads(cost, 0, NULL) : NULL;
    const struct range *throughput = &summary->throughput;
    const struct amount speed = {.value = summary->samples_per_second,
                                 .low = throughput->low,
                                 .high = throughput->high,
                                 .has_interval = throughput->known};
    struct cost each;
    double dollars;
    bool known;

    if (!cost)
        return true;
    if (!json)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    if (!check_members(json, err) || !read_dollars(json, &dollars, err))
        return false;
    known = cost_of(&speed, dollars, &each);
    return check_amount(json, "samples_per_dollar", known ? &each.samples_per_dollar : NULL,
                        err) &&
           check_amount(json, "dollars_per_million_samples",
                        known ? &each.dollars_per_million : NULL, err) &&
           check_amount(json, "hours_per_million_samples", known ? &each.hours_per_million : NULL,
                        err);
}
