#include "server/http/json/comparison/xml_text.h"

#include "common/text.h"

#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

/* U+FFFE and U+FFFF: valid UTF-8, but not XML characters. */
static bool is_noncharacter(const char *sequence, size_t length)
{
    return length == 3 &&
           (memcmp(sequence, "\xef\xbf\xbe", 3) == 0 || memcmp(sequence, "\xef\xbf\xbf", 3) == 0);
}

static const char *entity_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static bool add_character(struct bytes *bytes, const char *text, size_t length)
{
    const char *entity = length == 1 ? entity_of(*text) : NULL;

    if (entity)
        return bytes_add(bytes, entity, strlen(entity));
    if (length == 0 || !text_is_clean(text, length) || is_noncharacter(text, length))
        return bytes_add(bytes, "?", 1);
    return bytes_add(bytes, text, length);
}

bool xml_text(struct bytes *bytes, const char *text, size_t characters)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t length = text_sequence(text, left), step = length > 0 ? length : 1;

        if (--characters == 0 && step < left)
            return bytes_add(bytes, ELLIPSIS, strlen(ELLIPSIS));
        if (!add_character(bytes, text, length))
            return false;
        text += step;
        left -= step;
    }
    return true;
}
