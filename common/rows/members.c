#include "common/rows/members.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static bool is_outside(enum member_range range, double number)
{
    switch (range) {
    case MEMBER_NOT_NEGATIVE:
        return number < 0;
    case MEMBER_POSITIVE:
        return number <= 0;
    case MEMBER_SHARE:
        return number < 0 || number > 1;
    default:
        return false;
    }
}

static void write_integer(struct json_writer *out, const struct member *row, long long number)
{
    if (row->nullable && is_outside(row->range, (double)number))
        jsonw_null(out, row->name);
    else
        jsonw_integer(out, row->name, number);
}

static void write_number(struct json_writer *out, const struct member *row, double number)
{
    jsonw_number(out, row->name, row->nullable && is_outside(row->range, number) ? NAN : number);
}

static void write_text(struct json_writer *out, const struct member *row, const char *text)
{
    jsonw_text(out, row->name, row->nullable ? text_or_null(text) : text);
}

static void write_word(struct json_writer *out, const struct member *row, unsigned value)
{
    const char *const *words = row->words ? row->words : row->members->words;

    jsonw_text(out, row->name, value < row->first ? NULL : words[value - row->first]);
}

static const void *inner_of(const struct member *row, const void *object)
{
    return row->find ? row->find(object) : (const char *)object + row->offset;
}

static void write_member(struct json_writer *out, const struct member *row, const void *object)
{
    if (row->write) {
        row->write(out, row, object);
        return;
    }
    if (row->always) {
        jsonw_text(out, row->name, row->always);
        return;
    }
    switch (row->type) {
    case MEMBER_TEXT:
        write_text(out, row, MEMBER_VALUE(char *, row, object));
        break;
    case MEMBER_CHARS:
        write_text(out, row, (const char *)object + row->offset);
        break;
    case MEMBER_ENUM:
        write_word(out, row, MEMBER_VALUE(unsigned, row, object));
        break;
    case MEMBER_INTEGER:
        write_integer(out, row, MEMBER_VALUE(long long, row, object));
        break;
    case MEMBER_INT:
        write_integer(out, row, MEMBER_VALUE(int, row, object));
        break;
    case MEMBER_COUNT:
        write_integer(out, row, (long long)MEMBER_VALUE(size_t, row, object));
        break;
    case MEMBER_NUMBER:
        write_number(out, row, MEMBER_VALUE(double, row, object));
        break;
    case MEMBER_BOOL:
        jsonw_bool(out, row->name, MEMBER_VALUE(bool, row, object));
        break;
    case MEMBER_SECONDS:
        write_number(out, row, (double)MEMBER_VALUE(long long, row, object) / 1e9);
        break;
    case MEMBER_TIME:
        jsonw_time(out, row->name, MEMBER_VALUE(long long, row, object));
        break;
    case MEMBER_JSON:
        jsonw_raw(out, row->name,
                  row->constant ? row->constant : MEMBER_VALUE(char *, row, object));
        break;
    case MEMBER_OBJECT:
        members_write(out, row->name, row->members, inner_of(row, object));
        break;
    case MEMBER_PART:
        members_write_rows(out, row->members, inner_of(row, object));
        break;
    case MEMBER_LIST:
        assert(false && "a list has write()");
        break;
    }
}

void members_write_rows(struct json_writer *out, const struct members *members,
                        const void *object)
{
    for (const struct member *row = members->rows; row->name; row++)
        write_member(out, row, object);
}

void members_write(struct json_writer *out, const char *key, const struct members *members,
                   const void *object)
{
    if (!object || (members->is_known && !members->is_known(object))) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    members_write_rows(out, members, object);
    jsonw_close(out, '}');
}

void members_write_list(struct json_writer *out, const char *key, const struct members *members,
                        const void *first, size_t count, size_t size)
{
    jsonw_open(out, key, '[');
    for (size_t i = 0; i < count; i++)
        members_write(out, NULL, members, (const char *)first + i * size);
    jsonw_close(out, ']');
}

char *members_to_text(const struct members *members, const void *object)
{
    struct bytes text = {.limit = 64 * 1024};
    struct json_writer out = {.bytes = &text, .stored = true};

    members_write(&out, NULL, members, object);
    if (out.failed)
        bytes_free(&text);
    return text.data;
}

/* MEMBER_JSON has its type in `schema`; the other types follow from the row. */
static const char *const json_types[] = {
    [MEMBER_TEXT] = "string",    [MEMBER_CHARS] = "string",  [MEMBER_ENUM] = "string",
    [MEMBER_INT] = "integer",    [MEMBER_COUNT] = "integer", [MEMBER_INTEGER] = "integer",
    [MEMBER_BOOL] = "boolean",   [MEMBER_NUMBER] = "number", [MEMBER_LIST] = "array",
    [MEMBER_SECONDS] = "number", [MEMBER_PART] = NULL,
};

/* Parses a schema from the source code: always valid JSON. */
static void add_text(json_t *schema, const char *text)
{
    AUTO(json_decrefp) json_t *more = text ? json_loads(text, 0, NULL) : NULL;

    assert(more || !text);
    json_object_update(schema, more);
}

static json_t *words_schema(const char *const *words, bool nullable)
{
    json_t *list = json_array();

    for (; *words; words++)
        json_array_append_new(list, json_string(*words));
    if (nullable)
        json_array_append_new(list, json_null());
    return json_pack("{s:o}", "enum", list);
}

static json_t *reference_schema(const struct member *row, json_t *reference)
{
    return row->nullable ? json_pack("{s:[o, {s:s}]}", "oneOf", reference, "type", "null")
                         : reference;
}

static json_t *reference_to(const char *name)
{
    char text[96];

    snprintf(text, sizeof text, "#/components/schemas/%s", name);
    return json_pack("{s:s}", "$ref", text);
}

static void add_type(json_t *schema, const struct member *row)
{
    const char *type = json_types[row->type];

    if (type && row->nullable)
        json_object_set_new(schema, "type", json_pack("[s, s]", type, "null"));
    else if (type)
        json_object_set_new(schema, "type", json_string(type));
}

static void add_range(json_t *schema, const struct member *row)
{
    bool is_whole = row->type != MEMBER_NUMBER && row->type != MEMBER_SECONDS;

    if (row->range == MEMBER_POSITIVE)
        json_object_set_new(schema, is_whole ? "minimum" : "exclusiveMinimum",
                            json_integer(is_whole ? 1 : 0));
    else if (row->range != MEMBER_ANY)
        json_object_set_new(schema, "minimum", json_integer(0));
    if (row->range == MEMBER_SHARE)
        json_object_set_new(schema, "maximum", json_integer(1));
}

static json_t *plain_schema(const struct member *row)
{
    json_t *schema = json_object();

    add_type(schema, row);
    add_range(schema, row);
    if (row->filled)
        json_object_set_new(schema, "minLength", json_integer(1));
    if (row->constant)
        json_object_set_new(schema, "const", json_loads(row->constant, JSON_DECODE_ANY, NULL));
    if (row->pattern)
        json_object_set_new(schema, "pattern", json_string(row->pattern));
    return schema;
}

static json_t *list_schema(const struct member *row, json_t *schemas)
{
    json_t *schema = json_object(), *items;

    add_type(schema, row);
    if (row->most > 0)
        json_object_set_new(schema, "maxItems", json_integer(row->most));
    if (row->members || row->reference) {
        items =
            row->members ? members_describe(row->members, schemas) : reference_to(row->reference);
        add_text(schema, row->schema);
    } else {
        items = row->words ? words_schema(row->words, false) : json_object();
        add_text(items, row->schema);
    }
    json_object_set_new(schema, "items", items);
    return schema;
}

static json_t *member_schema(const struct member *row, json_t *schemas)
{
    json_t *schema;

    if (row->type == MEMBER_LIST)
        return list_schema(row, schemas);
    if (row->words)
        schema = words_schema(row->words, row->nullable);
    else if (row->members)
        schema = reference_schema(row, members_describe(row->members, schemas));
    else if (row->reference)
        schema = reference_schema(row, reference_to(row->reference));
    else if (row->type == MEMBER_TIME)
        schema = reference_schema(row, reference_to("Time"));
    else
        schema = plain_schema(row);
    add_text(schema, row->schema);
    return schema;
}

static void describe_members(const struct member *rows, json_t *schemas, json_t *properties,
                             json_t *required)
{
    for (const struct member *row = rows; row->name; row++) {
        json_t *schema;

        if (row->type == MEMBER_PART) {
            describe_members(row->members->rows, schemas, properties, required);
            continue;
        }
        schema = member_schema(row, schemas);
        if (row->meaning)
            json_object_set_new(schema, "description", json_string(row->meaning));
        json_object_set_new(properties, row->name, schema);
        if (!row->optional)
            json_array_append_new(required, json_string(row->name));
    }
}

static void describe_object(const struct members *members, json_t *schemas, json_t *schema)
{
    json_t *properties = json_object(), *required = json_array();

    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "additionalProperties", json_false());
    describe_members(members->rows, schemas, properties, required);
    json_object_set_new(schema, "required", required);
    json_object_set_new(schema, "properties", properties);
}

static json_t *whole_members_schema(const struct members *members, json_t *schemas)
{
    json_t *schema = members->words ? words_schema(members->words, false) : json_object();

    if (members->meaning)
        json_object_set_new(schema, "description", json_string(members->meaning));
    if (!members->words)
        describe_object(members, schemas, schema);
    add_text(schema, members->schema);
    return schema;
}

json_t *members_describe(const struct members *members, json_t *schemas)
{
    if (!members->name)
        return whole_members_schema(members, schemas);
    if (!json_object_get(schemas, members->name)) {
        /* Reserve the name first: a schema may refer to itself. */
        json_object_set_new(schemas, members->name, json_null());
        json_object_set_new(schemas, members->name, whole_members_schema(members, schemas));
    }
    return reference_to(members->name);
}
