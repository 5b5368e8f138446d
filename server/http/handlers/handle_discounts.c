/* /v1/discounts: what a customer pays less than the list price, for each provider and family.
 * Tested by tests/api/test_comparison.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/known_names.h"
#include "db/prices/catalogue.h"
#include "db/prices/withdrawals.h"
#include "pricing/given.h"
#include "pricing/parse_time.h"
#include "server/api/prices.h"
#include "server/base/taken_back_json.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"

#include <limits.h>
#include <math.h>

static void write_members(struct json_writer *out, const struct discount *discount)
{
    jsonw_integer(out, "id", discount->number);
    jsonw_text(out, "provider", discount->provider);
    jsonw_text(out, "family", *discount->family ? discount->family : NULL);
    jsonw_text(out, "kind", price_kind_name(discount->kind));
    jsonw_number(out, "factor", discount->factor > 0 ? discount->factor : NAN);
    jsonw_text(out, "note", *discount->note ? discount->note : NULL);
    jsonw_time(out, "valid_from", discount->since_us);
    present_taken_back(out, "withdrawn", &discount->withdrawn);
}

static void write_discount(void *user, const struct discount *discount)
{
    struct json_writer *out = user;

    jsonw_open(out, NULL, '{');
    write_members(out, discount);
    jsonw_close(out, '}');
}

void discounts_list_handler(struct exchange *exchange)
{
    const struct discounts_question *asked = exchange->request.parameters;
    long long at_us = asked->at_us ? asked->at_us : clock_calendar_us();
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    jsonw_open(&out, NULL, '{');
    jsonw_open(&out, "discounts", '[');
    if (!(asked->history ? discounts_history : discounts_each)(loan.db, at_us, write_discount,
                                                               &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}

static const char *const fields[] = {"provider", "family",     "kind", "factor",
                                     "note",     "valid_from", NULL};

/* Reads the factor; null withdraws the discount. */
static bool read_factor(const json_t *json, double *ret_factor, struct error *err)
{
    *ret_factor = json_number_value(json);
    if (json_is_null(json))
        return true;
    return (json_is_number(json) && *ret_factor > 0 && *ret_factor <= 1) ||
           error_set(err, ERROR_INVALID, "factor",
                     "must be a number above 0 and at most 1, or null to withdraw it");
}

static bool read_text(const json_t *json, const char *name, char *member, size_t size,
                      struct error *err)
{
    const json_t *value = json_object_get(json, name);

    member[0] = '\0';
    if (!value || json_is_null(value))
        return true;
    if (json_is_string(value) && price_word(member, size, json_string_value(value)))
        return given_word_check(name, member, err);
    return error_set(err, ERROR_INVALID, name, "must have 1 to %zu printable ASCII characters",
                     size - 1);
}

static bool read_discount(json_t *json, struct discount *discount, struct error *err)
{
    static const char *const kinds[] = {"on_demand", "spot", NULL};
    const char *kind = source_text(json, "kind"), *from = source_text(json, "valid_from"), *name;
    json_t *value;

    *discount = (struct discount){.kind = PRICE_ON_DEMAND, .since_us = clock_calendar_us()};
    json_object_foreach(json, name, value)
    {
        if (!known_names_check(fields, name, err))
            return false;
    }
    if (!read_text(json, "provider", discount->provider, sizeof discount->provider, err) ||
        !read_text(json, "family", discount->family, sizeof discount->family, err) ||
        !read_text(json, "note", discount->note, sizeof discount->note, err) ||
        !read_factor(json_object_get(json, "factor"), &discount->factor, err))
        return false;
    if (!discount->provider[0])
        return error_set(err, ERROR_INVALID, "provider", "is missing");
    if (!given_provider_check("provider", discount->provider, err))
        return false;
    if (discount->family[0] && strchr("._-", discount->family[strlen(discount->family) - 1]))
        return error_set(err, ERROR_INVALID, "family",
                         "is a family without the mark behind it, like c7i or n2-standard, got "
                         "'%.31s'",
                         discount->family);
    if (json_object_get(json, "kind") &&
        (!price_kind_from_name(kind, &discount->kind) || discount->kind > PRICE_SPOT))
        return error_not_allowed(err, "kind", (struct allowed){.choices = kinds},
                                 "'%.40s' is not a kind of price that has a list", kind);
    return !json_object_get(json, "valid_from") || parse_time_given(from, &discount->since_us) ||
           error_set(err, ERROR_INVALID, "valid_from",
                     "must be a time like 2026-08-06T17:17:52Z");
}

void discounts_create_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(json_decrefp) json_t *json = NULL;
    struct discount discount;
    struct error err = {0};
    long long types;

    json = request_json(exchange, &err);
    if (!json || !read_discount(json, &discount, &err)) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!discounts_put(loan.db, &discount, &discount.number, &err) ||
        !discounts_reach(loan.db, &discount, &types, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_open(&out, NULL, '{');
    write_members(&out, &discount);
    jsonw_integer(&out, "known_types", types);
    jsonw_close(&out, '}');
    reply_json(exchange, 201, &out);
}

/* The {id} of the path, as a listed discount has it. */
static bool read_number(const struct router_match *match, char ret_id[24], long long *ret_number)
{
    const struct field number = {.name = "id", .min = 1, .max = LLONG_MAX};
    struct error ignored = {0};

    snprintf(ret_id, 24, "%.*s", (int)match->id_length, match->id);
    return match->id_length < 24 && field_read_text(&number, ret_id, ret_number, &ignored);
}

void discounts_withdraw_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct discount discount;
    struct taken_back taken;
    struct error err = {0};
    long long number;
    char id[24];

    if (!taking_back_read_body(exchange, &taken))
        return;
    if (!read_number(&exchange->request.match, id, &number)) {
        reply_problem(exchange, 404, NULL, "there is no such discount");
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!discounts_withdraw(loan.db, number, &taken, &discount, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (discount.withdrawn.at_us == taken.at_us)
        taking_back_note(exchange, "discount withdrawn", id, taken.reason);
    write_discount(&out, &discount);
    reply_json(exchange, 200, &out);
}
