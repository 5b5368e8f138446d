/* Property: how a document is cut into pieces changes nothing; and of a document that jansson
 * reads, the elements are those that jansson finds, each whole and in its place. */
#include "common/cleanup.h"
#include "pricing/feeds/splitter.h"
#include "tests/fuzz/fuzz.h"

enum { PATH_A, PATH_B, PATH_LIST, PATH_WORD, PATHS };
static const char *const paths[] = {"a/*", "b/*/c", "list/*", "word", NULL};

/* A key, or null where it is no UTF-8. */
static json_t *text_of(const char *key)
{
    json_t *text = json_string(key);

    return text ? text : json_null();
}

/* [path, outer, key, value] of each element; where jansson does not read it, its length. */
static enum split_verdict note(void *user, const struct split_element *element, struct error *err)
{
    json_t *value = json_loadb(element->json, element->length, JSON_DECODE_ANY, NULL);

    (void)err;
    ALWAYS(element->length > 0 && element->path < PATHS);
    if (!value)
        value = json_integer((json_int_t)element->length);
    ALWAYS(json_array_append_new(user, json_pack("[i,o,o,o]", (int)element->path,
                                                 text_of(element->outer), text_of(element->key),
                                                 value)) == 0);
    return SPLIT_GO_ON;
}

static json_t *split(const uint8_t *data, size_t size, size_t piece, struct error *err)
{
    struct splitter_rules rules = {.paths = paths, .element_max = 1 << 20, .element = note};
    json_t *list = json_array();

    rules.user = list;
    AUTO(splitter_freep) struct splitter *splitter = splitter_new(&rules, err);
    ALWAYS(list && splitter);
    for (size_t at = 0; at < size; at += piece)
        if (splitter_feed(splitter, (const char *)data + at,
                          piece < size - at ? piece : size - at, err) == SPLIT_FAILED)
            return list;
    ALWAYS(splitter_end(splitter, err) == (err->kind == ERROR_NONE));
    ALWAYS(splitter_oversized(splitter) == 0);
    return list;
}

static void add(json_t *list, int path, const char *outer, const char *key, json_t *value)
{
    ALWAYS(json_array_append_new(list, json_pack("[i,s,s,O]", path, outer, key, value)) == 0);
}

/* The members of an object, or the elements of an array; of `inner` where that is not NULL. */
static void add_all(json_t *list, int path, json_t *from, const char *inner)
{
    const char *key;
    json_t *value;
    size_t i;

    json_object_foreach(from, key, value)
    {
        if (!inner)
            add(list, path, paths[path][0] == 'a' ? "a" : "list", key, value);
        else if (json_object_get(value, inner))
            add(list, path, key, inner, json_object_get(value, inner));
    }
    json_array_foreach(from, i, value)
    {
        if (!inner)
            add(list, path, paths[path][0] == 'a' ? "a" : "list", "", value);
        else if (json_object_get(value, inner))
            add(list, path, "", inner, json_object_get(value, inner));
    }
}

/* The elements of one path: jansson keeps no order between paths. */
static json_t *of_path(json_t *list, int path)
{
    json_t *some = json_array(), *element;
    size_t i;

    json_array_foreach(list, i, element)
    {
        if (json_integer_value(json_array_get(element, 0)) == path)
            json_array_append(some, element);
    }
    return some;
}

static void check_elements(json_t *root, json_t *list)
{
    AUTO(json_decrefp) json_t *expected = json_array();

    add_all(expected, PATH_A, json_object_get(root, "a"), NULL);
    add_all(expected, PATH_B, json_object_get(root, "b"), "c");
    add_all(expected, PATH_LIST, json_object_get(root, "list"), NULL);
    if (json_object_get(root, "word"))
        add(expected, PATH_WORD, "", "word", json_object_get(root, "word"));
    for (int path = 0; path < PATHS; path++) {
        AUTO(json_decrefp) json_t *left = of_path(expected, path);
        AUTO(json_decrefp) json_t *right = of_path(list, path);

        ALWAYS(json_equal(left, right));
    }
}

FUZZ(data, size)
{
    AUTO(json_decrefp)
    json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    struct error err = {0};
    AUTO(json_decrefp) json_t *whole = split(data, size, size ? size : 1, &err);

    for (size_t piece = 1; piece < 40; piece += 13) {
        struct error why = {0};
        AUTO(json_decrefp) json_t *pieces = split(data, size, piece, &why);

        ALWAYS(strcmp(err.message, why.message) == 0 && json_equal(whole, pieces));
    }
    if (root && err.kind == ERROR_NONE)
        check_elements(root, whole);
    else if (root && !memchr(data, 0, size)) /* jansson passes over a NUL behind a number */
        /* It is JSON: only our bounds may refuse it. */
        ALWAYS(strstr(err.message, "too deeply") || strstr(err.message, "too long"));
}
