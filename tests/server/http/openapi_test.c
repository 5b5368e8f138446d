#include "server/http/openapi.h"

#include "common/cleanup.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/run_spec_text.h"
#include "server/http/routes.h"
#include "tests/test.h"

static json_t *make_document(const char *engine_text)
{
    AUTO(engines_free) struct engines engines = {0};
    AUTO(bytes_free) struct bytes text = {.limit = 1024 * 1024};
    struct error err = {0};
    json_error_t why;
    json_t *document;

    EXPECT(engines_read(engine_text, "worker", &engines, &err));
    EXPECT(openapi_make(&engines, &text, &err));
    EXPECT_STR(err.message, "");
    document = json_loadb(text.data ? text.data : "", text.used, JSON_REJECT_DUPLICATES, &why);
    EXPECT(document != NULL);
    return document;
}

static json_t *properties_of(json_t *document)
{
    json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");

    return json_object_get(json_object_get(schemas, "RunSpec"), "properties");
}

static long long integer(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    EXPECT(json_is_integer(value));
    return json_integer_value(value);
}

static void check_field(const struct field *field, json_t *schema)
{
    json_t *list = json_object_get(schema, "enum");
    json_t *range = schema;

    EXPECT_STR(json_string_value(json_object_get(schema, "description")), field->meaning);
    EXPECT_INT(json_object_get(schema, "default") != NULL, strcmp(field->name, "precision") != 0);
    if (field->type == FIELD_CHOICE) {
        size_t count = 0;

        for (; field->choices[count]; count++)
            EXPECT_STR(json_string_value(json_array_get(list, count)), field->choices[count]);
        EXPECT_INT((long long)json_array_size(list), (long long)count);
    } else if (field->type == FIELD_TEXT) {
        EXPECT_INT(integer(schema, "minLength"), field->min);
        EXPECT_INT(integer(schema, "maxLength"), field->max);
    } else if (field->type == FIELD_NUMBER || field->type == FIELD_LIMIT) {
        EXPECT_INT(integer(schema, "exclusiveMinimum"), field->min);
        EXPECT_INT(integer(schema, "maximum"), field->max);
    } else {
        if (field->type == FIELD_AUTO) {
            json_t *either = json_object_get(schema, "oneOf");

            EXPECT_STR(json_string_value(json_object_get(json_array_get(either, 0), "const")),
                       "auto");
            range = json_array_get(either, 1);
        }
        EXPECT_INT(integer(range, "minimum"), field->min);
        EXPECT_INT(integer(range, "maximum"), field->max);
    }
}

TEST(a_spec_is_described_with_the_limits_that_are_enforced)
{
    AUTO(json_decrefp) json_t *document = make_document("");
    json_t *properties = properties_of(document);

    for (size_t i = 0; i < run_spec_field_count; i++) {
        json_t *schema = json_object_get(properties, run_spec_fields[i].name);

        EXPECT(schema != NULL);
        check_field(&run_spec_fields[i], schema);
    }
    EXPECT(json_object_get(properties, "labels") != NULL);
    EXPECT_INT((long long)json_object_size(properties), (long long)run_spec_field_count + 1);
}

TEST(the_described_defaults_are_the_ones_that_hold)
{
    AUTO(json_decrefp) json_t *document = make_document("");
    json_t *properties = properties_of(document);
    struct run_spec spec = run_spec_default();
    AUTO(json_decrefp) json_t *defaults = run_spec_to_json(&spec);

    for (size_t i = 0; i < run_spec_field_count; i++) {
        const char *name = run_spec_fields[i].name;

        if (strcmp(name, "precision") == 0 || strcmp(name, "batch_size") == 0)
            continue; /* of a request they are the machine's, which the description says */
        EXPECT(json_equal(json_object_get(json_object_get(properties, name), "default"),
                          json_object_get(defaults, name)));
    }
}

TEST(the_engines_are_those_of_this_server)
{
    AUTO(json_decrefp) json_t *document = make_document("torch=python3 engine.py");
    json_t *names = json_object_get(json_object_get(properties_of(document), "engine"), "enum");

    EXPECT_INT((long long)json_array_size(names), 2);
    EXPECT_STR(json_string_value(json_array_get(names, 0)), "torch");
    EXPECT_STR(json_string_value(json_array_get(names, 1)), "native");
}

/* A base of a sweep may have what only a registered engine trains; a run without one may not. */
TEST(what_the_native_engine_lacks_is_no_part_of_a_request)
{
    AUTO(json_decrefp) json_t *document = make_document("torch=python3 engine.py");
    json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
    json_t *parts = json_object_get(json_object_get(schemas, "RunRequest"), "allOf");
    json_t *rule = json_array_get(parts, 1);
    json_t *then = json_object_get(json_object_get(rule, "then"), "properties");
    json_t *formats = json_object_get(json_object_get(then, "precision"), "enum");
    json_t *workloads = json_object_get(json_object_get(then, "workload"), "enum");
    json_t *workload = json_object_get(properties_of(document), "workload");

    EXPECT_INT((long long)json_array_size(formats), 2);
    EXPECT_INT((long long)json_array_size(workloads), (long long)run_spec_workload_count);
    EXPECT(json_equal(workloads, json_object_get(workload, "examples")));
    EXPECT(json_object_get(workload, "enum") == NULL);
    EXPECT_INT((long long)json_array_size(json_object_get(
                   json_object_get(properties_of(document), "precision"), "enum")),
               3);
}

TEST(the_document_says_its_versions)
{
    AUTO(json_decrefp) json_t *document = make_document("");
    json_t *info = json_object_get(document, "info");

    EXPECT(strncmp(json_string_value(json_object_get(document, "openapi")), "3.1", 3) == 0);
    EXPECT_STR(json_string_value(json_object_get(info, "title")), "pennyworth");
    EXPECT_STR(json_string_value(json_object_get(info, "version")), PENNYWORTH_VERSION);
}

/* What the document says of a row, or NULL. */
static json_t *operation_of(json_t *document, const struct route *route)
{
    json_t *path = json_object_get(json_object_get(document, "paths"), route->pattern);
    char method[16];

    snprintf(method, sizeof method, "%s", route->method);
    for (char *c = method; *c; c++)
        *c = (char)(*c | 0x20);
    return json_object_get(path, method);
}

static bool is_tag(json_t *document, const char *name)
{
    size_t index;
    json_t *tag;

    json_array_foreach(json_object_get(document, "tags"), index, tag)
    {
        if (strcmp(json_string_value(json_object_get(tag, "name")), name) == 0)
            return true;
    }
    return false;
}

TEST(every_route_says_what_it_does_and_how_it_answers)
{
    AUTO(json_decrefp) json_t *document = make_document("");

    for (size_t i = 0; i < route_count; i++) {
        const struct route *route = &routes[i];
        json_t *operation = operation_of(document, route), *responses;
        char status[16];

        EXPECT_STR(json_string_value(json_object_get(operation, "operationId")), route->name);
        EXPECT_STR(json_string_value(json_object_get(operation, "summary")), route->summary);
        EXPECT(route->tag && is_tag(document, route->tag));
        EXPECT((route->body != NULL) == (json_object_get(operation, "requestBody") != NULL));
        EXPECT(route->said[0].status && route->said[0].meaning);
        snprintf(status, sizeof status, "%d", route->said[0].status);
        responses = json_object_get(operation, "responses");
        EXPECT(json_object_get(json_object_get(responses, status), "content") != NULL);
    }
}

static json_t *header_of(json_t *document, const struct route *route, const char *status,
                         const char *name)
{
    json_t *responses = json_object_get(operation_of(document, route), "responses");
    json_t *headers = json_object_get(json_object_get(responses, status), "headers");

    return json_object_get(json_object_get(headers, name), "$ref");
}

static const struct route *find(const char *method, const char *pattern)
{
    for (size_t i = 0; i < route_count; i++)
        if (strcmp(routes[i].method, method) == 0 && strcmp(routes[i].pattern, pattern) == 0)
            return &routes[i];
    EXPECT_STR(NULL, pattern);
    return &routes[0];
}

TEST(what_a_route_takes_and_gives_becomes_fields_of_headers)
{
    AUTO(json_decrefp) json_t *document = make_document("");
    const struct route *create = find("POST", "/v1/runs"),
                       *import = find("POST", "/v1/runs/import");
    const struct route *history = find("GET", "/v1/history");

    EXPECT_STR(json_string_value(header_of(document, create, "201", "Location")),
               "#/components/headers/Location.run");
    EXPECT(header_of(document, create, "201", "Idempotent-Replayed") != NULL);
    EXPECT(header_of(document, import, "201", "Location") != NULL);
    EXPECT(header_of(document, import, "200", "Location") == NULL); /* it was there before */
    EXPECT(header_of(document, history, "304", "ETag") != NULL);
    EXPECT(json_object_get(operation_of(document, find("GET", "/healthz")), "security") != NULL);
    EXPECT(json_object_get(operation_of(document, history), "security") == NULL);
}

/* Calls `check` on every value below `json`. */
static void walk(json_t *json, json_t *document, void (*check)(json_t *value, json_t *document))
{
    const char *key;
    size_t index;
    json_t *value;

    check(json, document);
    json_object_foreach(json, key, value) walk(value, document, check);
    json_array_foreach(json, index, value) walk(value, document, check);
}

static void check_reference(json_t *value, json_t *document)
{
    const char *reference = json_string_value(json_object_get(value, "$ref"));
    char text[200], *rest = text;

    if (!reference)
        return;
    EXPECT(strncmp(reference, "#/", 2) == 0);
    snprintf(text, sizeof text, "%s", reference + 2);
    for (char *part; (part = strsep(&rest, "/")) != NULL;)
        document = json_object_get(document, part);
    if (!document)
        EXPECT_STR(NULL, reference);
}

TEST(every_reference_leads_somewhere)
{
    AUTO(json_decrefp) json_t *document = make_document("");

    walk(document, document, check_reference);
}

TEST(a_document_that_does_not_fit_the_schema_is_reported)
{
    AUTO(engines_free) struct engines engines = {0};
    AUTO(bytes_free) struct bytes text = {.limit = 100};
    struct error err = {0};

    EXPECT(engines_read("", "worker", &engines, NULL));
    EXPECT(!openapi_make(&engines, &text, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
}
