#include "common/json_writer.h"

#include "common/clock.h"
#include "common/json_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct out *out, const char *text, size_t length)
{
    if (!out->failed && !bytes_add(out->bytes, text, length))
        out->failed = true;
}

static void add_quoted(struct out *out, const char *text)
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

static void begin(struct out *out, const char *key)
{
    if (out->comma)
        add(out, ",", 1);
    out->comma = true;
    if (key) {
        add_quoted(out, key);
        add(out, ":", 1);
    }
}

void out_open(struct out *out, const char *key, char bracket)
{
    begin(out, key);
    add(out, &bracket, 1);
    out->comma = false;
}

void out_close(struct out *out, char bracket)
{
    add(out, &bracket, 1);
    out->comma = true;
}

void out_raw(struct out *out, const char *key, const char *text)
{
    begin(out, key);
    if (!text)
        text = "null";
    add(out, text, strlen(text));
}

void out_text(struct out *out, const char *key, const char *text)
{
    if (!text) {
        out_null(out, key);
        return;
    }
    begin(out, key);
    add_quoted(out, text);
}

void out_integer(struct out *out, const char *key, long long number)
{
    char text[NUMBER_SIZE];
    int length = number_write_whole(number, text);

    begin(out, key);
    add(out, text, (size_t)length);
}

static bool reads_back(const char *text, int length, double number)
{
    double read;

    return number_read(&text, text + length, &read) && !(read < number) && !(read > number);
}

void out_number(struct out *out, const char *key, double number)
{
    char text[NUMBER_SIZE];
    int length;

    if (!isfinite(number)) {
        out_null(out, key);
        return;
    }
    /* Fifteen digits where they read back as the same number ("0.1"), else the seventeen that
     * always do. */
    length = number_print(number, 15, text);
    if (!reads_back(text, length, number))
        length = number_print(number, 17, text);
    begin(out, key);
    add(out, text, (size_t)length);
}

void out_bool(struct out *out, const char *key, bool truth)
{
    out_raw(out, key, truth ? "true" : "false");
}

void out_null(struct out *out, const char *key)
{
    out_raw(out, key, "null");
}

void out_time(struct out *out, const char *key, long long calendar_us)
{
    char when[RFC3339_SIZE];

    if (calendar_us == 0) {
        out_null(out, key);
        return;
    }
    clock_rfc3339(calendar_us, when);
    out_text(out, key, when);
}
