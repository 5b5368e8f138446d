#include "server/http/edge/framing.h"

#include <string.h>
#include <strings.h>

#define LINE_END 2 /* CR LF */

struct framing framing_begin(const char *first)
{
    return (struct framing){.next = first};
}

static bool is_token(const char *name, size_t length)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < length; i++) {
        bool letter = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z');

        if (!letter && !(name[i] >= '0' && name[i] <= '9') &&
            (name[i] == '\0' || !strchr(others, name[i])))
            return false;
    }
    return length > 0;
}

static bool has_controls(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)value[i] < ' ' && value[i] != '\t') || value[i] == 127)
            return true;
    return false;
}

static bool is_number(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (value[i] < '0' || value[i] > '9')
            return false;
    return length > 0;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static void framing_find(struct framing *framing, bool wrong, const char *fault)
{
    if (wrong && !framing->fault)
        framing->fault = fault;
}

/* Follows the header through memory: a name stands where the line before it ended, and a value
 * behind its name, a colon and blanks. */
static void check_place(struct framing *framing, const char *name, size_t name_length,
                        const char *value, size_t value_length)
{
    const char *line = framing->next, *behind = name + name_length + 1;

    if (!line)
        return;
    framing_find(framing, name != line || value < behind,
                 "a line of the header is folded, or ends without CR LF");
    if (framing->fault)
        return;
    framing->next = value + value_length + LINE_END;
}

void framing_field(struct framing *framing, const char *name, size_t name_length,
                   const char *value, size_t value_length)
{
    framing_find(framing, name_length == 0, "a header field has no name");
    framing_find(framing, !is_token(name, name_length),
                 "the name of a header field has a character that none may have");
    framing_find(framing, has_controls(value, value_length),
                 "a header field has control characters");
    check_place(framing, name, name_length, value, value_length);
    framing->hosts += is_word(name, name_length, "Host");
    if (is_word(name, name_length, "Content-Length")) {
        framing->lengths++;
        framing_find(framing, !is_number(value, value_length),
                     "Content-Length must be a whole number");
    }
    if (is_word(name, name_length, "Transfer-Encoding")) {
        framing->codings++;
        framing_find(framing, !is_word(value, value_length, "chunked"),
                     "Transfer-Encoding must be chunked");
    }
}

static const char *fault_of(const struct framing *framing, bool is_1_1, const char *end)
{
    if (framing->fault)
        return framing->fault;
    if (framing->next && framing->next + LINE_END != end)
        return "a line of the header is folded, or ends without CR LF";
    if (framing->hosts != 1 && (is_1_1 || framing->hosts > 1))
        return framing->hosts ? "Host is given more than once" : "Host is missing";
    if (framing->lengths > 1)
        return "Content-Length is given more than once";
    if (framing->codings > 1)
        return "Transfer-Encoding is given more than once";
    if (framing->codings && framing->lengths)
        return "both Content-Length and Transfer-Encoding are given";
    return framing->codings && !is_1_1 ? "HTTP/1.0 has no Transfer-Encoding" : NULL;
}

bool framing_check(const struct framing *framing, bool is_1_1, const char *end, struct error *err)
{
    const char *fault = fault_of(framing, is_1_1, end);

    return !fault || error_set(err, ERROR_INVALID, NULL, "%s", fault);
}
