#include "pricing/feeds/pages.h"

#include "common/cleanup.h"
#include "common/text.h"

uint64_t pages_hash(uint64_t start, const char *text)
{
    uint64_t hash = start;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    hash ^= 0xff; /* so that "ab", "c" and "a", "bc" differ, one after the other */
    return hash * 0x100000001b3u;
}

bool pages_go_on(struct pages *pages, const char *name, struct error *err)
{
    uint64_t hash = pages_hash(PAGES_HASH_START, name);

    for (size_t i = 0; i < pages->count; i++)
        if (pages->seen[i] == hash)
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "its pages go in circles: page %zu leads back to one that was read",
                             pages->count);
    if (pages->count == PAGES_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "it has more than %d pages", PAGES_MAX);
    pages->seen[pages->count++] = hash;
    return true;
}

static bool is_no_text(struct error *err)
{
    return error_set(err, ERROR_UPSTREAM, NULL, "there is no text where one must be");
}

/* Reads four digits; -1 where they are none. */
static long code_unit(const char *at, const char *end)
{
    char text[5] = "";

    if (end - at < 4)
        return -1;
    memcpy(text, at, 4);
    return strspn(text, "0123456789abcdefABCDEF") == 4 ? strtol(text, NULL, 16) : -1;
}

/* Writes a code point as UTF-8; returns how many bytes that takes. */
static size_t write_utf8(long code, char ret_bytes[4])
{
    static const int first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t i = length; i-- > 1; code >>= 6)
        ret_bytes[i] = (char)(0x80 | (code & 0x3f));
    ret_bytes[0] = (char)(first[length] | code);
    return length;
}

static bool put(struct bytes *bytes, const char *data, size_t length, struct error *err)
{
    return bytes_add(bytes, data, length) ||
           error_set(err, ERROR_UPSTREAM, NULL, "a text has more than %zu bytes", bytes->limit);
}

/* What follows "\\u" at *at, with the second half where it is one of a pair. */
static bool unescape_unicode(const char **at, const char *end, struct bytes *bytes,
                             struct error *err)
{
    long code = code_unit(*at, end), low = -1;
    char utf8[4];

    if (code <= 0)
        return is_no_text(err);
    *at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        if (end - *at > 2 && (*at)[0] == '\\' && (*at)[1] == 'u')
            low = code_unit(*at + 2, end);
        if (low < 0xdc00 || low > 0xdfff)
            return is_no_text(err);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        *at += 6;
    }
    if (code >= 0xdc00 && code < 0xe000)
        return is_no_text(err);
    return put(bytes, utf8, write_utf8(code, utf8), err);
}

static bool unescape(const char **at, const char *end, struct bytes *bytes, struct error *err)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name = *at < end && **at ? strchr(names, **at) : NULL;

    if (*at < end && **at == 'u')
        return (*at)++, unescape_unicode(at, end, bytes, err);
    if (!name)
        return is_no_text(err);
    (*at)++;
    return put(bytes, values + (name - names), 1, err);
}

/* Bytes up to the next that stands for something else, or must not be there. */
static size_t plain_length(const char *at, const char *end)
{
    size_t length = 0;

    while (at + length < end && at[length] != '\\' && (unsigned char)at[length] >= 0x20)
        length++;
    return length;
}

static bool unescape_all(const char *at, const char *end, struct bytes *bytes, struct error *err)
{
    for (;;) {
        size_t plain = plain_length(at, end);

        if (!put(bytes, at, plain, err))
            return false;
        at += plain;
        if (at == end)
            return true;
        if (*at++ != '\\')
            return is_no_text(err);
        if (!unescape(&at, end, bytes, err))
            return false;
    }
}

bool pages_string(const struct split_element *element, struct bytes *bytes, struct error *err)
{
    const char *json = element->json;
    size_t length = element->length;

    bytes->used = 0;
    if (length == 4 && memcmp(json, "null", 4) == 0)
        return put(bytes, "", 0, err);
    if (length < 2 || json[0] != '"')
        return is_no_text(err);
    return unescape_all(json + 1, json + length - 1, bytes, err) &&
           (text_is_utf8(bytes->data, bytes->used) || is_no_text(err));
}

bool pages_text(const struct split_element *element, char *ret_text, size_t size,
                struct error *err)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = element->length};

    if (!pages_string(element, &bytes, err))
        return false;
    if (bytes.used >= size)
        return error_set(err, ERROR_UPSTREAM, NULL, "a text has more than %zu bytes", size - 1);
    memcpy(ret_text, bytes.data, bytes.used + 1);
    return true;
}
