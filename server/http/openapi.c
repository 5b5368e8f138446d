#include "server/http/openapi.h"

#include "answers/parameters.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "common/rows/body.h"
#include "common/rows/members.h"
#include "engine/document/run_document_write.h"
#include "engine/protocol/details.h"
#include "engine/spec/run_spec.h"
#include "engine/stats/summary_text.h"
#include "server/base/assets.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/page.h"
#include "server/http/json/present_check.h"
#include "server/http/json/present_check_tools.h"
#include "server/http/json/present_run.h"
#include "server/http/path_ids.h"
#include "server/http/reply.h"
#include "server/http/routes.h"
#include "server/prices/cost_json.h"
#include "server/prices/price_json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *engine_names(const struct engines *engines)
{
    json_t *names = json_array();

    for (size_t i = 0; i < engines->count; i++)
        json_array_append_new(names, json_string(engines->list[i].name));
    return names;
}

static json_t *reference_to(const char *kind, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", kind, name));
}

/* The allowed values of a field of a spec. */
static json_t *knobs_schema(void)
{
    AUTO(json_decrefp) json_t *properties = json_object();
    char reference[80];

    for (size_t i = 0; i < run_spec_field_count; i++) {
        const char *name = run_spec_fields[i].name;
        json_t *list;

        snprintf(reference, sizeof reference, "RunSpec/properties/%s", name);
        list = json_pack("{s:s, s:i, s:o}", "type", "array", "minItems", 1, "items",
                         reference_to("schemas", reference));
        json_object_set_new(properties, name, list);
    }
    return json_pack("{s:s, s:s, s:i, s:b, s:O}", "description",
                     "Lists of values by the field that they are for.", "type", "object",
                     "minProperties", 1, "additionalProperties", 0, "properties", properties);
}

/* A stored spec: this server may not have its engine. */
static json_t *kept_spec_schema(json_t *spec, const char *meaning)
{
    json_t *schema = json_copy(spec), *properties = json_object(), *ignored;
    const char *name;
    char reference[80];

    json_object_foreach(json_object_get(spec, "properties"), name, ignored)
    {
        snprintf(reference, sizeof reference, "RunSpec/properties/%s", name);
        json_object_set_new(properties, name, reference_to("schemas", reference));
    }
    json_object_set_new(properties, "engine",
                        json_pack("{s:s, s:s}", "type", "string", "pattern",
                                  "^[A-Za-z0-9._/-]{1," LIMIT_TEXT(ENGINE_NAME_MAX) "}$"));
    json_object_set_new(schema, "properties", properties);
    json_object_set_new(schema, "description", json_string(meaning));
    return schema;
}

static void add_specs(json_t *schemas, json_t *spec)
{
    json_t *stored =
        kept_spec_schema(spec, "A RunSpec with all its fields. The engine may be one "
                               "that this server no longer has.");
    json_t *sent =
        kept_spec_schema(spec, "A RunSpec as its sender wrote it. Fields that are left "
                               "out have their defaults.");
    json_t *required = json_array(), *ignored;
    const char *name;

    json_object_foreach(json_object_get(stored, "properties"), name, ignored)
        json_array_append_new(required, json_string(name));
    json_object_set_new(stored, "required", required);
    json_object_set_new(schemas, "StoredSpec", stored);
    json_object_set_new(json_object_get(sent, "properties"), "batch_size",
                        json_pack("{s:s, s:s, s:i, s:i}", "description", "The run's number.",
                                  "type", "integer", "minimum", 1, "maximum", BATCH_SIZE_MAX));
    json_object_set_new(schemas, "DocumentSpec", sent);
}

/* A posted spec. The base of a sweep is a plain RunSpec: its cells may name the engine. */
static json_t *request_schema(void)
{
    return json_pack("{s:s, s:[{s:s}, o]}", "description",
                     "A [RunSpec](#schema-runspec). Without a registered `engine`, `workload` is "
                     "one that the engine native trains, and `precision` f32 or bf16.",
                     "allOf", "$ref", "#/components/schemas/RunSpec", run_spec_native_schema());
}

/* The errors common to routes of a kind, and this route's own. */
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
    char status[4];

    for (size_t i = 0; i < COUNT(errors); i++) {
        snprintf(status, sizeof status, "%d", errors[i].status);
        if (json_object_get(responses, status) ||
            (!errors[i].is_usual && !(route->also && strstr(route->also, status))))
            continue;
        json_object_set_new(responses, status, reference_to("responses", status));
    }
}

/* Schemas that openapi.json refers to by name. */
static const struct members *const named[] = {&amount_members,         &price_members,
                                              &run_cost_members,       &document_cost_members,
                                              &run_document_members,   &run_cost_head_members,
                                              &unmatched_members,      &state_event_members,
                                              &summary_head_members,   &summary_members,
                                              &check_members,          &benchmark_point_members,
                                              &bencher_metric_members, &sweep_state_event_members,
                                              &import_report_members};

/* Takes the next word off a list; false at its end. */
static bool next_word(const char **list, char ret_word[48])
{
    size_t length;

    if (!*list)
        return false;
    *list += strspn(*list, " ");
    length = strcspn(*list, " ");
    snprintf(ret_word, 48, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

/* Response fields that a request field implies. */
static const char *const answered[][2] = {{"If-None-Match", "ETag"},
                                          {"Prefer", "Preference-Applied"},
                                          {"Idempotency-Key", "Idempotent-Replayed"}};

static void add_header(json_t *headers, const char *key)
{
    char name[48];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "."), key);
    json_object_set_new(headers, name, reference_to("headers", key));
}

/* Only a new resource has a Location. */
static json_t *headers_of(const struct route *route, int status)
{
    const char *list = route->gives;
    json_t *headers = json_object();
    char key[48];

    while (next_word(&list, key))
        if (status > 200 || strncmp(key, "Location", 8) != 0)
            add_header(headers, key);
    for (size_t i = 0; i < COUNT(answered); i++)
        if (route->takes && strstr(route->takes, answered[i][0]))
            add_header(headers, answered[i][1]);
    return headers;
}

/* Takes over `list`, an array or an object; an empty one is left out. */
static void set_filled(json_t *object, const char *key, json_t *list)
{
    if (json_array_size(list) + json_object_size(list) > 0)
        json_object_set(object, key, list);
    json_decref(list);
}

/* The content of a successful answer, by type. */
static json_t *content_of(const struct route *route, const struct said *said, json_t *schemas)
{
    const char *text = said == route->said ? route->forms : NULL;
    AUTO(json_decrefp) json_t *forms = text ? json_loads(text, 0, NULL) : NULL;
    json_t *content;

    if (!route->answer)
        return forms ? json_incref(forms)
                     : json_pack("{s:{s:{s:s}}}", route->produces, "schema", "type", "string");
    content = json_pack("{s:{s:o}}", "application/json", "schema",
                        members_describe(route->answer, schemas));
    json_object_update(content, forms);
    return content;
}

static void add_response(json_t *responses, const struct route *route, const struct said *said,
                         json_t *content)
{
    json_t *response = json_pack("{s:s}", "description", said->meaning);
    char status[12];

    snprintf(status, sizeof status, "%d", said->status);
    set_filled(response, "headers", headers_of(route, said->status));
    set_filled(response, "content", content);
    json_object_set_new(responses, status, response);
}

static json_t *responses_of(const struct route *route, json_t *schemas)
{
    static const struct said unchanged = {
        .status = 304, .meaning = "Nothing has changed since the answer with that ETag."};
    json_t *responses = json_object();

    for (size_t i = 0; i < COUNT(route->said) && route->said[i].status; i++)
        add_response(responses, route, &route->said[i],
                     content_of(route, &route->said[i], schemas));
    if (route->takes && strstr(route->takes, "If-None-Match"))
        add_response(responses, route, &unchanged, json_object());
    add_errors(responses, route);
    return responses;
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

static json_t *parameters_of(const struct route *route)
{
    json_t *described = parameters_describe(route->parameters), *list = json_array();
    const char *takes = route->takes;
    char name[48];

    while (next_word(&takes, name))
        json_array_append_new(list, reference_to("parameters", name));
    json_array_extend(list, described);
    json_decref(described);
    return list;
}

static json_t *operation_of(const struct route *route, json_t *schemas)
{
    json_t *operation = json_pack("{s:s, s:[s], s:s, s:s*, s:o}", "operationId", route->name,
                                  "tags", route->tag, "summary", route->summary, "description",
                                  route->description, "responses", responses_of(route, schemas));

    set_filled(operation, "parameters", parameters_of(route));
    if (route->access == ACCESS_OPEN)
        json_object_set_new(operation, "security", json_array());
    add_body(operation, route, schemas);
    return operation;
}

static json_t *path_of(const char *pattern)
{
    const struct path_id *id = path_id_of(pattern);

    return id ? json_pack("{s:[o]}", "parameters", reference_to("parameters", id->parameter))
              : json_object();
}

static void add_route(json_t *paths, const struct route *route, json_t *schemas)
{
    char method[8] = "";

    for (size_t i = 0; route->method[i] && i + 1 < sizeof method; i++)
        method[i] = (char)(route->method[i] | 0x20);
    if (!json_object_get(paths, route->pattern))
        json_object_set_new(paths, route->pattern, path_of(route->pattern));
    json_object_set_new(json_object_get(paths, route->pattern), method,
                        operation_of(route, schemas));
}

static void add_problem(json_t *components, json_t *schemas)
{
    json_t *response, *problem;
    const char *status;

    json_decref(members_describe(&problem_members, schemas));
    problem = json_object_get(schemas, problem_members.name);
    json_object_set_new(json_object_get(json_object_get(problem, "properties"), "type"), "enum",
                        reply_problem_types());
    json_object_foreach(json_object_get(components, "responses"), status, response)
        json_object_set_new(response, "content",
                            json_pack("{s:{s:o}}", "application/problem+json", "schema",
                                      reference_to("schemas", problem_members.name)));
}

static void fill_in(json_t *document, const struct engines *engines)
{
    json_t *components = json_object_get(document, "components");
    json_t *schemas = json_object_get(components, "schemas");
    AUTO(json_decrefp) json_t *spec = run_spec_schema();
    json_t *engine = json_object_get(json_object_get(spec, "properties"), "engine");

    json_object_set_new(engine, "enum", engine_names(engines));
    json_object_set(schemas, "RunSpec", spec);
    add_specs(schemas, spec);
    json_object_set_new(schemas, "EngineDetails", engine_details_schema());
    json_object_set_new(schemas, "RunRequest", request_schema());
    json_object_set_new(schemas, "Knobs", knobs_schema());
    json_object_set_new(json_object_get(document, "info"), "version",
                        json_string(PENNYWORTH_VERSION));
    add_problem(components, schemas);
    for (size_t i = 0; i < COUNT(named); i++)
        json_decref(members_describe(named[i], schemas));
    for (size_t i = 0; i < route_count; i++)
        add_route(json_object_get(document, "paths"), &routes[i], schemas);
}

bool openapi_make(const struct engines *engines, struct bytes *ret_document, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *document = json_loads(openapi_source, 0, &why);
    AUTO(freep) char *text = NULL;

    if (!document)
        return error_set(err, ERROR_INTERNAL, NULL, "openapi.json: %s in line %d", why.text,
                         why.line);
    fill_in(document, engines);
    text = json_dumps(document, JSON_INDENT(1));
    return bytes_add(ret_document, text, strlen(text)) ||
           error_set(err, ERROR_INTERNAL, NULL, "the OpenAPI document is too long");
}

struct openapi {
    const struct engines *engines;
    pthread_mutex_t lock; /* of what follows */
    struct bytes text;
};

struct openapi *openapi_new(const struct engines *engines)
{
    struct openapi *openapi = xcalloc(1, sizeof *openapi);

    openapi->engines = engines;
    pthread_mutex_init(&openapi->lock, NULL);
    openapi->text.limit = 1024 * 1024;
    return openapi;
}

void openapi_free(struct openapi *openapi)
{
    if (!openapi)
        return;
    bytes_free(&openapi->text);
    pthread_mutex_destroy(&openapi->lock);
    free(openapi);
}

const struct bytes *openapi_text(struct openapi *openapi, struct error *err)
{
    bool made;

    pthread_mutex_lock(&openapi->lock);
    made = openapi->text.used > 0 || openapi_make(openapi->engines, &openapi->text, err);
    pthread_mutex_unlock(&openapi->lock);
    return made ? &openapi->text : NULL;
}
