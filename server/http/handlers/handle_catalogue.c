/* /v1/instances, /v1/discounts: what feeds say of instance types, and what a person gets off. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/catalogue.h"
#include "pricing/parse_time.h"
#include "server/http/handlers/handlers.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"

#include <math.h>

#define TYPES_MAX 500

/* A list while it is written; for a region that is asked for, with the prices there. */
struct catalogue {
    struct json_writer *out;
    struct db *db;
    const char *region;
    const struct discount_list *discounts;
    long long limit, count, now_us;
    char last[96];
    struct error *err;
};

static void tell_price(void *user, const struct price_view *view)
{
    struct catalogue *catalogue = user;

    present_price(catalogue->out, NULL, view, catalogue->discounts, catalogue->now_us);
}

static void tell_band(void *user, const char *region, const char *band)
{
    struct catalogue *catalogue = user;

    if (catalogue->region && strcmp(catalogue->region, region) != 0)
        return;
    jsonw_open(catalogue->out, NULL, '{');
    jsonw_text(catalogue->out, "region", region);
    jsonw_text(catalogue->out, "interrupted", band);
    jsonw_close(catalogue->out, '}');
}

static void present_prices(struct catalogue *catalogue, const struct instance_type *type)
{
    const struct price_filter filter = {.provider = type->provider,
                                        .region = catalogue->region,
                                        .instance_type = type->name,
                                        .at_us = catalogue->now_us,
                                        .limit = 100};

    if (!catalogue->region) {
        jsonw_null(catalogue->out, "prices");
        return;
    }
    jsonw_open(catalogue->out, "prices", '[');
    (void)!price_list(catalogue->db, &filter, tell_price, catalogue, catalogue->err);
    jsonw_close(catalogue->out, ']');
}

static void present_number(struct json_writer *out, const char *key, double number)
{
    jsonw_number(out, key, number > 0 ? number : NAN);
}

static void tell_type(void *user, const struct instance_type *type, const char *feed)
{
    struct catalogue *catalogue = user;
    struct json_writer *out = catalogue->out;

    if (catalogue->count++ == catalogue->limit)
        return;
    snprintf(catalogue->last, sizeof catalogue->last, "%s %s", type->name, type->provider);
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "provider", type->provider);
    jsonw_text(out, "instance_type", type->name);
    present_number(out, "vcpus", type->vcpus);
    present_number(out, "memory_gib", type->memory_gib);
    jsonw_text(out, "architecture", *type->architecture ? type->architecture : NULL);
    jsonw_text(out, "accelerator", *type->accelerator ? type->accelerator : NULL);
    jsonw_text(out, "feed", feed);
    jsonw_open(out, "interruptions", '[');
    (void)!catalogue_interruptions(catalogue->db, type->provider, type->name, tell_band,
                                   catalogue, catalogue->err);
    jsonw_close(out, ']');
    present_prices(catalogue, type);
    jsonw_close(out, '}');
}

static bool read_filter(const struct query *query, struct type_filter *filter, struct error *err)
{
    static const char *const words[] = {"provider",     "instance_type", "prefix", "region",
                                        "architecture", "cursor",        NULL};
    const struct field limit = {.name = "limit", .min = 1, .max = TYPES_MAX};
    const struct field vcpus = {.name = "min_vcpus", .type = FIELD_NUMBER, .max = 100000};
    const struct field memory = {.name = "min_memory_gib", .type = FIELD_NUMBER, .max = 1000000};
    const char *limit_text = query_find(query, "limit");
    const char *vcpus_text = query_find(query, "min_vcpus");
    const char *memory_text = query_find(query, "min_memory_gib");

    *filter = (struct type_filter){.provider = query_find(query, "provider"),
                                   .name = query_find(query, "instance_type"),
                                   .architecture = query_find(query, "architecture"),
                                   .prefix = query_find(query, "prefix"),
                                   .after = query_find(query, "cursor"),
                                   .limit = 100};
    return query_check_words(query, words, QUERY_WORD_MAX, err) &&
           (!limit_text || field_read_text(&limit, limit_text, &filter->limit, err)) &&
           (!vcpus_text || field_read_text(&vcpus, vcpus_text, &filter->min_vcpus, err)) &&
           (!memory_text || field_read_text(&memory, memory_text, &filter->min_memory_gib, err));
}

static bool write_types(struct catalogue *catalogue, const struct type_filter *filter,
                        struct error *err)
{
    struct type_filter more = *filter;

    more.limit++;
    jsonw_open(catalogue->out, NULL, '{');
    jsonw_open(catalogue->out, "instances", '[');
    if (!catalogue_types(catalogue->db, &more, tell_type, catalogue, err) ||
        err->kind != ERROR_NONE)
        return false;
    jsonw_close(catalogue->out, ']');
    jsonw_text(catalogue->out, "next_cursor",
               catalogue->count > catalogue->limit ? catalogue->last : NULL);
    jsonw_close(catalogue->out, '}');
    return true;
}

void instances_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {
        "provider",  "instance_type",  "prefix", "region", "architecture",
        "min_vcpus", "min_memory_gib", "limit",  "cursor", NULL};
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(freep) struct discount_list *discounts = calloc(1, sizeof *discounts);
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};
    struct catalogue catalogue = {.out = &out,
                                  .region = query_find(&exchange->request.query, "region"),
                                  .discounts = discounts,
                                  .now_us = clock_calendar_us(),
                                  .err = &err};
    struct type_filter filter;

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed))
        return;
    if (!read_filter(&exchange->request.query, &filter, &err) ||
        (!discounts && !error_no_memory(&err))) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    catalogue.db = loan.db;
    catalogue.limit = filter.limit;
    if (!discounts_each(loan.db, catalogue.now_us, discount_list_add, discounts, &err) ||
        !write_types(&catalogue, &filter, &err))
        reply_error(exchange, &err);
    else
        reply_json(exchange, 200, &out);
}

static void tell_discount(void *user, const struct discount *discount)
{
    struct json_writer *out = user;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "provider", discount->provider);
    jsonw_text(out, "family", *discount->family ? discount->family : NULL);
    jsonw_text(out, "kind", price_kind_name(discount->kind));
    jsonw_number(out, "factor", discount->factor > 0 ? discount->factor : NAN);
    jsonw_text(out, "note", *discount->note ? discount->note : NULL);
    jsonw_time(out, "valid_from", discount->since_us);
    jsonw_close(out, '}');
}

void discounts_list_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {"at", NULL};
    const char *at = query_find(&exchange->request.query, "at");
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    long long at_us = clock_calendar_us();
    struct error err = {0};

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed))
        return;
    if (at && !parse_time_given(at, &at_us)) {
        error_set(&err, ERROR_INVALID, "at", "must be a time like 2026-08-06T17:17:52Z");
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    jsonw_open(&out, NULL, '{');
    jsonw_open(&out, "discounts", '[');
    if (!discounts_each(loan.db, at_us, tell_discount, &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}

static bool is_field(const char *name)
{
    static const char *const fields[] = {"provider", "family", "kind",
                                         "factor",   "note",   "valid_from"};

    for (size_t i = 0; i < COUNT(fields); i++)
        if (strcmp(fields[i], name) == 0)
            return true;
    return false;
}

/* The factor; null withdraws it. */
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
    return (json_is_string(value) && price_word(member, size, json_string_value(value))) ||
           error_set(err, ERROR_INVALID, name, "must have 1 to %zu printable ASCII characters",
                     size - 1);
}

static bool read_discount(json_t *json, struct discount *discount, struct error *err)
{
    static const char *const kinds[] = {"on_demand", "spot", NULL};
    const char *kind = source_text(json, "kind"), *from = source_text(json, "valid_from"), *name;
    json_t *value;

    *discount = (struct discount){.kind = PRICE_ON_DEMAND, .since_us = clock_calendar_us()};
    json_object_foreach(json, name, value) if (!is_field(name)) return error_set(
        err, ERROR_INVALID, name, "is not a known field");
    if (!read_text(json, "provider", discount->provider, sizeof discount->provider, err) ||
        !read_text(json, "family", discount->family, sizeof discount->family, err) ||
        !read_text(json, "note", discount->note, sizeof discount->note, err) ||
        !read_factor(json_object_get(json, "factor"), &discount->factor, err))
        return false;
    if (!discount->provider[0])
        return error_set(err, ERROR_INVALID, "provider", "is missing");
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
    static const char *const allowed[] = {NULL};
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(json_decrefp) json_t *json = NULL;
    struct discount discount;
    struct error err = {0};

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed))
        return;
    json = request_json(exchange, &err);
    if (!json || !read_discount(json, &discount, &err)) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!discounts_put(loan.db, &discount, &err)) {
        reply_error(exchange, &err);
        return;
    }
    tell_discount(&out, &discount);
    reply_json(exchange, 201, &out);
}
