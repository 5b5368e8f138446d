#include "server/http/openapi.h"

#include "answers/parameters.h"
#include "common/body.h"
#include "common/cleanup.h"
#include "engine/spec/run_spec.h"
#include "server/base/assets.h"
#include "server/base/members.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/page.h"
#include "server/http/json/present_check.h"
#include "server/http/json/present_check_tools.h"
#include "server/http/json/present_run.h"
#include "server/http/routes.h"
#include "server/prices/cost_json.h"
#include "server/prices/price_json.h"

#include <stdio.h>
#include <string.h>

#ifndef PENNYWORTH_VERSION
#define PENNYWORTH_VERSION "unknown"
#endif

static json_t *engine_names(const struct engines *engines)
{
    json_t *names = json_array();

    for (size_t i = 0; i < engines->count; i++)
        json_array_append_new(names, json_string(engines->list[i].name));
    return names;
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
        json_object_set_new(properties, name, list);
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

/* The errors that every route of a kind may answer, and those that only this one may. */
static void add_errors(json_t *responses, const struct route *route)
{
    const bool guarded = route->access != ACCESS_OPEN;
    const bool writes = guarded && route->access != ACCESS_READ && route->access != ACCESS_EXPORT;
    const bool has_body = route->takes_body != BODY_NONE;
    const bool is_asset = !route->produces && !guarded;
    const struct {
        int status;
        bool is_usual;
    } errors[] = {
        {400, true},      {401, guarded}, {403, writes},   {404, strstr(route->pattern, "{id}")},
        {406, !is_asset}, {409, false},   {411, has_body}, {413, true},
        {415, has_body},  {422, false},   {429, false},    {431, true},
        {500, guarded},   {503, guarded}, {507, has_body}};
    char status[4], reference[40];

    for (size_t i = 0; i < COUNT(errors); i++) {
        snprintf(status, sizeof status, "%d", errors[i].status);
        if (json_object_get(responses, status) ||
            (!errors[i].is_usual && !(route->also && strstr(route->also, status))))
            continue;
        snprintf(reference, sizeof reference, "#/components/responses/%s", status);
        json_object_set_new(responses, status, json_pack("{s:s}", "$ref", reference));
    }
}

/* Schemas that openapi.json refers to by name. */
static const struct members *const named[] = {&amount_members,
                                              &price_members,
                                              &run_cost_members,
                                              &run_cost_head_members,
                                              &unmatched_members,
                                              &state_event_members,
                                              &summary_head_members,
                                              &check_members,
                                              &benchmark_point_members,
                                              &bencher_metric_members,
                                              &sweep_state_event_members,
                                              &import_report_members};

/* Every successful answer with JSON is described by the same rows. */
static void add_answer(json_t *responses, const struct route *route, json_t *schemas)
{
    const char *status;
    json_t *response;

    if (!route->answer)
        return;
    json_object_foreach(responses, status, response)
    {
        json_t *content;

        if (status[0] != '2')
            continue;
        content = json_pack("{s:{s:o}}", "application/json", "schema",
                            members_describe(route->answer, schemas));
        json_object_update_missing(content, json_object_get(response, "content"));
        json_object_set_new(response, "content", content);
    }
}

static void add_body(json_t *operation, const struct route *route, json_t *schemas)
{
    json_t *media, *content;

    if (!route->body)
        return;
    media = json_pack("{s:o}", "schema", body_describe(route->body, schemas));
    content = json_pack("{s:O}", "application/json", media);
    if (route->takes_body == BODY_RUNS)
        json_object_set(content, "application/x-ndjson", media);
    json_object_set_new(operation, "requestBody",
                        json_pack("{s:b, s:s, s:o}", "required", 1, "description",
                                  route->takes_body == BODY_RUNS ? "At most 16,777,216 bytes."
                                                                 : "At most 65,536 bytes.",
                                  "content", content));
    json_decref(media);
}

/* What the table of routes says: the parameters and the body of each path, its answer, and its
 * errors. */
static bool add_route(json_t *document, const struct route *route, struct error *err)
{
    json_t *paths = json_object_get(document, "paths");
    json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
    AUTO(json_decrefp) json_t *described = parameters_describe(route->parameters);
    char method[8] = "";
    json_t *operation, *parameters;

    for (size_t i = 0; route->method[i] && i + 1 < sizeof method; i++)
        method[i] = (char)(route->method[i] | 0x20);
    operation = json_object_get(json_object_get(paths, route->pattern), method);
    if (!operation)
        return error_set(err, ERROR_INTERNAL, NULL, "openapi.json lacks %s %s", route->method,
                         route->pattern);
    parameters = json_object_get(operation, "parameters");
    if (parameters)
        json_array_extend(parameters, described);
    else if (json_array_size(described) > 0)
        json_object_set(operation, "parameters", described);
    add_body(operation, route, schemas);
    add_answer(json_object_get(operation, "responses"), route, schemas);
    add_errors(json_object_get(operation, "responses"), route);
    return true;
}

static bool fill_in(json_t *document, const struct engines *engines, struct error *err)
{
    json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
    AUTO(json_decrefp) json_t *spec = run_spec_schema();
    json_t *engine = json_object_get(json_object_get(spec, "properties"), "engine");

    json_object_set_new(engine, "enum", engine_names(engines));
    json_object_set(schemas, "RunSpec", spec);
    json_object_set_new(schemas, "RunRequest", request_schema());
    json_object_set_new(schemas, "Knobs", knobs_schema());
    json_object_set_new(json_object_get(document, "info"), "version",
                        json_string(PENNYWORTH_VERSION));
    for (size_t i = 0; i < COUNT(named); i++)
        json_decref(members_describe(named[i], schemas));
    for (size_t i = 0; i < route_count; i++)
        if (!add_route(document, &routes[i], err))
            return false;
    return true;
}

bool openapi_make(const struct engines *engines, struct bytes *ret_document, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *document = json_loads(openapi_source, 0, &why);
    AUTO(freep) char *text = NULL;

    if (!document)
        return error_set(err, ERROR_INTERNAL, NULL, "openapi.json: %s in line %d", why.text,
                         why.line);
    if (!fill_in(document, engines, err))
        return false;
    text = json_dumps(document, JSON_INDENT(1));
    return bytes_add(ret_document, text, strlen(text)) ||
           error_set(err, ERROR_INTERNAL, NULL, "the OpenAPI document is too long");
}
