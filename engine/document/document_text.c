/* Tested by tests/engine/document/run_document_test.c. */
#include "engine/document/document_text.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/memory.h"
#include "common/text.h"

static json_t *document_read_json(struct span value, size_t flags, const char *field,
                                  struct error *err)
{
    json_error_t why;
    json_t *json = json_read(value.start, value.length, flags, &why);

    if (!json)
        error_set(err, ERROR_INVALID, field, "is not JSON: %s", why.text);
    return json;
}

json_t *document_parse(struct span value, const char *field, struct error *err)
{
    if (value.start[0] == '{')
        return document_read_json(value, 0, field, err);
    error_set(err, ERROR_INVALID, field, "must be an object");
    return NULL;
}

static bool copy_text(const char *from, size_t length, const char *field, size_t size,
                      char *ret_text, struct error *err)
{
    if (length >= size)
        return error_set(err, ERROR_INVALID, field, "must have at most %zu bytes, got %zu",
                         size - 1, length);
    if (!text_is_clean(from, length))
        return error_set(err, ERROR_INVALID, field, "must not hold control characters");
    memcpy(ret_text, from, length);
    ret_text[length] = '\0';
    return true;
}

bool document_read_text(struct span value, const char *field, size_t size, char *ret_text,
                        struct error *err)
{
    struct json_scan scan = json_scan_of(value);
    struct span inside;

    if (!json_scan_string(&scan, &inside) || !json_scan_is_over(&scan))
        return error_set(err, ERROR_INVALID, field, "must be a string");
    if (!memchr(inside.start, '\\', inside.length))
        return copy_text(inside.start, inside.length, field, size, ret_text, err);

    AUTO(json_decrefp) json_t *json = document_read_json(value, JSON_DECODE_ANY, field, err);
    return json && copy_text(json_string_value(json), json_string_length(json), field, size,
                             ret_text, err);
}

/* `to` has room for all of it. Returns the length. */
static size_t copy_without_blanks(struct span from, char *to)
{
    bool inside = false;
    size_t used = 0;

    for (size_t i = 0; i < from.length; i++) {
        char c = from.start[i];

        if (!inside && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
            continue;
        to[used++] = c;
        if (c == '"')
            inside = !inside;
        else if (c == '\\' && i + 1 < from.length) /* only strings have these */
            to[used++] = from.start[++i];
    }
    return used;
}

char *document_copy_object(struct span value, const char *field, struct error *err)
{
    struct json_scan scan = json_scan_of(value);
    struct span whole;
    char *copy;

    if (value.start[0] != '{') {
        error_set(err, ERROR_INVALID, field, "must be an object");
        return NULL;
    }
    if (!json_scan_value(&scan, &whole) || !json_scan_is_over(&scan)) {
        error_set(err, ERROR_INVALID, field,
                  "is not JSON, has a name twice, or a number that does not fit");
        return NULL;
    }
    copy = xmalloc(value.length + 1);
    copy[copy_without_blanks(value, copy)] = '\0';
    return copy;
}

bool document_refuse_inside(struct error *err, const char *where, const struct error *inner)
{
    char field[64];

    if (inner->kind != ERROR_INVALID)
        return error_set(err, inner->kind, NULL, "%s", inner->message);
    if (!inner->field[0] || strcmp(inner->field, where) == 0)
        return error_not_allowed(err, where, inner->allowed, "%s", inner->message);
    snprintf(field, sizeof field, "%s.%.40s", where, inner->field);
    return error_not_allowed(err, field, inner->allowed, "%s", inner->message);
}
