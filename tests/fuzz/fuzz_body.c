/* Property: a body that reads leaves texts that end and numbers within their ranges; one that
 * does not says which member is wrong, or that it is no object. */
#include "common/cleanup.h"
#include "common/rows/body.h"
#include "tests/fuzz/fuzz.h"

struct inner {
    double rooms;
};

struct outer {
    char name[8], word[8];
    const char *colour;
    long long age, pause;
    double share, limit;
    bool asleep;
    struct inner home;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct field inner_rows[] = {
    {BODY_AT(struct inner, rooms), .type = FIELD_AMOUNT, .max = 9, .required = true},
};
static const struct body inner_body = {BODY_ROWS(inner_rows)};

static const struct field rows[] = {
    {BODY_TEXT(struct outer, name, 1), .required = true},
    {BODY_WORD(struct outer, word, 0), .nullable = true},
    {BODY_AT(struct outer, colour), .type = FIELD_CHOICE, .choices = colours},
    {BODY_AT(struct outer, age), .type = FIELD_INTEGER, .max = 99},
    {BODY_AT(struct outer, pause), .type = FIELD_AUTO, .max = 60},
    {BODY_AT(struct outer, share), .type = FIELD_NUMBER, .max = 1, .nullable = true},
    {BODY_AT(struct outer, limit), .type = FIELD_LIMIT, .max = 5},
    {BODY_AT(struct outer, asleep), .type = FIELD_FLAG},
    {BODY_AT(struct outer, home), .type = FIELD_OBJECT, .body = &inner_body},
};
static const struct body body = {BODY_ROWS(rows)};

FUZZ(data, size)
{
    AUTO(json_decrefp)
    json_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    struct outer outer = {.colour = colours[0], .share = 1};
    struct error err = {0};

    if (!json)
        return;
    if (!body_read(&body, json, &outer, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(err.field[0] || !json_is_object(json) || json_object_get(json, ""));
        return;
    }
    ALWAYS(outer.name[0] && memchr(outer.name, '\0', sizeof outer.name));
    ALWAYS(memchr(outer.word, '\0', sizeof outer.word));
    ALWAYS(outer.colour == colours[0] || outer.colour == colours[1]);
    ALWAYS(outer.age >= 0 && outer.age <= 99 && outer.pause >= FIELD_IS_AUTO &&
           outer.pause <= 60);
    ALWAYS(outer.share > 0 && outer.share <= 1 && outer.limit >= 0 && outer.limit <= 5);
    ALWAYS(outer.home.rooms >= 0 && outer.home.rooms <= 9);
}
