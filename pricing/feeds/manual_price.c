#include "pricing/feeds/manual_price.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "pricing/given.h"

#include <ctype.h>

static const char *const manual_kinds[] = {"typed", "own", NULL};

/* Copies a word where one is given. */
static bool manual_price_word(const char *name, const char *text, char *member, size_t size,
                              struct error *err)
{
    member[0] = '\0';
    if (!text || !*text)
        return true;
    if (price_word(member, size, text))
        return field_check_ends(name, text, err);
    return error_set(err, ERROR_INVALID, name, "must have 1 to %zu printable ASCII characters",
                     size - 1);
}
#define WORD(name, text, member, err) manual_price_word(name, text, member, sizeof(member), err)

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

/* Other providers may have the same name, so a rented machine's price needs a provider. */
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
        !given_time_read("valid_from", row->valid_from, &price.source_us, err))
        return false;
    if (!row->price_per_hour || !*row->price_per_hour)
        return error_set(err, ERROR_INVALID, "price_per_hour", "is missing");
    if (!read_price(row->price_per_hour, &price, err))
        return false;
    *ret_price = price;
    return true;
}

/* What a row's own reader reads of a text. */
static bool text_of(const struct field *field, const json_t *value, const char **ret_text,
                    struct error *err)
{
    *ret_text = json_string_value(value);
    return *ret_text || error_set(err, ERROR_INVALID, field->name, "must be a string");
}

/* A person may not give a kind that only feeds have. */
static bool read_kind(const struct field *field, const json_t *value, void *object,
                      struct error *err)
{
    struct price *price = object;
    const char *kind;

    if (!text_of(field, value, &kind, err))
        return false;
    if (!*kind || strcmp(kind, manual_kinds[0]) == 0)
        return true;
    price->kind = PRICE_OWN;
    return strcmp(kind, manual_kinds[1]) == 0 ||
           error_not_allowed(err, "kind", (struct allowed){.choices = manual_kinds},
                             "a price that a person gives is typed or own");
}

static bool read_currency_of(const struct field *field, const json_t *value, void *object,
                             struct error *err)
{
    struct price *price = object;
    const char *text;

    return text_of(field, value, &text, err) && read_currency(text, price->currency, err);
}

/* null withdraws the price: it has no text then. */
static bool read_amount(const struct field *field, const json_t *value, void *object,
                        struct error *err)
{
    struct price *price = object;
    const char *text = json_string_value(value);

    if (json_is_null(value)) {
        memcpy(price->text, "1", 2);
        return true;
    }
    if (text && strlen(text) >= sizeof price->text)
        return error_set(err, ERROR_INVALID, field->name, "is too long");
    if (text)
        return read_price(text, price, err);
    if (!json_is_number(value))
        return error_set(err, ERROR_INVALID, field->name,
                         "must be a number, a decimal in a string, or null to withdraw it");
    return price_set_number(price, json_number_value(value)) ||
           error_set(err, ERROR_INVALID, field->name,
                     "must be above 0, in steps of 0.000000001, and at most 100000");
}

static bool read_from(const struct field *field, const json_t *value, void *object,
                      struct error *err)
{
    const char *text;

    return text_of(field, value, &text, err) &&
           (!*text || given_time_field(field, value, object, err));
}

static bool check_given(void *object, struct error *err)
{
    const struct price *price = object;

    return given_provider_check("provider", price->provider, err);
}

static const struct field rows[] = {
    {BODY_WORD(struct price, provider, 0)},
    {BODY_WORD(struct price, region, 0)},
    {BODY_WORD(struct price, zone, 0)},
    {BODY_WORD(struct price, instance_type, 1), .required = true},
    {BODY_AT(struct price, kind), .type = FIELD_OWN, .read = read_kind, .usual = "\"typed\"",
     .schema = "{\"type\": \"string\", \"enum\": [\"typed\", \"own\", \"\"]}"},
    {BODY_AT(struct price, currency), .type = FIELD_OWN, .read = read_currency_of,
     .usual = "\"USD\"", .schema = "{\"type\": \"string\", \"pattern\": \"^([A-Z]{3})?$\"}"},
    {.name = "price_per_hour",
     .type = FIELD_OWN,
     .required = true,
     .read = read_amount,
     .schema = "{\"oneOf\": [{\"type\": \"null\"}, "
               "{\"type\": \"number\", \"minimum\": 5e-10, \"maximum\": 100000}, "
               "{\"type\": \"string\", \"pattern\": "
               "\"^(0[.]0{0,8}[1-9][0-9]{0,8}|[1-9][0-9]{0,4}([.][0-9]{1,9})?)$\"}]}",
     .meaning = "Above 0, in steps of 0.000000001; a string is kept to the last digit. null "
                "withdraws the price."},
    {BODY_AS(struct price, "valid_from", source_us), .type = FIELD_OWN, .read = read_from,
     .schema = "{\"oneOf\": [{\"$ref\": \"#/components/schemas/Moment\"}, {\"const\": \"\"}]}"},
    {BODY_TEXT_AS(struct price, "note", reference, FIELD_WORD, 0)},
};
const struct body typed_price_body = {
    .name = "TypedPrice",
    .meaning = "A price that a person enters; an empty text means not given. Without provider, "
               "region or zone it holds everywhere.",
    BODY_ROWS(rows),
    .no_object = "a price must be a JSON object",
    .check = check_given};

bool manual_from_json(const json_t *json, long long now_us, struct price *ret_price,
                      struct error *err)
{
    struct price price = {
        .kind = PRICE_TYPED, .currency = "USD", .feed = "typed", .fetched_us = now_us};

    if (!body_read(&typed_price_body, json, &price, err))
        return false;
    if (price.source_us == 0)
        price.source_us = now_us;
    *ret_price = price;
    return true;
}
