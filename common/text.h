/* Text from strangers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when there are no control characters in it. */
bool text_is_clean(const char *text, size_t length);

/* Bytes of the UTF-8 sequence at the start of `left` bytes, which must not be none; 0 if no whole
 * sequence starts there. */
size_t text_sequence(const char *start, size_t left);

/* True when it is UTF-8 from its first byte to its last. */
bool text_is_utf8(const char *text, size_t length);

/* Makes any bytes clean UTF-8 in place: invalid bytes become '?'; newlines and tabs stay. */
void text_make_clean(char *text, size_t length);

/* The same for one line: newlines and tabs become spaces, and the two-byte control characters
 * (U+0080 to U+009F), which terminals obey too, become "??". */
void text_make_line(char *text, size_t length);

/* Drops an incomplete UTF-8 sequence at the end of a text that was cut. */
void text_drop_cut_end(char *text);

/* Copies as much as fits, and a NUL: for millions of rows, where snprintf() costs too much. */
void text_copy(char *to, size_t size, const char *from);
#define TEXT_COPY(member, from) text_copy((member), sizeof(member), (from))

static inline bool text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A blank, a tab or the first half of the end of a line. */
static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool text_is_space(char c)
{
    return text_is_blank(c) || c == '\n';
}

/* Moves *at behind a word that it begins with; false for another text. */
bool text_take(const char **at, const char *word);

bool text_ends_with(const char *text, const char *end);

/* Whether a list that ends with NULL has the word. */
bool text_is_listed(const char *const *words, const char *word);

/* NULL for a text that is NULL or empty: what JSON writes as null. */
static inline const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

/* How similar two names are: the more characters they share at the beginning (allowing one swap)
 * and then at the end, the higher; ties favour similar lengths. 0: not similar. */
size_t text_likeness(const char *left, size_t left_length, const char *right,
                     size_t right_length);
