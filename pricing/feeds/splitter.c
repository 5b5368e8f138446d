#include "pricing/feeds/splitter.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/memory.h"
#include "common/text.h"

#include <assert.h>
#include <stdint.h>

#define LEVELS_MAX 8 /* steps of the longest path */

/* What may come next where keys are followed. */
enum expect {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* behind '[' */
    EXPECT_KEY,
    EXPECT_KEY_OR_END, /* behind '{' */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* behind the document */
};

/* A value that is skipped or kept as a whole. */
struct split_span {
    enum { SPAN_NONE, SPAN_SCALAR, SPAN_STRING, SPAN_NEST } kind;
    bool in_string, escaped;
    bool kept, oversized;
    size_t path;
    int base; /* depth of the container that it is in */
};

struct splitter {
    struct splitter_rules rules;
    size_t path_count;
    const char *steps[SPLIT_PATHS_MAX][LEVELS_MAX]; /* into `words` */
    size_t lengths[SPLIT_PATHS_MAX];
    char words[SPLIT_PATHS_MAX][128];
    size_t gate; /* its index among the paths; SPLIT_PATHS_MAX where there is none */
    enum expect expect;
    int depth;
    uint64_t objects;              /* bit d: the container at depth d + 1 is one */
    unsigned mask[LEVELS_MAX + 1]; /* paths that match the way down to this depth */
    char keys[LEVELS_MAX + 1][SPLIT_KEY_MAX + 1]; /* key of the value that is open at depth d */
    bool in_key, key_escaped, key_has_escapes;
    size_t key_used;
    struct split_span span;
    struct bytes held; /* the beginning of a kept value, from earlier pieces */
    long long oversized;
    enum split_verdict verdict;
};

static bool add_path(struct splitter *splitter, const char *path, struct error *err)
{
    size_t index = splitter->path_count, length = 0;
    char *rest = splitter->words[index];

    if (index == SPLIT_PATHS_MAX || strlen(path) >= sizeof splitter->words[0])
        return error_set(err, ERROR_INTERNAL, NULL, "too many paths, or too long ones");
    snprintf(rest, sizeof splitter->words[0], "%s", path);
    while (rest) {
        char *slash = strchr(rest, '/');

        if (length == LEVELS_MAX)
            return error_set(err, ERROR_INTERNAL, NULL, "a path is too deep");
        splitter->steps[index][length++] = rest;
        if (slash)
            *slash++ = '\0';
        rest = slash;
    }
    splitter->lengths[index] = length;
    splitter->mask[0] |= 1u << index;
    splitter->path_count++;
    return true;
}

struct splitter *splitter_new(const struct splitter_rules *rules, struct error *err)
{
    AUTO(splitter_freep) struct splitter *splitter = xcalloc(1, sizeof *splitter);

    splitter->rules = *rules;
    splitter->held.limit = rules->element_max;
    splitter->gate = SPLIT_PATHS_MAX;
    for (const char *const *path = rules->paths; *path; path++)
        if (!add_path(splitter, *path, err))
            return NULL;
    if (rules->gate) {
        splitter->gate = splitter->path_count;
        if (!add_path(splitter, rules->gate, err))
            return NULL;
    }
    return take(&splitter);
}

void splitter_free(struct splitter *splitter)
{
    if (!splitter)
        return;
    bytes_free(&splitter->held);
    free(splitter);
}

void splitter_freep(struct splitter **splitter)
{
    splitter_free(*splitter);
    *splitter = NULL;
}

long long splitter_oversized(const struct splitter *splitter)
{
    return splitter->oversized;
}

static bool splitter_refuse(struct splitter *splitter, struct error *err, const char *why)
{
    splitter->verdict = SPLIT_FAILED;
    return error_set(err, ERROR_UPSTREAM, NULL, "this is not the JSON that was expected: %s",
                     why);
}

static bool is_object(const struct splitter *splitter)
{
    assert(splitter->depth > 0);
    return splitter->objects >> (splitter->depth - 1) & 1;
}

static bool splitter_push(struct splitter *splitter, char bracket, struct error *err)
{
    if (splitter->depth == SPLIT_DEPTH_MAX)
        return splitter_refuse(splitter, err, "it is nested too deeply");
    if (bracket == '{')
        splitter->objects |= 1ull << splitter->depth;
    else
        splitter->objects &= ~(1ull << splitter->depth);
    splitter->depth++;
    return true;
}

static bool splitter_pop(struct splitter *splitter, char bracket, struct error *err)
{
    if (is_object(splitter) != (bracket == '}'))
        return splitter_refuse(splitter, err, "brackets do not match");
    splitter->depth--;
    return true;
}

/* Delivers a kept value: `tail` is its end, in this piece. */
static bool splitter_deliver(struct splitter *splitter, const char *tail, size_t length,
                             struct error *err)
{
    struct split_span *span = &splitter->span;
    struct split_element element = {.path = span->path,
                                    .key = splitter->keys[span->base - 1],
                                    .outer = span->base > 1 ? splitter->keys[span->base - 2] : "",
                                    .json = tail,
                                    .length = length};
    bool is_held = splitter->held.used > 0;

    assert(span->base > 0 && span->base == splitter->depth);

    if (span->oversized || length > splitter->rules.element_max ||
        (is_held && !bytes_add(&splitter->held, tail, length))) {
        splitter->oversized++;
        splitter->held.used = 0;
        return true;
    }
    if (is_held) {
        element.json = splitter->held.data;
        element.length = splitter->held.used;
    }
    splitter->verdict = splitter->rules.element(splitter->rules.user, &element, err);
    splitter->held.used = 0;
    return splitter->verdict == SPLIT_GO_ON;
}

/* The piece ends within a kept value. */
static void splitter_hold(struct splitter *splitter, const char *begin, size_t length)
{
    struct split_span *span = &splitter->span;

    if (!span->kept || span->oversized)
        return;
    span->oversized = !bytes_add(&splitter->held, begin, length);
    if (span->oversized)
        splitter->held.used = 0;
}

/* Where a string may end or escape, and where nesting may change: most bytes are neither. */
static const bool ends_string[256] = {['"'] = true, ['\\'] = true};
static const bool ends_plain[256] = {
    ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};

static const char *splitter_skip(const char *at, const char *end, const bool stops[256])
{
    while (end - at >= 4) {
        if (stops[(unsigned char)at[0]])
            return at;
        if (stops[(unsigned char)at[1]])
            return at + 1;
        if (stops[(unsigned char)at[2]])
            return at + 2;
        if (stops[(unsigned char)at[3]])
            return at + 3;
        at += 4;
    }
    while (at < end && !stops[(unsigned char)*at])
        at++;
    return at;
}

/* Continues in a string, to after its closing quote or to the end. */
static const char *pass_string(struct split_span *span, const char *at, const char *end)
{
    while (at < end) {
        if (span->escaped) {
            span->escaped = false;
            at++;
            continue;
        }
        at = splitter_skip(at, end, ends_string);
        if (at == end)
            break;
        if (*at++ == '"') {
            span->in_string = false;
            break;
        }
        span->escaped = true;
    }
    return at;
}

/* Continues in a container, to after its closing bracket or to the end; NULL: malformed. */
static const char *pass_nest(struct splitter *splitter, const char *at, const char *end,
                             struct error *err)
{
    struct split_span *span = &splitter->span;

    while (at < end && splitter->depth > span->base) {
        if (span->in_string) {
            at = pass_string(span, at, end);
            continue;
        }
        at = splitter_skip(at, end, ends_plain);
        if (at == end)
            break;
        if (*at == '"')
            span->in_string = true;
        else if (*at == '{' || *at == '[' ? !splitter_push(splitter, *at, err)
                                          : !splitter_pop(splitter, *at, err))
            return NULL;
        at++;
    }
    return at;
}

static bool is_scalar_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '-' ||
           byte == '+' || byte == '.' || byte == 'E';
}

/* Continues at *ret_at in a value that is skipped or kept; its part in this piece starts at
 * `begin`. */
static bool pass_span(struct splitter *splitter, const char *begin, const char **ret_at,
                      const char *end, struct error *err)
{
    struct split_span *span = &splitter->span;
    const char *at = *ret_at;
    bool done = false;

    switch (span->kind) {
    case SPAN_SCALAR:
        while (at < end && is_scalar_byte(*at))
            at++;
        done = at < end;
        break;
    case SPAN_STRING:
        at = pass_string(span, at, end);
        done = !span->in_string;
        break;
    default:
        at = pass_nest(splitter, at, end, err);
        if (!at)
            return false;
        done = splitter->depth == span->base;
    }
    *ret_at = at;
    if (!done) {
        splitter_hold(splitter, begin, (size_t)(at - begin));
        return true;
    }
    span->kind = SPAN_NONE;
    splitter->expect = EXPECT_COMMA_OR_END;
    return !span->kept || splitter_deliver(splitter, begin, (size_t)(at - begin), err);
}

/* The paths that match a value that begins here; *ret_whole is the one that ends here, if any. */
static unsigned splitter_matches(const struct splitter *splitter, size_t *ret_whole)
{
    size_t depth = (size_t)splitter->depth;
    unsigned mask = 0;

    *ret_whole = SPLIT_PATHS_MAX;
    for (size_t i = 0; i < splitter->path_count; i++) {
        const char *step;

        if (!(splitter->mask[depth - 1] >> i & 1) || splitter->lengths[i] < depth)
            continue;
        step = splitter->steps[i][depth - 1];
        if (strcmp(step, "*") != 0 && strcmp(step, splitter->keys[depth - 1]) != 0)
            continue;
        mask |= 1u << i;
        if (splitter->lengths[i] == depth)
            *ret_whole = i;
    }
    return mask;
}

static void begin_span(struct splitter *splitter, char first, bool kept, size_t path)
{
    splitter->span = (struct split_span){.kind = first == '{' || first == '[' ? SPAN_NEST
                                                 : first == '"'               ? SPAN_STRING
                                                                              : SPAN_SCALAR,
                                         .in_string = first == '"',
                                         .kept = kept,
                                         .path = path,
                                         .base = splitter->depth};
}

/* A value begins at *ret_at. */
static bool begin_value(struct splitter *splitter, const char **ret_at, const char *end,
                        struct error *err)
{
    const char *begin = *ret_at;
    char first = *begin;
    bool nest = first == '{' || first == '[';
    size_t whole = SPLIT_PATHS_MAX;
    unsigned mask = splitter->mask[0];

    if (!nest && first != '"' && !is_scalar_byte(first))
        return splitter_refuse(splitter, err, "there is no value where one must be");
    if (splitter->depth == 0 && !nest)
        return splitter_refuse(splitter, err, "it is neither an object nor an array");
    if (splitter->depth > 0)
        mask = splitter_matches(splitter, &whole);
    if (whole == splitter->gate && whole != SPLIT_PATHS_MAX) {
        splitter->verdict = splitter->rules.at_gate(splitter->rules.user, err);
        if (splitter->verdict != SPLIT_GO_ON)
            return false;
        mask &= ~(1u << whole); /* other paths may lead through the gate */
        whole = SPLIT_PATHS_MAX;
    }
    if (nest && mask && (whole == SPLIT_PATHS_MAX)) {
        if (!splitter_push(splitter, first, err))
            return false;
        splitter->mask[splitter->depth - 1] = mask;
        splitter->keys[splitter->depth - 1][0] = '\0';
        splitter->expect = first == '{' ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
        (*ret_at)++;
        return true;
    }
    begin_span(splitter, first, mask && whole != SPLIT_PATHS_MAX, whole);
    if (nest && !splitter_push(splitter, first, err))
        return false;
    *ret_at += nest || first == '"';
    return pass_span(splitter, begin, ret_at, end, err);
}

/* A key with escapes is rare: jansson knows what it says. */
static bool decode_key(struct splitter *splitter, struct error *err)
{
    char *key = splitter->keys[splitter->depth - 1];
    char quoted[SPLIT_KEY_MAX + 3];
    json_error_t why;
    AUTO(json_decrefp) json_t *json = NULL;

    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    json = json_read(quoted, strlen(quoted), JSON_DECODE_ANY, &why);
    if (!json)
        return splitter_refuse(splitter, err, "a key cannot be read");
    snprintf(key, SPLIT_KEY_MAX + 1, "%s", json_string_value(json));
    return true;
}

/* Continues in a key. */
static bool pass_key(struct splitter *splitter, const char **ret_at, const char *end,
                     struct error *err)
{
    char *key = splitter->keys[splitter->depth - 1];
    const char *at = *ret_at;

    for (; at < end; at++) {
        if (*at == '"' && !splitter->key_escaped) {
            key[splitter->key_used] = '\0';
            splitter->in_key = false;
            splitter->expect = EXPECT_COLON;
            *ret_at = at + 1;
            return !splitter->key_has_escapes || decode_key(splitter, err);
        }
        if (splitter->key_used == SPLIT_KEY_MAX)
            return splitter_refuse(splitter, err, "a key is too long");
        splitter->key_escaped = *at == '\\' && !splitter->key_escaped;
        splitter->key_has_escapes |= *at == '\\';
        key[splitter->key_used++] = *at;
    }
    *ret_at = at;
    return true;
}

static bool end_container(struct splitter *splitter, char bracket, struct error *err)
{
    if (!splitter_pop(splitter, bracket, err))
        return false;
    splitter->expect = splitter->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
    return true;
}

/* A byte of structure outside of skipped and kept values; not white space. */
static bool splitter_structure(struct splitter *splitter, const char **at, const char *end,
                               struct error *err)
{
    char byte = **at;
    enum expect expect = splitter->expect;
    bool ends = byte == '}' || byte == ']';

    if (expect == EXPECT_NOTHING)
        return splitter_refuse(splitter, err, "there is something behind its end");
    if (ends && (expect == EXPECT_COMMA_OR_END || expect == EXPECT_VALUE_OR_END ||
                 expect == EXPECT_KEY_OR_END))
        return (*at)++, end_container(splitter, byte, err);
    if (expect == EXPECT_VALUE || expect == EXPECT_VALUE_OR_END)
        return begin_value(splitter, at, end, err);
    if (expect == EXPECT_COMMA_OR_END && byte == ',') {
        (*at)++;
        splitter->expect = is_object(splitter) ? EXPECT_KEY : EXPECT_VALUE;
        return true;
    }
    if (expect == EXPECT_COLON && byte == ':') {
        (*at)++;
        splitter->expect = EXPECT_VALUE;
        return true;
    }
    if ((expect == EXPECT_KEY || expect == EXPECT_KEY_OR_END) && byte == '"') {
        (*at)++;
        splitter->in_key = true;
        splitter->key_escaped = splitter->key_has_escapes = false;
        splitter->key_used = 0;
        return true;
    }
    return splitter_refuse(splitter, err, "its structure is broken");
}

enum split_verdict splitter_feed(struct splitter *splitter, const char *data, size_t length,
                                 struct error *err)
{
    const char *at = data, *end = data + length;
    bool ok = splitter->verdict == SPLIT_GO_ON;

    while (ok && at < end) {
        if (splitter->span.kind != SPAN_NONE)
            ok = pass_span(splitter, at, &at, end, err);
        else if (splitter->in_key)
            ok = pass_key(splitter, &at, end, err);
        else if (text_is_space(*at))
            at++;
        else
            ok = splitter_structure(splitter, &at, end, err);
    }
    return splitter->verdict;
}

bool splitter_end(const struct splitter *splitter, struct error *err)
{
    if (splitter->verdict == SPLIT_STOP)
        return true;
    if (splitter->verdict == SPLIT_FAILED)
        return error_set(err, ERROR_UPSTREAM, NULL, "the document could not be read");
    if (splitter->expect == EXPECT_NOTHING)
        return true;
    return error_set(err, ERROR_UPSTREAM, NULL, "the document ends in the middle");
}
