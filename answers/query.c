#include "answers/query.h"

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/text.h"

/* Decodes `length` bytes to *to, adds a NUL and moves *to behind it. */
static bool query_decode(const char *from, size_t length, bool in_path, char **to,
                         struct error *err)
{
    char *start = *to;

    for (size_t i = 0; i < length; i++) {
        char c = from[i];

        if (c == '%') {
            int high = i + 2 < length ? hex_digit(from[i + 1]) : -1;
            int low = i + 2 < length ? hex_digit(from[i + 2]) : -1;

            if (high < 0 || low < 0)
                return error_set(err, ERROR_INVALID, NULL, "the URL has a broken %%-escape");
            c = (char)(high << 4 | low);
            if (in_path && (c == '/' || c == '\0'))
                return error_set(err, ERROR_INVALID, NULL, "the path has an encoded slash");
            i += 2;
        } else if (c == '+' && !in_path) {
            c = ' ';
        }
        *(*to)++ = c;
    }
    if (!text_is_clean(start, (size_t)(*to - start)))
        return error_set(err, ERROR_INVALID, NULL, "the URL has control characters");
    *(*to)++ = '\0';
    return true;
}

static bool read_parameter(const char *text, size_t length, char **to, struct query *query,
                           struct error *err)
{
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals ? (size_t)(equals - text) : length;
    struct parameter *parameter = &query->parameters[query->count];

    if (length == 0)
        return true;
    if (name_length == 0)
        return error_set(err, ERROR_INVALID, NULL, "the URL has a parameter without a name");
    if (query->count == QUERY_PARAMETERS_MAX)
        return error_set(err, ERROR_INVALID, NULL, "the URL has more than %d parameters",
                         QUERY_PARAMETERS_MAX);
    parameter->name = *to;
    if (!query_decode(text, name_length, false, to, err))
        return false;
    parameter->value = *to;
    if (!query_decode(equals ? equals + 1 : "", equals ? length - name_length - 1 : 0, false, to,
                      err))
        return false;
    query->count++;
    return true;
}

bool query_read(const char *target, struct query *query, struct error *err)
{
    size_t path_length = strcspn(target, "?#");
    const char *rest = target + path_length;
    char *to = query->text;

    query->count = 0;
    query->path = "/";
    if (target[0] != '/')
        return error_set(err, ERROR_INVALID, NULL, "the URL must start with a slash");
    /* Each parameter may need a NUL more than it has bytes: "a&b" becomes "a\0\0b\0\0". */
    if (strlen(target) + 1 + QUERY_PARAMETERS_MAX > QUERY_MAX)
        return error_set(err, ERROR_INVALID, NULL, "the URL is longer than %d bytes",
                         QUERY_MAX - 1 - QUERY_PARAMETERS_MAX);
    if (!query_decode(target, path_length, true, &to, err))
        return false;
    query->path = query->text;
    while (*rest == '?' || *rest == '&') {
        size_t length = strcspn(++rest, "&#");

        if (!read_parameter(rest, length, &to, query, err))
            return false;
        rest += length;
    }
    return true;
}

const char *query_find(const struct query *query, const char *name)
{
    for (size_t i = 0; i < query->count; i++)
        if (strcmp(query->parameters[i].name, name) == 0)
            return query->parameters[i].value;
    return NULL;
}
