/* Property: what is read of a target is bounded, clean and inside its buffer, reading it twice is
 * the same, and escaping every byte of it changes nothing. */
#include "answers/query.h"
#include "common/text.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const struct query *query, const char *text)
{
    const char *end = query->text + sizeof query->text;

    ALWAYS(text >= query->text && text < end);
    ALWAYS(memchr(text, '\0', (size_t)(end - text)) != NULL);
    ALWAYS(text_is_clean(text, strlen(text)));
}

static void check_query(const struct query *query)
{
    check_text(query, query->path);
    ALWAYS(query->path[0] == '/');
    ALWAYS(query->count <= QUERY_PARAMETERS_MAX);
    for (size_t i = 0; i < query->count; i++) {
        check_text(query, query->parameters[i].name);
        check_text(query, query->parameters[i].value);
        ALWAYS(query_find(query, query->parameters[i].name) != NULL);
    }
}

static void check_same(const struct query *left, const struct query *right)
{
    ALWAYS(strcmp(left->path, right->path) == 0);
    ALWAYS(left->count == right->count);
    for (size_t i = 0; i < left->count; i++) {
        ALWAYS(strcmp(left->parameters[i].name, right->parameters[i].name) == 0);
        ALWAYS(strcmp(left->parameters[i].value, right->parameters[i].value) == 0);
    }
}

static char *escape(char *to, const char *text, char but)
{
    for (; *text; text++)
        if (*text == but)
            *to++ = but;
        else
            to += snprintf(to, 4, "%%%02X", (unsigned)(unsigned char)*text);
    return to;
}

/* Escaping makes three bytes of one, so what was nearly too long becomes too long. */
static void check_escaped(const struct query *query)
{
    static char target[3 * QUERY_MAX + 2 * QUERY_PARAMETERS_MAX + 1];
    static struct query again;
    struct error err = {0};
    char *to = escape(target, query->path, '/');

    for (size_t i = 0; i < query->count; i++) {
        *to++ = i == 0 ? '?' : '&';
        to = escape(to, query->parameters[i].name, '\0');
        *to++ = '=';
        to = escape(to, query->parameters[i].value, '\0');
    }
    *to = '\0';
    if ((size_t)(to - target) > QUERY_MAX - 1 - QUERY_PARAMETERS_MAX)
        return;
    ALWAYS(query_read(target, &again, &err));
    check_same(query, &again);
}

FUZZ_TEXT(target)
{
    static struct query first, second;
    struct error err = {0}, err_again = {0};
    bool ok = query_read(target, &first, &err);

    ALWAYS(query_read(target, &second, &err_again) == ok);
    if (ok) {
        check_query(&first);
        check_same(&first, &second);
        check_escaped(&first);
    } else {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(strcmp(err.message, err_again.message) == 0);
    }
}
