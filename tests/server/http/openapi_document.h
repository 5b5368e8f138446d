/* The OpenAPI document of a server. */
#pragma once

#include "server/http/openapi.h"
#include "tests/test.h"

static inline json_t *make_document(const char *engine_text)
{
    AUTO(engines_free) struct engines engines = {0};
    AUTO(bytes_free) struct bytes text = {.limit = 1024 * 1024};
    json_error_t why;

    EXPECT_OK(engines_read(engine_text, "worker", &engines, &err));
    EXPECT_OK(openapi_make(&engines, &text, &err));
    json_t *document =
        json_loadb(text.data ? text.data : "", text.used, JSON_REJECT_DUPLICATES, &why);
    EXPECT(document != NULL);
    return document;
}

/* The value at a way such as "components/schemas/Run", or NULL. */
static inline json_t *at(json_t *json, const char *way)
{
    char words[200], *rest = words;

    snprintf(words, sizeof words, "%s", way);
    for (char *word; (word = strsep(&rest, "/")) != NULL;)
        json = json_is_array(json) ? json_array_get(json, strtoul(word, NULL, 10))
                                   : json_object_get(json, word);
    return json;
}

static inline const char *text_at(json_t *json, const char *way)
{
    return json_string_value(at(json, way));
}

/* A test of the document of a server with these engines. */
#define TEST_OF_DOCUMENT(name, engine_text)                                                      \
    static void name(json_t *document);                                                          \
    TEST_FOUND(name, document_test(name, engine_text))                                           \
    static void name(json_t *document)

static inline void document_test(void (*test)(json_t *document), const char *engine_text)
{
    AUTO(json_decrefp) json_t *document = make_document(engine_text);

    test(document);
}
