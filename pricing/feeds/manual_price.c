#include "pricing/feeds/manual_price.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "common/text.h"
#include "pricing/given.h"
#include "pricing/parse_time.h"

#include <ctype.h>
#include <stdint.h>

static const char *const manual_kinds[] = {"typed", "own", NULL};

static const char *const fields[] = {"provider", "region",   "zone",           "instance_type",
                                     "kind",     "currency", "price_per_hour", "valid_from",
                                     "note",     NULL};

static bool check_fields(const json_t *json, struct error *err)
{
    void *at;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, NULL, "a price must be a JSON object");
    for (at = json_object_iter((json_t *)(uintptr_t)json); at;
         at = json_object_iter_next((json_t *)(uintptr_t)json, at))
        if (!known_names_check(fields, json_object_iter_key(at), err))
            return false;
    return true;
}

/* Copies a word where one is given. */
static bool word(const char *name, const char *text, char *member, size_t size, struct error *err)
{
    member[0] = '\0';
    if (!text || !*text)
        return true;
    if (price_word(member, size, text))
        return given_word_check(name, text, err);
    return error_set(err, ERROR_INVALID, name, "must have 1 to %zu printable ASCII characters",
                     size - 1);
}
#define WORD(name, text, member, err) word(name, text, member, sizeof(member), err)

static bool read_currency(const char *text, char ret_currency[4], struct error *err)
{
    if (!text || !*text)
        text = "USD";
    for (int i = 0; i < 3; i++)
        if (!isupper((unsigned char)text[i]))
            return error_set(err, ERROR_INVALID, "currency",
                             "must be three capital letters, like USD");
    if (text[3])
        return error_set(err, ERROR_INVALID, "currency",
                         "must be three capital letters, like USD");
    memcpy(ret_currency, text, 4);
    return true;
}

static bool read_price(const char *text, struct price *price, struct error *err)
{
    return price_set(price, text) ||
           error_set(err, ERROR_INVALID, "price_per_hour",
                     "must be a decimal number above 0 and at most 100000, got '%.40s'", text);
}

/* The same name may be another machine's elsewhere, so a rented one's price is of one provider.
 */
static bool check_provider(const struct price *price, struct error *err)
{
    return price->kind == PRICE_TYPED || price->kind == PRICE_OWN || price->provider[0] ||
           error_set(err, ERROR_INVALID, "provider",
                     "is missing: only a price of the kind typed or own may leave it out");
}

bool price_from_row(const struct price_row *row, struct price *ret_price, struct error *err)
{
    struct price price = {.kind = PRICE_TYPED};

    if (!row->instance_type || !*row->instance_type)
        return error_set(err, ERROR_INVALID, "instance_type", "is missing");
    if (!WORD("instance_type", row->instance_type, price.instance_type, err) ||
        !WORD("provider", row->provider, price.provider, err) ||
        !given_provider_check("provider", price.provider, err) ||
        !WORD("region", row->region, price.region, err) ||
        !WORD("zone", row->zone, price.zone, err) ||
        !WORD("reference", row->reference, price.reference, err) ||
        !read_currency(row->currency, price.currency, err))
        return false;
    if (row->kind && *row->kind &&
        (!price_kind_from_name(row->kind, &price.kind) || price.kind >= PRICE_COMMITTED))
        return error_not_allowed(err, "kind", (struct allowed){.choices = price_given_kind_names},
                                 "'%.40s' is not a kind of price", row->kind);
    if (!check_provider(&price, err))
        return false;
    if (row->valid_from && *row->valid_from &&
        !parse_time_given(row->valid_from, &price.source_us))
        return error_set(err, ERROR_INVALID, "valid_from",
                         "must be a time like 2026-08-06T17:17:52Z");
    if (!row->price_per_hour || !*row->price_per_hour)
        return error_set(err, ERROR_INVALID, "price_per_hour", "is missing");
    if (!read_price(row->price_per_hour, &price, err))
        return false;
    *ret_price = price;
    return true;
}

/* A text member, NULL where there is none. */
static bool text_of(const json_t *json, const char *name, const char **ret_text,
                    struct error *err)
{
    const json_t *value = json_object_get(json, name);

    *ret_text = NULL;
    if (!value)
        return true;
    if (!json_is_string(value))
        return error_set(err, ERROR_INVALID, name, "must be a string");
    *ret_text = json_string_value(value);
    return true;
}

/* A kind of feeds is none that a person gives. */
static bool check_kind(const char *kind, struct error *err)
{
    if (!kind || !*kind)
        return true;
    for (const char *const *typed = manual_kinds; *typed; typed++)
        if (strcmp(*typed, kind) == 0)
            return true;
    return error_not_allowed(err, "kind", (struct allowed){.choices = manual_kinds},
                             "a price that a person gives is typed or own");
}

static bool amount_of(const json_t *value, char ret_text[40], struct error *err)
{
    struct price price;

    if (json_is_string(value)) {
        snprintf(ret_text, 40, "%s", json_string_value(value));
        return strlen(json_string_value(value)) < 40 ||
               error_set(err, ERROR_INVALID, "price_per_hour", "is too long");
    }
    if (!json_is_number(value))
        return error_set(err, ERROR_INVALID, "price_per_hour",
                         "must be a number, a decimal in a string, or null to withdraw it");
    if (!price_set_number(&price, json_number_value(value)))
        return error_set(err, ERROR_INVALID, "price_per_hour",
                         "must be above 0, in steps of 0.000000001, and at most 100000");
    memcpy(ret_text, price.text, 40);
    return true;
}

bool manual_from_json(const json_t *json, long long now_us, struct price *ret_price,
                      struct error *err)
{
    struct price_row row = {0};
    const json_t *amount = json_object_get(json, "price_per_hour");
    char text[40] = "1"; /* of a price that is withdrawn: any */
    char note[sizeof ret_price->reference];
    struct price price;

    if (!check_fields(json, err) || !text_of(json, "provider", &row.provider, err) ||
        !text_of(json, "region", &row.region, err) || !text_of(json, "zone", &row.zone, err) ||
        !text_of(json, "instance_type", &row.instance_type, err) ||
        !text_of(json, "kind", &row.kind, err) ||
        !text_of(json, "currency", &row.currency, err) ||
        !text_of(json, "valid_from", &row.valid_from, err) ||
        !text_of(json, "note", &row.reference, err) || !WORD("note", row.reference, note, err))
        return false;
    if (!amount)
        return error_set(err, ERROR_INVALID, "price_per_hour", "is missing");
    if (!json_is_null(amount) && !amount_of(amount, text, err))
        return false;
    row.price_per_hour = text;
    if (!check_kind(row.kind, err) || !price_from_row(&row, &price, err))
        return false;
    if (json_is_null(amount))
        price.nanos = 0;
    if (price.source_us == 0)
        price.source_us = now_us;
    price.fetched_us = now_us;
    snprintf(price.feed, sizeof price.feed, "typed");
    *ret_price = price;
    return true;
}
