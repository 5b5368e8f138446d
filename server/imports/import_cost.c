#include "server/imports/import_cost.h"

#include "common/cleanup.h"
#include "common/json_text.h"
#include "pricing/cost.h"
#include "server/prices/cost_json.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static bool number_agrees(json_t *given, bool known, double computed)
{
    if (!known)
        return json_is_null(given);
    return json_is_number(given) &&
           fabs(json_number_value(given) - computed) <= IMPORT_AGREEMENT * fabs(computed);
}

/* The price, and the value that each member must have; `known` is false without a price. */
struct derived {
    struct paid_price paid;
    bool known;
    struct cost each;
};

static bool check_amount(json_t *cost, const struct derived *derived, size_t i, struct error *err)
{
    json_t *given = json_object_get(cost, cost_amount_name(i));
    const struct amount *computed = cost_amount(&derived->each, i);
    char field[64];

    snprintf(field, sizeof field, "cost.%s", cost_amount_name(i));
    if (json_is_null(given)) /* null claims nothing, so there is nothing to check */
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

/* The checked members of a cost, and what must follow from them. */
static bool read_cost(const char *cost, const struct summary *summary, json_t **ret_json,
                      struct derived *ret_derived, struct error *err)
{
    const struct amount speed = summary_speed(summary);

    if (!run_cost_read(cost, ret_json, &ret_derived->paid, err))
        return false;
    ret_derived->known = cost_of(&speed, ret_derived->paid.per_hour, &ret_derived->each);
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
    for (size_t i = 0; i < COST_AMOUNTS; i++)
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
    for (size_t i = 0; i < COST_AMOUNTS; i++)
        if (!json_is_null(json_object_get(json, cost_amount_name(i))))
            json_object_set_new(json, cost_amount_name(i),
                                derived.known ? cost_amount_to_json(cost_amount(&derived.each, i))
                                              : json_null());
    text = json_text(json);
    free(*cost);
    *cost = text;
    *ret_paid = derived.paid;
    return true;
}
