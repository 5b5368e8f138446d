#include "pricing/machine/bill.h"

#include "common/cleanup.h"

#define FORMULA_SIZE 160 /* of numbers that anybody types it is at most 95 */

static const struct field own_rows[] = {
    {BODY_AT(struct machine_bill, purchase), .type = FIELD_AMOUNT, .max = 100000000,
     .required = true, .meaning = "What it cost, in dollars."},
    {BODY_AT(struct machine_bill, years), .type = FIELD_NUMBER, .max = 100, .required = true,
     .meaning = "How long it is used."},
    {BODY_AT(struct machine_bill, watts), .type = FIELD_AMOUNT, .max = 1000000, .required = true,
     .meaning = "What it draws while it trains."},
    {BODY_AT(struct machine_bill, cents_per_kwh), .type = FIELD_AMOUNT, .max = 10000,
     .required = true, .meaning = "What a kilowatt-hour costs, in US cents."},
};
static const struct body own_body = {
    .name = "OwnMachine",
    .meaning = "Own hardware: purchase / (years * 8760 hours) + watts / 1000 * cents_per_kwh / "
               "100 dollars an hour, which must be above 0 and at most 100000.",
    BODY_ROWS(own_rows),
    .no_object = "must be an object with purchase, years, watts and cents_per_kwh"};

static bool read_machine(const struct field *field, const json_t *value, void *object,
                         struct error *err)
{
    const char *machine = json_string_value(value);

    (void)object;
    return (machine && strcmp(machine, "this") == 0) ||
           error_set(err, ERROR_INVALID, field->name,
                     "must be \"this\": a price of another machine names its instance_type");
}

static const struct field rows[] = {
    {.name = "machine",
     .type = FIELD_OWN,
     .read = read_machine,
     .required = true,
     .schema = "{\"const\": \"this\"}"},
    {BODY_AS(struct machine_bill, "price_per_hour", per_hour), .type = FIELD_NUMBER,
     .max = PRICE_DOLLARS_MAX, .schema = "{\"minimum\": 5e-10}"},
    {BODY_AT(struct machine_bill, per_month), .type = FIELD_NUMBER,
     .max = (long long)PRICE_DOLLARS_MAX * BILL_MONTH_HOURS, .schema = "{\"minimum\": 3.65e-7}"},
    {.name = "own", .type = FIELD_OBJECT, .body = &own_body},
};
const struct body machine_price_body = {
    .name = "MachinePrice",
    .meaning =
        "What this machine costs, in exactly one of three ways: dollars an hour, dollars a "
        "month (of 730 hours), or own hardware. Stored like any typed price: of the type "
        "of this machine, or where that is unknown under a name of this machine. It is the "
        "price of its runs from now on, and of its stored runs that began without a price "
        "(`feed` is typed-later then). Another one replaces it.",
    BODY_ROWS(rows),
    .schema = "{\"oneOf\": [{\"required\": [\"price_per_hour\"]}, "
              "{\"required\": [\"per_month\"]}, {\"required\": [\"own\"]}]}"};

static const char *const ways[] = {
    [BILL_BY_HOUR] = "price_per_hour", [BILL_BY_MONTH] = "per_month", [BILL_OWN] = "own", NULL};

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
    if (!body_read(&machine_price_body, json, &bill, err))
        return false;
    *ret_bill = bill;
    return true;
}

/* Dollars an hour; and the formula with its numbers. */
static double bill_compute(const struct machine_bill *bill, char ret_formula[FORMULA_SIZE])
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
    double dollars = bill_compute(bill, formula);

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
