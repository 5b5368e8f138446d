#include "common/rows/body.h"

#include "common/cleanup.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const none[] = {NULL};

static bool read_member(const struct field *row, const json_t *value, void *object,
                        struct error *err)
{
    struct error why = {0};

    if (!value)
        return !row->required || error_set(err, ERROR_INVALID, row->name, "is missing");
    if (row->nullable && json_is_null(value))
        return true;
    if (row->type != FIELD_OBJECT)
        return field_read(row, value, object, err);
    return body_read(row->body, value, (char *)object + row->offset, &why) ||
           error_within(err, &why, row->name);
}

bool body_read(const struct body *body, const json_t *json, void *object, struct error *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, NULL, "%s",
                         body->no_object ? body->no_object : "the body must be a JSON object");
    json_object_foreach((json_t *)(uintptr_t)json, name, value)
    {
        if (!fields_find(body->rows, body->count, name))
            return fields_refuse_name(body->rows, body->count, none, name, err);
    }
    for (size_t i = 0; i < body->count; i++)
        if (!read_member(&body->rows[i], json_object_get(json, body->rows[i].name), object, err))
            return false;
    return !body->check || body->check(object, err);
}

static void describe_fields(const struct body *body, json_t *schemas, json_t *schema)
{
    json_t *properties = json_object(), *required = json_array();

    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "additionalProperties", json_false());
    json_object_set_new(schema, "properties", properties);
    for (size_t i = 0; i < body->count; i++) {
        const struct field *row = &body->rows[i];
        json_t *member =
            row->type == FIELD_OBJECT ? body_describe(row->body, schemas) : field_schema(row);

        json_object_set_new(properties, row->name, member);
        if (row->required)
            json_array_append_new(required, json_string(row->name));
    }
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
}

static json_t *whole_body_schema(const struct body *body, json_t *schemas)
{
    AUTO(json_decrefp) json_t *more = body->schema ? json_loads(body->schema, 0, NULL) : NULL;
    json_t *schema = json_object(), *ways = json_array();

    if (body->meaning)
        json_object_set_new(schema, "description", json_string(body->meaning));
    for (const struct body *const *each = body->any; each && *each; each++)
        json_array_append_new(ways, body_describe(*each, schemas));
    if (body->any)
        json_object_set(schema, "oneOf", ways);
    else
        describe_fields(body, schemas, schema);
    json_decref(ways);
    json_object_update(schema, more);
    return schema;
}

json_t *body_describe(const struct body *body, json_t *schemas)
{
    char reference[96];

    if (!body->name)
        return whole_body_schema(body, schemas);
    if (!json_object_get(schemas, body->name))
        json_object_set_new(schemas, body->name, whole_body_schema(body, schemas));
    snprintf(reference, sizeof reference, "#/components/schemas/%s", body->name);
    return json_pack("{s:s}", "$ref", reference);
}
