#include "common/text.h"

#include "common/eight_bytes.h"

bool text_is_clean(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}

size_t text_sequence(const char *start, size_t left)
{
    const unsigned char *text = (const unsigned char *)start;
    unsigned lead = text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    unsigned code = lead & (0xffu >> (length + 1));

    if (length <= 1)
        return length;
    if (lead > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    /* Overlong forms, the halves of UTF-16 pairs, and what lies beyond Unicode. */
    if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff)) ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return length;
}

bool text_is_utf8(const char *text, size_t length)
{
    for (size_t i = 0, sequence; i < length; i += sequence) {
        bool is_ascii = !(next_eight_bytes(text + i, length - i) & HIGH_BITS);

        sequence = is_ascii ? EIGHT_BYTES : text_sequence(text + i, length - i);
        if (sequence == 0)
            return false;
    }
    return true;
}

void text_make_clean(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t sequence = text_sequence(text + i, length - i);
        bool control =
            sequence == 1 && !text_is_clean(text + i, 1) && text[i] != '\n' && text[i] != '\t';

        if (sequence == 0 || control)
            text[i] = '?';
        i += sequence > 0 ? sequence : 1;
    }
}

void text_make_line(char *text, size_t length)
{
    text_make_clean(text, length);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\t')
            text[i] = ' ';
        else if (i + 1 < length && (unsigned char)text[i] == 0xc2 &&
                 (unsigned char)text[i + 1] < 0xa0)
            memcpy(text + i, "??", 2);
    }
}

void text_drop_cut_end(char *text)
{
    size_t length = strlen(text), start = length;

    while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && (unsigned char)text[start - 1] >= 0xc0)
        start--;
    if (start < length && !text_is_utf8(text + start, length - start))
        text[start] = '\0';
}

#define LIKENESS_UNIT 64

size_t text_likeness(const char *left, size_t left_length, const char *right, size_t right_length)
{
    size_t least = left_length < right_length ? left_length : right_length;
    size_t apart = left_length + right_length - 2 * least;
    size_t head = 0, tail = 0;

    while (head < least && left[head] == right[head])
        head++;
    if (head + 1 < least && left[head] == right[head + 1] && left[head + 1] == right[head])
        head += 2;
    while (head < least && left[head] == right[head])
        head++;
    while (head + tail < least && left[left_length - tail - 1] == right[right_length - tail - 1])
        tail++;
    if (head + tail == 0)
        return 0;
    return (head + tail) * LIKENESS_UNIT + LIKENESS_UNIT - 1 -
           (apart < LIKENESS_UNIT ? apart : LIKENESS_UNIT - 1);
}

void text_copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

bool text_take(const char **at, const char *word)
{
    const char *text = *at;

    while (*word)
        if (*text++ != *word++)
            return false;
    *at = text;
    return true;
}

bool text_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

bool text_is_listed(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}
