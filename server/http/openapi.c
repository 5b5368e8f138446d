#include "server/http/openapi.h"

#include "common/cleanup.h"
#include "engine/spec/run_spec.h"
#include "server/base/assets.h"

#include <stdio.h>
#include <string.h>

#ifndef PENNYWORTH_VERSION
#define PENNYWORTH_VERSION "unknown"
#endif

static json_t *engine_names(const struct engines *engines)
{
    AUTO(json_decrefp) json_t *names = json_array();

    for (size_t i = 0; i < engines->count; i++)
        if (json_array_append_new(names, json_string(engines->list[i].name)) != 0)
            return NULL;
    return take(&names);
}

/* The allowed values of a field of a spec. */
static json_t *knobs_schema(void)
{
    AUTO(json_decrefp) json_t *properties = json_object();
    char reference[80];

    for (size_t i = 0; i < run_spec_field_count; i++) {
        const char *name = run_spec_fields[i].name;
        json_t *list;

        snprintf(reference, sizeof reference, "#/components/schemas/RunSpec/properties/%s", name);
        list = json_pack("{s:s, s:i, s:{s:s}}", "type", "array", "minItems", 1, "items", "$ref",
                         reference);
        if (json_object_set_new(properties, name, list) != 0)
            return NULL;
    }
    return json_pack("{s:s, s:s, s:i, s:b, s:O}", "description",
                     "Lists of values by the field that they are for.", "type", "object",
                     "minProperties", 1, "additionalProperties", 0, "properties", properties);
}

/* A spec as it is posted. A base of a sweep is a RunSpec alone: its cells may name the engine. */
static json_t *request_schema(void)
{
    return json_pack("{s:s, s:[{s:s}, o]}", "description",
                     "A [RunSpec](#schema-runspec). Without a registered `engine`, `workload` is "
                     "one that the engine native trains, and `precision` f32 or bf16.",
                     "allOf", "$ref", "#/components/schemas/RunSpec", run_spec_native_schema());
}

/* For questions that ask about a batch: runs have numbers. */
static json_t *batch_size_schema(void)
{
    struct field field = *fields_find(run_spec_fields, run_spec_field_count, "batch_size");

    field.type = FIELD_INTEGER;
    field.meaning = "Samples per step";
    return field_schema(&field);
}

/* A picture of the comparison takes the same question, but has one format. */
static bool share_parameters(json_t *paths, const char *picture)
{
    json_t *from = json_object_get(
        json_object_get(json_object_get(paths, "/v1/comparison"), "get"), "parameters");
    json_t *to =
        json_object_get(json_object_get(json_object_get(paths, picture), "get"), "parameters");
    json_t *parameter;
    size_t i;

    json_array_foreach(from, i, parameter)
    {
        const char *name = json_string_value(json_object_get(parameter, "name"));

        if ((!name || strcmp(name, "format") != 0) && json_array_append(to, parameter) != 0)
            return false;
    }
    return true;
}

static bool fill_in(json_t *document, const struct engines *engines)
{
    json_t *paths = json_object_get(document, "paths");
    json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
    AUTO(json_decrefp) json_t *spec = run_spec_schema();
    json_t *engine = json_object_get(json_object_get(spec, "properties"), "engine");

    return json_object_set_new(engine, "enum", engine_names(engines)) == 0 &&
           json_object_set(schemas, "RunSpec", spec) == 0 &&
           json_object_set_new(schemas, "RunRequest", request_schema()) == 0 &&
           json_object_set_new(schemas, "Knobs", knobs_schema()) == 0 &&
           json_object_set_new(schemas, "BatchSize", batch_size_schema()) == 0 &&
           share_parameters(paths, "/v1/comparison.svg") &&
           share_parameters(paths, "/v1/badge.svg") &&
           json_object_set_new(json_object_get(document, "info"), "version",
                               json_string(PENNYWORTH_VERSION)) == 0;
}

bool openapi_make(const struct engines *engines, struct bytes *ret_document, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *document = json_loads(openapi_source, 0, &why);
    AUTO(freep) char *text = NULL;

    if (!document)
        return error_set(err, ERROR_INTERNAL, NULL, "openapi.json: %s in line %d", why.text,
                         why.line);
    if (!fill_in(document, engines) || (text = json_dumps(document, JSON_INDENT(1))) == NULL ||
        !bytes_add(ret_document, text, strlen(text)))
        return error_no_memory(err);
    return true;
}
