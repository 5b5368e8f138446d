/* Property: every header gives an answer within its bounds, and what has nothing to do with the
 * question does not change the answer. The input is the value of a header. */
#include "server/http/negotiate.h"
#include "tests/fuzz/fuzz.h"

#include <strings.h>

static char *joined(const char *left, const char *right)
{
    size_t size = strlen(left) + strlen(right) + 1;
    char *text = malloc(size);

    ALWAYS(text != NULL);
    snprintf(text, size, "%s%s", left, right);
    return text;
}

static void check_accept(const char *header)
{
    static const char *const types[] = {"application/json", "text/csv", "text/event-stream"};
    char *longer = joined(header, ",image/x-never-asked;q=0.7");
    int blank = header[strspn(header, " \t")] == '\0';

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        int quality = accept_quality(header, types[i]);

        ALWAYS(quality >= 0 && quality <= 1000);
        /* A blank header likes everything, one with a range does not. */
        ALWAYS(blank ? quality == 1000 : accept_quality(longer, types[i]) == quality);
    }
    free(longer);
}

static void check_content_type(const char *header)
{
    char *longer = joined(header, "x");

    if (content_type_is_json(header)) {
        ALWAYS(strncasecmp(header, "application/json", 16) == 0);
        ALWAYS(!content_type_is_json(longer));
    }
    free(longer);
}

static void check_prefer(const char *header)
{
    long long seconds = prefer_wait(header);
    char *behind = joined(header, ", return=minimal");
    char *before = joined("respond-async, ", header);

    ALWAYS(seconds >= 0 && seconds <= 999999999);
    ALWAYS(prefer_wait(behind) == seconds);
    ALWAYS(prefer_wait(before) == seconds);
    free(behind);
    free(before);
}

static void check_key(const char *header)
{
    char key[IDEMPOTENCY_KEY_MAX + 1], again[IDEMPOTENCY_KEY_MAX + 1];
    char quoted[IDEMPOTENCY_KEY_MAX + 3];

    if (!idempotency_key_read(header, key))
        return;
    ALWAYS(strlen(key) >= 1 && strlen(key) <= IDEMPOTENCY_KEY_MAX);
    for (const char *c = key; *c; c++)
        ALWAYS(*c >= 0x20 && *c <= 0x7e);
    /* Quoting is a way to write a key, not a part of it. */
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    ALWAYS(idempotency_key_read(quoted, again) && strcmp(key, again) == 0);
}

static void check_bearer(const char *header)
{
    const char *token = bearer_token(header);

    if (!token)
        return;
    ALWAYS(token >= header + 7 && token <= header + strlen(header));
    ALWAYS(*token != ' ' && *token != '\t');
}

FUZZ_TEXT(header)
{

    check_accept(header);
    check_content_type(header);
    check_prefer(header);
    check_key(header);
    check_bearer(header);
}
