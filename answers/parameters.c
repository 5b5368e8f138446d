#include "answers/parameters.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "common/rows/fields.h"
#include "common/text.h"
#include "pricing/given.h"

/* No control characters, and no blank at either end. */
#define WORD_PATTERN                                                                             \
    "^[^\\u0000-\\u0020\\u007f]([^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])?$"

static long long parameter_longest(const struct parameter_row *row)
{
    return row->max > 0 ? row->max : QUERY_WORD_MAX;
}

static struct field field_of(const struct parameter_row *row)
{
    static const enum field_type types[] = {[PARAMETER_INTEGER] = FIELD_INTEGER,
                                            [PARAMETER_NUMBER] = FIELD_NUMBER,
                                            [PARAMETER_AMOUNT] = FIELD_AMOUNT,
                                            [PARAMETER_CHOICE] = FIELD_CHOICE};

    return (struct field){.name = row->name,
                          .type = types[row->type],
                          .offset = row->offset,
                          .min = row->min,
                          .max = row->max,
                          .choices = row->choices};
}

static long long count_characters(const char *text)
{
    long long count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80; /* not a UTF-8 continuation byte */
    return count;
}

bool parameter_check_word(const struct parameter_row *row, const char *value, struct error *err)
{
    long long count = count_characters(value);

    if (count < 1 || count > parameter_longest(row))
        return error_set(err, ERROR_INVALID, row->name,
                         "must have between 1 and %lld characters, got %lld",
                         parameter_longest(row), count);
    return row->type == PARAMETER_PROVIDER ? given_provider_check(row->name, value, err)
                                           : field_check_ends(row->name, value, err);
}

static bool read_flag(const struct parameter_row *row, const char *value, bool *ret_flag,
                      struct error *err)
{
    static const char *const words[] = {"false", "true", NULL};

    *ret_flag = strcmp(value, "true") == 0;
    return *ret_flag || strcmp(value, "false") == 0 ||
           error_not_allowed(err, row->name, (struct allowed){.choices = words},
                             "must be true or false, got '%.40s'", value);
}

static bool read_name(const struct parameter_row *row, const char *value, const char **ret_name,
                      struct error *err)
{
    const struct unknown_name unknown = {row->name, "is an unknown name", value, strlen(value)};
    struct known_names known = {.all = "docs/api.md"};
    const char *name;

    for (size_t i = 0; (name = row->name_at(i)) != NULL; i++) {
        if (strcmp(name, value) == 0) {
            *ret_name = name;
            return true;
        }
        known_names_add(&known, name);
    }
    return error_unknown_name(err, &unknown, &known);
}

static bool read_value(const struct parameter_row *row, const char *value, void *into,
                       struct error *err)
{
    void *member = (char *)into + row->offset;
    struct field field;

    switch (row->type) {
    case PARAMETER_WORD:
    case PARAMETER_PROVIDER:
        memcpy(member, &value, sizeof value);
        return parameter_check_word(row, value, err);
    case PARAMETER_FLAG:
        return read_flag(row, value, member, err);
    case PARAMETER_TIME:
        return given_time_read(row->name, value, member, err);
    case PARAMETER_NAME:
        return read_name(row, value, member, err);
    case PARAMETER_NAMES:
    case PARAMETER_OWN:
        return row->read(row, value, member, err);
    default:
        field = field_of(row);
        return field_read_text(&field, value, into, err);
    }
}

static bool is_offered(const struct parameter_part *part, const struct parameter_row *row)
{
    return !part->only || text_is_listed(part->only, row->name);
}

static bool read_row(const struct parameter_row *row, const struct query *query, bool is_there,
                     void *into, struct error *err)
{
    int count = 0;

    for (size_t i = 0; is_there && i < query->count; i++) {
        if (strcmp(query->parameters[i].name, row->name) != 0)
            continue;
        if (++count > 1 && count > row->repeats)
            return row->repeats > 1 ? error_set(err, ERROR_INVALID, row->name,
                                                "may be given at most %d times", row->repeats)
                                    : error_set(err, ERROR_INVALID, row->name, "is given twice");
        if (!read_value(row, query->parameters[i].value, into, err))
            return false;
    }
    return count > 0 || !row->usual || read_value(row, row->usual, into, err);
}

static bool read_part(const struct parameter_part *part, const struct query *query, void *into,
                      struct error *err)
{
    for (const struct parameter_row *row = part->rows; row && row->name; row++)
        if (!read_row(row, query, is_offered(part, row), (char *)into + part->offset, err))
            return false;
    return true;
}

static bool check_name(const struct parameters *parameters, const char *name, struct error *err)
{
    const struct unknown_name unknown = {name, "is not a known parameter here", name,
                                         strlen(name)};
    struct known_names known = {.all = "docs/api.md"};

    for (size_t i = 0; parameters && i < PARAMETER_PARTS; i++) {
        const struct parameter_part *part = &parameters->parts[i];

        for (const struct parameter_row *row = part->rows; row && row->name; row++) {
            if (!is_offered(part, row))
                continue;
            if (strcmp(row->name, name) == 0)
                return true;
            known_names_add(&known, row->name);
        }
    }
    return error_unknown_name(err, &unknown, &known);
}

bool parameters_read(const struct parameters *parameters, const struct query *query, void *into,
                     struct error *err)
{
    if (parameters && parameters->any)
        return true;
    for (size_t i = 0; i < query->count; i++) {
        const struct parameter *given = &query->parameters[i];

        if (!check_name(parameters, given->name, err))
            return false;
        if (!text_is_utf8(given->value, strlen(given->value)))
            return error_set(err, ERROR_INVALID, given->name, "is not UTF-8");
    }
    for (size_t i = 0; parameters && i < PARAMETER_PARTS; i++)
        if (!read_part(&parameters->parts[i], query, into, err))
            return false;
    return !parameters || !parameters->check || parameters->check(query, into, err);
}

static json_t *names_schema(const struct parameter_row *row)
{
    json_t *names = json_array();
    const char *name;

    for (size_t i = 0; (name = row->name_at(i)) != NULL; i++)
        json_array_append_new(names, json_string(name));
    return json_pack("{s:s, s:o}", "type", "string", "enum", names);
}

static json_t *schema_of(const struct parameter_row *row)
{
    struct field field;

    if (row->type == PARAMETER_OWN && row->schema)
        return json_loads(row->schema, 0, NULL);
    switch (row->type) {
    case PARAMETER_OWN:
    case PARAMETER_WORD:
    case PARAMETER_PROVIDER:
        return json_pack("{s:s, s:i, s:I, s:s}", "type", "string", "minLength", 1, "maxLength",
                         (json_int_t)parameter_longest(row), "pattern", WORD_PATTERN);
    case PARAMETER_FLAG:
        return json_pack("{s:s}", "type", "boolean");
    case PARAMETER_TIME:
        return json_pack("{s:s}", "$ref", "#/components/schemas/Moment");
    case PARAMETER_NAME:
        return names_schema(row);
    case PARAMETER_NAMES:
        return json_pack("{s:s, s:i, s:o}", "type", "array", "minItems", 1, "items",
                         names_schema(row));
    default:
        field = field_of(row);
        return field_schema(&field);
    }
}

/* The default in the type of the schema. */
static json_t *usual_of(const struct parameter_row *row)
{
    json_t *value = json_loads(row->usual, JSON_DECODE_ANY, NULL);
    bool is_text = row->type == PARAMETER_WORD || row->type == PARAMETER_CHOICE ||
                   row->type == PARAMETER_PROVIDER || row->type == PARAMETER_OWN;

    if (value && !is_text)
        return value;
    json_decref(value);
    return json_string(row->usual);
}

static json_t *parameter_describe(const struct parameter_row *row)
{
    json_t *schema = schema_of(row);
    json_t *parameter;

    if (row->usual)
        json_object_set_new(schema, "default", usual_of(row));
    if (row->repeats)
        schema = json_pack("{s:s, s:i, s:o}", "type", "array", "maxItems", row->repeats, "items",
                           schema);
    parameter = json_pack("{s:s, s:s, s:s, s:o}", "name", row->name, "in", "query", "description",
                          row->meaning, "schema", schema);
    if (row->repeats || row->type == PARAMETER_NAMES) {
        json_object_set_new(parameter, "style", json_string("form"));
        json_object_set_new(parameter, "explode", json_boolean(row->repeats));
    }
    return parameter;
}

json_t *parameters_describe(const struct parameters *parameters)
{
    json_t *list = json_array();

    for (size_t i = 0; parameters && i < PARAMETER_PARTS; i++) {
        const struct parameter_part *part = &parameters->parts[i];

        for (const struct parameter_row *row = part->rows; row && row->name; row++)
            if (is_offered(part, row))
                json_array_append_new(list, parameter_describe(row));
    }
    return list;
}
