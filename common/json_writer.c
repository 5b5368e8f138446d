#include "common/json_writer.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/eight_bytes.h"
#include "common/json_number.h"
#include "common/json_text.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void jsonw_add(struct json_writer *out, const char *text, size_t length)
{
    if (!out->failed && !bytes_add(out->bytes, text, length))
        out->failed = true;
}

/* Whether nothing is escaped: no control character, '"' or '\\'. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i += EIGHT_BYTES) {
        uint64_t bytes = next_eight_bytes(text + i, length - i);

        /* An exclusive or with 2 puts '"', but no blank, below '!' too. */
        if (any_byte_below(bytes ^ (EACH_BYTE * 2), '!') |
            any_byte_below(bytes ^ (EACH_BYTE * '\\'), 1))
            return false;
    }
    return true;
}

/* Takes over the value; NULL if it cannot be written. */
static void add_stored(struct json_writer *out, json_t *value)
{
    AUTO(freep) char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_TEXT_FORMAT);

    if (text)
        jsonw_add(out, text, strlen(text));
    out->failed = out->failed || !text;
    json_decref(value);
}

/* Adds the text in quotation marks, with what jansson escapes as it does if it is stored. */
static void add_escaped(struct json_writer *out, const char *text)
{
    if (out->stored) {
        add_stored(out, json_string(text));
        return;
    }
    jsonw_add(out, "\"", 1);
    for (; *text; text++) {
        char escape[8];

        if (is_plain(text, 1))
            jsonw_add(out, text, 1);
        else
            jsonw_add(out, escape,
                      (size_t)snprintf(escape, sizeof escape,
                                       *text == '"' || *text == '\\' ? "\\%c" : "\\u%04x",
                                       *text));
    }
    jsonw_add(out, "\"", 1);
}

/* Adds the text in quotation marks, with a comma before it or a colon behind it if it has one. */
static void add_quoted(struct json_writer *out, bool comma, const char *text, bool colon)
{
    size_t length = strlen(text);
    bool plain = is_plain(text, length);
    char *to = NULL;

    if (!out->failed)
        to = bytes_extend(out->bytes, comma + (plain ? length + 2 + colon : 0));
    out->failed = !to;
    if (!to)
        return;
    if (comma)
        *to++ = ',';
    if (plain) {
        *to++ = '"';
        memcpy(to, text, length);
        to[length] = '"';
        if (colon)
            to[length + 1] = ':';
    } else {
        add_escaped(out, text);
        jsonw_add(out, ":", colon);
    }
}

static void add_stored_number(struct json_writer *out, double number)
{
    char text[JSON_NUMBER_SIZE];
    size_t length = (size_t)json_number_print(number, JSON_TEXT_DIGITS, text);

    if (memchr(text, 'e', length)) {
        add_stored(out, json_real(number));
        return;
    }
    jsonw_add(out, text, length);
    if (!memchr(text, '.', length))
        jsonw_add(out, ".0", 2);
}

/* False if the value is left out. */
static bool jsonw_begin(struct json_writer *out, const char *key)
{
    if (out->skipped > 0 ||
        (out->only && key && out->depth == out->only_depth && !text_is_listed(out->only, key)))
        return false;
    if (key)
        add_quoted(out, out->comma, key, true);
    else if (out->comma)
        jsonw_add(out, ",", 1);
    out->comma = true;
    return true;
}

void jsonw_open(struct json_writer *out, const char *key, char bracket)
{
    if (!jsonw_begin(out, key)) {
        out->skipped++;
        return;
    }
    out->depth++;
    jsonw_add(out, &bracket, 1);
    out->comma = false;
}

void jsonw_close(struct json_writer *out, char bracket)
{
    if (out->skipped > 0) {
        out->skipped--;
        return;
    }
    out->depth--;
    jsonw_add(out, &bracket, 1);
    out->comma = true;
}

void jsonw_raw_span(struct json_writer *out, const char *key, struct span span)
{
    if (!span.start)
        jsonw_null(out, key);
    else if (jsonw_begin(out, key))
        jsonw_add(out, span.start, span.length);
}

void jsonw_raw(struct json_writer *out, const char *key, const char *text)
{
    jsonw_raw_span(out, key, (struct span){text, text ? strlen(text) : 0});
}

void jsonw_text(struct json_writer *out, const char *key, const char *text)
{
    if (!text) {
        jsonw_null(out, key);
        return;
    }
    if (!jsonw_begin(out, key))
        return;
    out->failed = out->failed || (out->stored && !text_is_utf8(text, strlen(text)));
    add_quoted(out, false, text, false);
}

void jsonw_integer(struct json_writer *out, const char *key, long long number)
{
    char text[JSON_NUMBER_SIZE];
    int length = json_number_write_whole(number, text);

    if (jsonw_begin(out, key))
        jsonw_add(out, text, (size_t)length);
}

void jsonw_number(struct json_writer *out, const char *key, double number)
{
    char text[JSON_NUMBER_SIZE];

    if (!isfinite(number))
        jsonw_null(out, key);
    else if (!jsonw_begin(out, key))
        return;
    else if (out->stored)
        add_stored_number(out, number);
    else
        jsonw_add(out, text, (size_t)json_number_write(number, text));
}

void jsonw_bool(struct json_writer *out, const char *key, bool truth)
{
    if (jsonw_begin(out, key))
        jsonw_add(out, truth ? "true" : "false", truth ? 4 : 5);
}

void jsonw_null(struct json_writer *out, const char *key)
{
    if (jsonw_begin(out, key))
        jsonw_add(out, "null", 4);
}

void jsonw_time(struct json_writer *out, const char *key, long long calendar_us)
{
    char when[RFC3339_SIZE];

    if (calendar_us == 0) {
        jsonw_null(out, key);
        return;
    }
    clock_rfc3339(calendar_us, when);
    jsonw_text(out, key, when);
}
