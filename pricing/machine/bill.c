#include "pricing/machine/bill.h"

#include "common/cleanup.h"
#include "common/known_names.h"

#include <stddef.h>
#include <stdint.h>

/* A number of a bill: what it is called, and what is allowed. */
struct number {
    const char *name, *field; /* the member of the object, and its place in the body */
    size_t offset;
    double min, max;
    bool above_min; /* min itself is not allowed */
};

#define FORMULA_SIZE 160 /* of numbers that anybody types it is at most 95 */
#define NUMBER(member) offsetof(struct machine_bill, member)

static const struct number by_hour = {
    "price_per_hour", "price_per_hour", NUMBER(per_hour), 0, PRICE_DOLLARS_MAX, true};
static const struct number by_month = {
    "per_month", "per_month", NUMBER(per_month), 0, (double)PRICE_DOLLARS_MAX *BILL_MONTH_HOURS,
    true};
static const struct number own[] = {
    {"purchase", "own.purchase", NUMBER(purchase), 0, 1e8, false},
    {"years", "own.years", NUMBER(years), 0, 100, true},
    {"watts", "own.watts", NUMBER(watts), 0, 1e6, false},
    {"cents_per_kwh", "own.cents_per_kwh", NUMBER(cents_per_kwh), 0, 1e4, false},
};

static const char *const ways[] = {
    [BILL_BY_HOUR] = "price_per_hour", [BILL_BY_MONTH] = "per_month", [BILL_OWN] = "own", NULL};

static bool read_number(const json_t *json, const struct number *number,
                        struct machine_bill *bill, struct error *err)
{
    const json_t *value = json_object_get(json, number->name);
    double read = json_number_value(value); /* 0 of what is no number */

    if (!value)
        return error_set(err, ERROR_INVALID, number->field, "is missing");
    if (!json_is_number(value) || read > number->max ||
        !(number->above_min ? read > number->min : read >= number->min))
        return error_set(err, ERROR_INVALID, number->field, "must be a number %s %.0f%s %.0f",
                         number->above_min ? "above" : "from", number->min,
                         number->above_min ? " and at most" : " to", number->max);
    memcpy((char *)bill + number->offset, &read, sizeof read);
    return true;
}

static bool read_own(const json_t *json, struct machine_bill *bill, struct error *err)
{
    struct error why = {0};
    const char *key;
    json_t *value;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, "own",
                         "must be an object with purchase, years, watts and cents_per_kwh");
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        const char *const names[] = {own[0].name, own[1].name, own[2].name, own[3].name, NULL};

        if (!known_names_check(names, key, &why)) {
            char field[sizeof why.field + 4];

            snprintf(field, sizeof field, "own.%s", why.field);
            error_set(err, why.kind, field, "%s", why.message);
            err->allowed = why.allowed;
            return false;
        }
    }
    for (size_t i = 0; i < COUNT(own); i++)
        if (!read_number(json, &own[i], bill, err))
            return false;
    return true;
}

bool machine_bill_read(const json_t *json, struct machine_bill *ret_bill, struct error *err)
{
    struct machine_bill bill = {0};
    int count = 0;

    for (int way = 0; ways[way]; way++) {
        if (!json_object_get(json, ways[way]))
            continue;
        bill.way = (enum bill_way)way;
        count++;
    }
    if (count != 1)
        return error_set(err, ERROR_INVALID, count == 0 ? "price_per_hour" : ways[bill.way],
                         "%s: give exactly one of price_per_hour, per_month and own",
                         count == 0 ? "no price is given" : "is one price too many");
    if (bill.way == BILL_OWN
            ? !read_own(json_object_get(json, "own"), &bill, err)
            : !read_number(json, bill.way == BILL_BY_HOUR ? &by_hour : &by_month, &bill, err))
        return false;
    *ret_bill = bill;
    return true;
}

/* Dollars an hour; and the formula with its numbers. */
static double compute(const struct machine_bill *bill, char ret_formula[FORMULA_SIZE])
{
    switch (bill->way) {
    case BILL_BY_HOUR:
        snprintf(ret_formula, FORMULA_SIZE, "%.9g USD an hour", bill->per_hour);
        return bill->per_hour;
    case BILL_BY_MONTH:
        snprintf(ret_formula, FORMULA_SIZE, "%.9g USD a month / %d h", bill->per_month,
                 BILL_MONTH_HOURS);
        return bill->per_month / BILL_MONTH_HOURS;
    default:
        snprintf(ret_formula, FORMULA_SIZE,
                 "%.8g USD / (%.6g years * %d h) + %.7g W / 1000 * %.6g cents a kWh / 100",
                 bill->purchase, bill->years, BILL_YEAR_HOURS, bill->watts, bill->cents_per_kwh);
        return bill->purchase / (bill->years * BILL_YEAR_HOURS) +
               bill->watts / 1000 * bill->cents_per_kwh / 100;
    }
}

bool machine_bill_price(const struct machine_bill *bill, struct price *ret_price,
                        struct error *err)
{
    struct price price = {.kind = bill->way == BILL_OWN ? PRICE_OWN : PRICE_TYPED,
                          .currency = "USD"};
    char formula[FORMULA_SIZE];
    double dollars = compute(bill, formula);

    snprintf(price.reference, sizeof price.reference, "%.95s", formula);
    if (bill->way != BILL_BY_HOUR)
        dollars = price_exact(dollars);
    if (!price_set_number(&price, dollars))
        return error_set(err, ERROR_INVALID, ways[bill->way],
                         "makes %.9g USD an hour: an hour must cost 0.000000001 USD or more, and "
                         "at most %d",
                         dollars, PRICE_DOLLARS_MAX);
    *ret_price = price;
    return true;
}
