#include "pricing/feeds/yaml_lines.h"

#include "common/text.h"

#include <string.h>

static bool is_key_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
}

/* Takes "key:" or "key: value" apart, in place. */
static void read_pair(char *text, struct yaml_line *line)
{
    char *colon = text;

    while (is_key_byte(*colon))
        colon++;
    if (colon == text || *colon != ':' || (colon[1] != '\0' && colon[1] != ' '))
        return;
    *colon++ = '\0';
    line->key = text;
    line->value = colon + strspn(colon, " ");
}

static bool take_line(struct yaml_lines *lines, struct error *err)
{
    char *text = lines->held, *begin;
    size_t length = lines->used;
    struct yaml_line line = {.indent = strspn(text, " "), .key = "", .value = ""};

    while (length > 0 && text_is_blank(text[length - 1]))
        text[--length] = '\0';
    begin = text + strspn(text, " \t");
    if (begin == text + length || *begin == '#')
        return true;
    line.tabbed = (size_t)(begin - text) != line.indent;
    if (strlen(begin) == length - (size_t)(begin - text)) /* no NUL in it */
        read_pair(begin, &line);
    return lines->line(lines->user, &line, err);
}

bool yaml_lines_feed(struct yaml_lines *lines, const char *data, size_t length, struct error *err)
{
    while (length > 0) {
        const char *newline = memchr(data, '\n', length);
        size_t piece = newline ? (size_t)(newline - data) : length;
        size_t eaten = newline ? piece + 1 : piece;

        if (lines->used + piece > YAML_LINE_MAX)
            return error_set(err, ERROR_UPSTREAM, NULL, "a line is longer than %d bytes",
                             YAML_LINE_MAX);
        memcpy(lines->held + lines->used, data, piece);
        lines->used += piece;
        lines->held[lines->used] = '\0';
        if (newline && !take_line(lines, err))
            return false;
        if (newline)
            lines->used = 0;
        data += eaten;
        length -= eaten;
    }
    return true;
}

bool yaml_lines_end(const struct yaml_lines *lines, struct error *err)
{
    return lines->used == 0 ||
           error_set(err, ERROR_UPSTREAM, NULL, "it ends in the middle of a line");
}
