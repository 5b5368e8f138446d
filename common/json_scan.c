#include "common/json_scan.h"

#include "common/hex.h"
#include "common/json_number.h"

#include <stdio.h>
#include <string.h>

/* Four hexadecimal digits; -1 for other text. */
static long take_code(struct json_scan *scan)
{
    long code = 0;

    for (int i = 0; i < 4; i++, scan->at++) {
        int digit = scan->at == scan->end ? -1 : hex_digit(*scan->at);

        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* After "\u": neither a NUL nor half of a surrogate pair. */
static bool skip_code(struct json_scan *scan)
{
    long code = take_code(scan);

    if (code < 0xd800 || code > 0xdfff)
        return code > 0;
    if (code >= 0xdc00 || scan->end - scan->at < 2 || memcmp(scan->at, "\\u", 2) != 0)
        return false;
    scan->at += 2;
    code = take_code(scan);
    return code >= 0xdc00 && code <= 0xdfff;
}

/* After a backslash. */
static bool skip_escape(struct json_scan *scan)
{
    if (scan->at == scan->end || *scan->at == '\0' || !strchr("\"\\/bfnrtu", *scan->at))
        return false;
    return *scan->at++ != 'u' || skip_code(scan);
}

bool json_scan_string(struct json_scan *scan, struct span *ret_inside)
{
    const char *start;

    if (!json_scan_take(scan, '"'))
        return false;
    for (start = scan->at; scan->at < scan->end; scan->at++) {
        if (*scan->at == '"') {
            *ret_inside = (struct span){start, (size_t)(scan->at - start)};
            scan->at++;
            return true;
        }
        if ((unsigned char)*scan->at < 0x20)
            return false;
        if (*scan->at == '\\') {
            scan->at++;
            if (!skip_escape(scan))
                return false;
            scan->at--; /* the loop takes it */
        }
    }
    return false;
}

static bool skip_word(struct json_scan *scan, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

/* As large as anybody could read it. */
static bool skip_number(struct json_scan *scan)
{
    const char *start = scan->at;
    long long whole;
    double number;

    if (json_number_read_whole(&scan->at, scan->end, &whole))
        return true;
    if (!json_number_read(&scan->at, scan->end, &number))
        return false;
    for (const char *at = start; at < scan->at; at++)
        if (*at == '.' || *at == 'e' || *at == 'E')
            return true;
    return false; /* a whole number that does not fit */
}

static bool skip_value(struct json_scan *scan, int depth);

/* An escape would let the same name look like another. */
static bool is_new_name(struct span name, const struct span *names, size_t count)
{
    if (memchr(name.start, '\\', name.length))
        return false;
    for (size_t i = 0; i < count; i++)
        if (names[i].length == name.length &&
            memcmp(names[i].start, name.start, name.length) == 0)
            return false;
    return true;
}

static bool skip_members(struct json_scan *scan, int depth)
{
    struct span names[JSON_SCAN_MEMBERS];
    enum json_scan_step step;
    size_t count = 0;
    bool first = true;

    while ((step = json_scan_member(scan, &first, &names[count])) == JSON_SCAN_MEMBER) {
        if (!is_new_name(names[count], names, count) || ++count == JSON_SCAN_MEMBERS ||
            !skip_value(scan, depth))
            return false;
    }
    return step == JSON_SCAN_END;
}

static bool skip_elements(struct json_scan *scan, int depth)
{
    enum json_scan_step step;
    bool first = true;

    while ((step = json_scan_element(scan, &first)) == JSON_SCAN_MEMBER)
        if (!skip_value(scan, depth))
            return false;
    return step == JSON_SCAN_END;
}

/* `depth`: how much deeper it may nest. */
static bool skip_value(struct json_scan *scan, int depth)
{
    struct span inside;

    json_scan_blanks(scan);
    if (scan->at == scan->end)
        return false;
    switch (*scan->at) {
    case '"':
        return json_scan_string(scan, &inside);
    case '{':
        scan->at++;
        return depth > 0 && skip_members(scan, depth - 1);
    case '[':
        scan->at++;
        return depth > 0 && skip_elements(scan, depth - 1);
    case 't':
        return skip_word(scan, "true");
    case 'f':
        return skip_word(scan, "false");
    case 'n':
        return skip_word(scan, "null");
    default:
        return skip_number(scan);
    }
}

bool json_scan_value(struct json_scan *scan, struct span *ret_value)
{
    const char *start;

    json_scan_blanks(scan);
    start = scan->at;
    if (!skip_value(scan, JSON_SCAN_DEPTH))
        return false;
    *ret_value = (struct span){start, (size_t)(scan->at - start)};
    return true;
}

/* Before an element or a member: is there one? */
static enum json_scan_step next_item(struct json_scan *scan, bool *first, char closing)
{
    if (json_scan_take(scan, closing))
        return JSON_SCAN_END;
    if (!*first && !json_scan_take(scan, ','))
        return JSON_SCAN_BROKEN;
    *first = false;
    return JSON_SCAN_MEMBER;
}

enum json_scan_step json_scan_element(struct json_scan *scan, bool *first)
{
    return next_item(scan, first, ']');
}

enum json_scan_step json_scan_member(struct json_scan *scan, bool *first, struct span *ret_name)
{
    enum json_scan_step step = next_item(scan, first, '}');

    if (step == JSON_SCAN_MEMBER &&
        (!json_scan_string(scan, ret_name) || !json_scan_take(scan, ':')))
        return JSON_SCAN_BROKEN;
    return step;
}

/* To the bracket that closes the one at the beginning. Both kinds in one test: in ASCII they
 * differ in one bit. */
static bool skip_brackets(struct json_scan *scan)
{
    struct span inside;
    int depth = 0;

    while (scan->at < scan->end) {
        if (*scan->at == '"') {
            if (!json_scan_string(scan, &inside))
                return false;
            continue;
        }
        char bracket = (char)(*scan->at++ | 0x20);
        if (bracket == '{')
            depth++;
        else if (bracket == '}' && --depth == 0)
            return true;
    }
    return false;
}

bool json_scan_extent(struct json_scan *scan, struct span *ret_value)
{
    const char *start;
    struct span inside;
    bool ok = true;

    json_scan_blanks(scan);
    start = scan->at;
    if (start == scan->end)
        return false;
    if (*start == '{' || *start == '[')
        ok = skip_brackets(scan);
    else if (*start == '"')
        ok = json_scan_string(scan, &inside);
    else
        while (scan->at < scan->end && !strchr(",]} \t\r\n", *scan->at))
            scan->at++;
    *ret_value = (struct span){start, (size_t)(scan->at - start)};
    return ok && ret_value->length > 0;
}

bool span_is(struct span span, const char *text)
{
    return strlen(text) == span.length && memcmp(span.start, text, span.length) == 0;
}

bool json_scan_refuse_name(const char *where, struct span name, const struct known_names *known,
                           struct error *err)
{
    char field[64];
    const struct unknown_name unknown = {field, "is not a known field", name.start, name.length};

    snprintf(field, sizeof field, "%s%s%.*s", where, where[0] ? "." : "",
             name.length < 40 ? (int)name.length : 40, name.start);
    return error_unknown_name(err, &unknown, known);
}
