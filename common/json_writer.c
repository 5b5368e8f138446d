#include "common/json_writer.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/json_number.h"
#include "common/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct json_writer *out, const char *text, size_t length)
{
    if (!out->failed && !bytes_add(out->bytes, text, length))
        out->failed = true;
}

static void add_quoted(struct json_writer *out, const char *text)
{
    add(out, "\"", 1);
    while (*text) {
        size_t plain = 0;
        char escape[8];

        while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\')
            plain++;
        add(out, text, plain);
        text += plain;
        if (!*text)
            break;
        if (*text == '"' || *text == '\\')
            snprintf(escape, sizeof escape, "\\%c", *text);
        else
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*text);
        add(out, escape, strlen(escape));
        text++;
    }
    add(out, "\"", 1);
}

/* Whether the text is written in the same way by jansson. */
static bool is_plain(const char *text)
{
    while (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
        text++;
    return *text == '\0';
}

/* Takes over the value; NULL if it cannot be written. */
static void add_stored(struct json_writer *out, json_t *value)
{
    AUTO(freep) char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_TEXT_FORMAT);

    if (text)
        add(out, text, strlen(text));
    out->failed = out->failed || !text;
    json_decref(value);
}

static void add_stored_number(struct json_writer *out, double number)
{
    char text[JSON_NUMBER_SIZE];
    size_t length = (size_t)json_number_print(number, JSON_TEXT_DIGITS, text);

    if (memchr(text, 'e', length)) {
        add_stored(out, json_real(number));
        return;
    }
    add(out, text, length);
    if (!memchr(text, '.', length))
        add(out, ".0", 2);
}

static bool is_listed(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* False if the value is left out. */
static bool begin(struct json_writer *out, const char *key)
{
    if (out->skipped > 0 ||
        (out->only && key && out->depth == out->only_depth && !is_listed(out->only, key)))
        return false;
    if (out->comma)
        add(out, ",", 1);
    out->comma = true;
    if (key) {
        add_quoted(out, key);
        add(out, ":", 1);
    }
    return true;
}

void jsonw_open(struct json_writer *out, const char *key, char bracket)
{
    if (!begin(out, key)) {
        out->skipped++;
        return;
    }
    out->depth++;
    add(out, &bracket, 1);
    out->comma = false;
}

void jsonw_close(struct json_writer *out, char bracket)
{
    if (out->skipped > 0) {
        out->skipped--;
        return;
    }
    out->depth--;
    add(out, &bracket, 1);
    out->comma = true;
}

void jsonw_raw(struct json_writer *out, const char *key, const char *text)
{
    if (!text)
        text = "null";
    if (begin(out, key))
        add(out, text, strlen(text));
}

void jsonw_text(struct json_writer *out, const char *key, const char *text)
{
    if (!text) {
        jsonw_null(out, key);
        return;
    }
    if (!begin(out, key))
        return;
    if (out->stored && !is_plain(text))
        add_stored(out, json_string(text));
    else
        add_quoted(out, text);
}

void jsonw_integer(struct json_writer *out, const char *key, long long number)
{
    char text[JSON_NUMBER_SIZE];
    int length = json_number_write_whole(number, text);

    if (begin(out, key))
        add(out, text, (size_t)length);
}

static bool reads_back(const char *text, int length, double number)
{
    double read;

    return json_number_read(&text, text + length, &read) && !(read < number) && !(read > number);
}

static int print_number(double number, char text[JSON_NUMBER_SIZE])
{
    int length;

    /* Fifteen digits where they read back as the same number ("0.1"), else the seventeen that
     * always do. */
    length = json_number_print(number, 15, text);
    if (!reads_back(text, length, number))
        length = json_number_print(number, 17, text);
    return length;
}

void jsonw_number(struct json_writer *out, const char *key, double number)
{
    char text[JSON_NUMBER_SIZE];

    if (!isfinite(number))
        jsonw_null(out, key);
    else if (!begin(out, key))
        return;
    else if (out->stored)
        add_stored_number(out, number);
    else
        add(out, text, (size_t)print_number(number, text));
}

void jsonw_bool(struct json_writer *out, const char *key, bool truth)
{
    jsonw_raw(out, key, truth ? "true" : "false");
}

void jsonw_null(struct json_writer *out, const char *key)
{
    jsonw_raw(out, key, "null");
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
