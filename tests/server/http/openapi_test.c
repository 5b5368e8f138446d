#include "server/http/openapi.h"

#include "engine/spec/run_spec.h"
#include "engine/spec/run_spec_text.h"
#include "server/http/routes.h"
#include "tests/server/http/openapi_document.h"

static json_t *properties_of(json_t *document)
{
    return at(document, "components/schemas/RunSpec/properties");
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

    EXPECT_STR(text_at(schema, "description"), field->meaning);
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
            EXPECT_STR(text_at(schema, "oneOf/0/const"), "auto");
            range = at(schema, "oneOf/1");
        }
        EXPECT_INT(integer(range, "minimum"), field->min);
        EXPECT_INT(integer(range, "maximum"), field->max);
    }
}

TEST_OF_DOCUMENT(a_spec_is_described_with_the_limits_that_are_enforced, "")
{
    json_t *properties = properties_of(document);

    for (size_t i = 0; i < run_spec_field_count; i++) {
        json_t *schema = json_object_get(properties, run_spec_fields[i].name);

        EXPECT(schema != NULL);
        check_field(&run_spec_fields[i], schema);
    }
    EXPECT(json_object_get(properties, "labels") != NULL);
    EXPECT_INT((long long)json_object_size(properties), (long long)run_spec_field_count + 1);
}

TEST_OF_DOCUMENT(the_described_defaults_are_the_ones_that_hold, "")
{
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

TEST_OF_DOCUMENT(the_engines_are_this_servers, "torch=python3 engine.py")
{
    json_t *names = at(properties_of(document), "engine/enum");

    EXPECT_INT((long long)json_array_size(names), 2);
    EXPECT_STR(json_string_value(json_array_get(names, 0)), "torch");
    EXPECT_STR(json_string_value(json_array_get(names, 1)), "native");
}

/* A base of a sweep may have what only a registered engine trains; a run without one may not. */
TEST_OF_DOCUMENT(what_the_native_engine_lacks_is_no_part_of_a_request, "torch=python3 engine.py")
{
    json_t *then = at(document, "components/schemas/RunRequest/allOf/1/then/properties");
    json_t *workloads = at(then, "workload/enum");
    json_t *properties = properties_of(document);

    EXPECT_INT((long long)json_array_size(at(then, "precision/enum")), 2);
    EXPECT_INT((long long)json_array_size(workloads), (long long)run_spec_workload_count);
    EXPECT(json_equal(workloads, at(properties, "workload/examples")));
    EXPECT(at(properties, "workload/enum") == NULL);
    EXPECT_INT((long long)json_array_size(at(properties, "precision/enum")), 3);
}

TEST_OF_DOCUMENT(the_document_says_its_versions, "")
{
    EXPECT(strncmp(text_at(document, "openapi"), "3.1", 3) == 0);
    EXPECT_STR(text_at(document, "info/title"), "pennyworth");
    EXPECT_STR(text_at(document, "info/version"), PENNYWORTH_VERSION);
}

/* What the document says of a route, or NULL. */
static json_t *operation_of(json_t *document, const char *method, const char *pattern)
{
    json_t *path = json_object_get(json_object_get(document, "paths"), pattern);
    char lower[16];

    snprintf(lower, sizeof lower, "%s", method);
    for (char *c = lower; *c; c++)
        *c = (char)(*c | 0x20);
    return json_object_get(path, lower);
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

TEST_OF_DOCUMENT(every_route_says_what_it_does_and_how_it_answers, "")
{
    for (size_t i = 0; i < route_count; i++) {
        const struct route *route = &routes[i];
        json_t *operation = operation_of(document, route->method, route->pattern), *responses;
        char status[16];

        EXPECT_STR(text_at(operation, "operationId"), route->name);
        EXPECT_STR(text_at(operation, "summary"), route->summary);
        EXPECT(route->tag && is_tag(document, route->tag));
        EXPECT((route->body != NULL) == (json_object_get(operation, "requestBody") != NULL));
        EXPECT(route->said[0].status && route->said[0].meaning);
        snprintf(status, sizeof status, "%d", route->said[0].status);
        responses = json_object_get(operation, "responses");
        EXPECT(json_object_get(json_object_get(responses, status), "content") != NULL);
    }
}

static const char *header_of(json_t *operation, const char *status, const char *name)
{
    char way[100];

    snprintf(way, sizeof way, "responses/%s/headers/%s/$ref", status, name);
    return text_at(operation, way);
}

TEST_OF_DOCUMENT(what_a_route_takes_and_gives_becomes_fields_of_headers, "")
{
    json_t *create = operation_of(document, "POST", "/v1/runs");
    json_t *import = operation_of(document, "POST", "/v1/runs/import");
    json_t *history = operation_of(document, "GET", "/v1/history");

    EXPECT_STR(header_of(create, "201", "Location"), "#/components/headers/Location.run");
    EXPECT(header_of(create, "201", "Idempotent-Replayed") != NULL);
    EXPECT(header_of(import, "201", "Location") != NULL);
    EXPECT(header_of(import, "200", "Location") == NULL); /* it was there before */
    EXPECT(header_of(history, "304", "ETag") != NULL);
    EXPECT(at(operation_of(document, "GET", "/healthz"), "security") != NULL);
    EXPECT(history && at(history, "security") == NULL);
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

    if (!reference)
        return;
    EXPECT(strncmp(reference, "#/", 2) == 0);
    if (!at(document, reference + 2))
        EXPECT_STR(NULL, reference);
}

TEST_OF_DOCUMENT(every_reference_leads_somewhere, "")
{
    walk(document, document, check_reference);
}

TEST(a_document_that_does_not_fit_the_schema_is_reported)
{
    AUTO(engines_free) struct engines engines = {0};
    AUTO(bytes_free) struct bytes text = {.limit = 100};

    EXPECT(engines_read("", "worker", &engines, NULL));
    EXPECT_ERROR(openapi_make(&engines, &text, &err), ERROR_INTERNAL);
}

TEST(a_server_makes_its_document_once)
{
    AUTO(engines_free) struct engines engines = {0};
    struct openapi *openapi = openapi_new(&engines);
    struct error err = {0};
    const struct bytes *first, *second;

    EXPECT(engines_read("", "worker", &engines, NULL));
    first = openapi_text(openapi, &err);
    EXPECT(first && first->used > 0);
    second = openapi_text(openapi, &err);
    EXPECT(second && second->used == first->used);
    openapi_free(openapi);
}
