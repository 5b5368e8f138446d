#include "common/rows/fields.h"

#include "common/cleanup.h"
#include "common/json_number.h"
#include "common/json_text.h"
#include "common/known_names.h"
#include "common/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a fraction", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

static struct allowed allowed_by(const struct field *field)
{
    return (struct allowed){.ranged = field->type != FIELD_CHOICE,
                            .above_min =
                                field->type == FIELD_NUMBER || field->type == FIELD_LIMIT,
                            .min = field->min,
                            .max = field->max,
                            .choices = field->choices};
}

static void *field_place(const struct field *field, void *object)
{
    return (char *)object + field->offset;
}

static bool read_integer(const struct field *field, long long number, void *object,
                         struct error *err)
{
    if (number < field->min || number > field->max)
        return error_not_allowed(err, field->name, allowed_by(field),
                                 "must be between %lld and %lld, got %lld", field->min,
                                 field->max, number);
    memcpy(field_place(field, object), &number, sizeof number);
    return true;
}

static bool is_real(const struct field *field)
{
    return field->type == FIELD_NUMBER || field->type == FIELD_AMOUNT ||
           field->type == FIELD_LIMIT;
}

static bool read_real(const struct field *field, double number, void *object, struct error *err)
{
    bool closed = field->type == FIELD_AMOUNT;
    if (!(number > (double)field->min || (closed && number >= (double)field->min)) ||
        number > (double)field->max)
        return error_not_allowed(
            err, field->name, allowed_by(field), "must be %s %lld and at most %lld, got %.9g",
            closed ? "at least" : "more than", field->min, field->max, number);
    /* As json_text() writes it; -0 becomes 0. */
    number = json_number_rounded(number, JSON_TEXT_DIGITS) + 0.0;
    memcpy(field_place(field, object), &number, sizeof number);
    return true;
}

static bool read_no_limit(const struct field *field, void *object)
{
    memset(field_place(field, object), 0, sizeof(double));
    return true;
}

static bool read_choice(const struct field *field, const char *text, void *object,
                        struct error *err)
{
    for (const char *const *choice = field->choices; *choice; choice++)
        if (strcmp(*choice, text) == 0) {
            memcpy(field_place(field, object), choice, sizeof *choice);
            return true;
        }
    return error_not_allowed(err, field->name, allowed_by(field), "'%.64s' is not supported",
                             text);
}

bool field_check_ends(const char *name, const char *text, struct error *err)
{
    size_t length = strlen(text);

    return length == 0 ||
           (!isspace((unsigned char)text[0]) && !isspace((unsigned char)text[length - 1])) ||
           error_set(err, ERROR_INVALID, name, "begins or ends with a blank: '%.64s'", text);
}

static bool read_word(const struct field *field, const char *text, void *object,
                      struct error *err)
{
    size_t length = strlen(text);
    bool is_printable = true;

    for (const char *c = text; *c; c++)
        is_printable = is_printable && *c >= ' ' && *c <= '~';
    if (!is_printable || length < (size_t)field->min || length > (size_t)field->max)
        return error_not_allowed(err, field->name, allowed_by(field),
                                 "must have %lld to %lld printable ASCII characters", field->min,
                                 field->max);
    if (!field_check_ends(field->name, text, err))
        return false;
    memcpy(field_place(field, object), text, length + 1);
    return true;
}

static bool read_words(const struct field *field, const char *text, void *object,
                       struct error *err)
{
    size_t length = strlen(text);

    if (length < (size_t)field->min || length > (size_t)field->max)
        return error_not_allowed(err, field->name, allowed_by(field),
                                 "must have between %lld and %lld bytes, got %zu", field->min,
                                 field->max, length);
    if (!text_is_clean(text, length))
        return error_set(err, ERROR_INVALID, field->name, "must not hold control characters");
    if (!text_is_utf8(text, length))
        return error_set(err, ERROR_INVALID, field->name, "must be UTF-8");
    memcpy(field_place(field, object), text, length + 1);
    return true;
}

static bool read_auto(const struct field *field, void *object)
{
    const long long is_auto = FIELD_IS_AUTO;

    memcpy(field_place(field, object), &is_auto, sizeof is_auto);
    return true;
}

/* JSON Schema calls 32.0 an integer too. Beyond 2^53 a real is not exact. */
static bool is_whole(const json_t *value)
{
    double real = json_real_value(value);
    return json_is_real(value) && fabs(real) <= 9007199254740992 && !(floor(real) < real);
}

/* Reads a number in JSON's syntax, so neither "0x10" nor "inf"; accepts 5e-324. */
static bool real_from_text(const char *text, double *ret_real)
{
    char *end;
    *ret_real = strtod(text, &end);
    return end > text && *end == '\0' && isfinite(*ret_real) &&
           text[strspn(text, "0123456789.eE+-")] == '\0' && *text != '+' && *text != '.';
}

static bool is_text(const struct field *field)
{
    return field->type == FIELD_CHOICE || field->type == FIELD_TEXT || field->type == FIELD_WORD;
}

/* For a field that is_text(). */
static bool read_text(const struct field *field, const char *text, void *object,
                      struct error *err)
{
    return (field->type == FIELD_CHOICE ? read_choice
            : field->type == FIELD_TEXT ? read_words
                                        : read_word)(field, text, object, err);
}

static bool read_flag(const struct field *field, const json_t *value, void *object,
                      struct error *err)
{
    bool flag = json_is_true(value);

    if (!json_is_boolean(value))
        return error_set(err, ERROR_INVALID, field->name, "must be true or false, got %s",
                         type_name(value));
    memcpy(field_place(field, object), &flag, sizeof flag);
    return true;
}

bool field_read(const struct field *field, const json_t *value, void *object, struct error *err)
{
    const char *text = json_string_value(value), *or_null = field->nullable ? " or null" : "";

    if (field->type == FIELD_OWN)
        return field->read(field, value, object, err);
    if (field->type == FIELD_FLAG)
        return read_flag(field, value, object, err);
    if (is_text(field) && text)
        return read_text(field, text, object, err);
    if (is_text(field))
        return error_set(err, ERROR_INVALID, field->name, "must be a string%s, got %s", or_null,
                         type_name(value));
    if (field->type == FIELD_AUTO && text && strcmp(text, "auto") == 0)
        return read_auto(field, object);
    if (field->type == FIELD_LIMIT && json_is_null(value))
        return read_no_limit(field, object);
    if (is_real(field) && json_is_number(value))
        return read_real(field, json_number_value(value), object, err);
    if (is_real(field))
        return error_not_allowed(
            err, field->name, allowed_by(field), "must be a number%s, got %s",
            field->type == FIELD_LIMIT ? " or null" : or_null, type_name(value));
    if (is_whole(value))
        return read_integer(field, (long long)json_real_value(value), object, err);
    if (!json_is_integer(value))
        return error_not_allowed(
            err, field->name, allowed_by(field), "must be an integer%s, got %s",
            field->type == FIELD_AUTO ? " or \"auto\"" : "", type_name(value));
    return read_integer(field, json_integer_value(value), object, err);
}

bool field_read_text(const struct field *field, const char *text, void *object, struct error *err)
{
    char *end;

    if (is_text(field))
        return read_text(field, text, object, err);
    if (field->type == FIELD_AUTO && strcmp(text, "auto") == 0)
        return read_auto(field, object);

    bool starts_right = *text == '-' || (*text >= '0' && *text <= '9');
    errno = 0;
    if (field->type == FIELD_LIMIT && strcmp(text, "none") == 0)
        return read_no_limit(field, object);
    if (is_real(field)) {
        double real;

        if (!real_from_text(text, &real))
            return error_not_allowed(err, field->name, allowed_by(field),
                                     "must be a number, got '%.64s'", text);
        return read_real(field, real, object, err);
    }

    long long number = strtoll(text, &end, 10);
    if (!starts_right || *end != '\0' || errno != 0)
        return error_not_allowed(err, field->name, allowed_by(field),
                                 "must be an integer between %lld and %lld, got '%.64s'",
                                 field->min, field->max, text);
    return read_integer(field, number, object, err);
}

bool field_take_number(const struct field *field, const char **at, void *object)
{
    const char *end = *at + NUMBER_LENGTH_MAX; /* reading stops at a NUL */
    long long whole;
    double real;

    if (is_real(field))
        return json_number_read(at, end, &real) && read_real(field, real, object, NULL);
    return json_number_read_whole(at, end, &whole) && read_integer(field, whole, object, NULL);
}

void field_write_to(struct json_writer *out, const struct field *field, const void *object)
{
    const char *address = (const char *)object + field->offset;
    const char *choice;
    long long number;
    double real;

    if (field->type == FIELD_TEXT || field->type == FIELD_WORD) {
        jsonw_text(out, field->name, address);
    } else if (field->type == FIELD_CHOICE) {
        memcpy(&choice, address, sizeof choice);
        jsonw_text(out, field->name, choice);
    } else if (is_real(field)) {
        memcpy(&real, address, sizeof real);
        jsonw_number(out, field->name, field->type == FIELD_LIMIT && !(real > 0) ? NAN : real);
    } else {
        memcpy(&number, address, sizeof number);
        if (field->type == FIELD_AUTO && number == FIELD_IS_AUTO)
            jsonw_text(out, field->name, "auto");
        else
            jsonw_integer(out, field->name, number);
    }
}

json_t *field_write(const struct field *field, const void *object)
{
    AUTO(bytes_free) struct bytes text = {.limit = 64 * 1024};
    struct json_writer out = {.bytes = &text, .stored = true};
    AUTO(json_decrefp) json_t *json = NULL;

    jsonw_open(&out, NULL, '{');
    field_write_to(&out, field, object);
    jsonw_close(&out, '}');
    json = out.failed ? NULL : json_loadb(text.data, text.used, 0, NULL);
    return json_incref(json_object_get(json, field->name));
}

static json_t *choices_schema(const struct field *field)
{
    json_t *list = json_array();

    for (const char *const *choice = field->choices; *choice; choice++)
        json_array_append_new(list, json_string(*choice));
    return json_pack("{s:s, s:o}", "type", "string", "enum", list);
}

static json_t *word_schema(const struct field *field)
{
    char pattern[64];

    snprintf(pattern, sizeof pattern, "^%s[!-~]([ -~]{0,%lld}[!-~])?%s$",
             field->min > 0 ? "" : "(", field->max - 2, field->min > 0 ? "" : ")?");
    return json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
}

static json_t *ranged_schema(const struct field *field, const char *type, const char *least,
                             const char *most)
{
    return json_pack("{s:s, s:I, s:I}", "type", type, least, (json_int_t)field->min, most,
                     (json_int_t)field->max);
}

static json_t *type_schema(const struct field *field)
{
    json_t *schema;

    switch (field->type) {
    case FIELD_INTEGER:
        return ranged_schema(field, "integer", "minimum", "maximum");
    case FIELD_AUTO:
        return json_pack("{s:[{s:s}, o]}", "oneOf", "const", "auto",
                         ranged_schema(field, "integer", "minimum", "maximum"));
    case FIELD_CHOICE:
        return choices_schema(field);
    case FIELD_NUMBER:
    case FIELD_LIMIT:
        return ranged_schema(field, "number", "exclusiveMinimum", "maximum");
    case FIELD_AMOUNT:
        return ranged_schema(field, "number", "minimum", "maximum");
    case FIELD_TEXT:
        schema = ranged_schema(field, "string", "minLength", "maxLength");
        json_object_set_new(schema, "pattern", json_string("^[^\\u0000-\\u001f\\u007f]*$"));
        return schema;
    case FIELD_WORD:
        return word_schema(field);
    case FIELD_FLAG:
        return json_pack("{s:s}", "type", "boolean");
    case FIELD_OBJECT:
    case FIELD_OWN:
        break;
    }
    return json_object();
}

/* Allows null, too. */
static json_t *or_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type"), *words = json_object_get(schema, "enum");

    if (!json_is_string(type))
        return json_pack("{s:[o, {s:s}]}", "oneOf", schema, "type", "null");
    if (words)
        json_array_append_new(words, json_null());
    json_object_set_new(schema, "type", json_pack("[O, s]", type, "null"));
    return schema;
}

json_t *field_schema(const struct field *field)
{
    AUTO(json_decrefp) json_t *more = field->schema ? json_loads(field->schema, 0, NULL) : NULL;
    json_t *schema = type_schema(field);

    json_object_update(schema, more);
    if (field->nullable || field->type == FIELD_LIMIT)
        schema = or_null(schema);
    if (field->meaning)
        json_object_set_new(schema, "description", json_string(field->meaning));
    if (field->usual)
        json_object_set_new(schema, "default", json_loads(field->usual, JSON_DECODE_ANY, NULL));
    return schema;
}

const struct field *fields_find(const struct field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

bool fields_refuse_name(const struct field *fields, size_t count, const char *const others[],
                        const char *name, struct error *err)
{
    const struct unknown_name unknown = {name, "is not a known field", name, strlen(name)};
    struct known_names known = {.all = "docs/api.md"};

    for (size_t i = 0; i < count; i++)
        known_names_add(&known, fields[i].name);
    known_names_add_all(&known, others);
    return error_unknown_name(err, &unknown, &known);
}
