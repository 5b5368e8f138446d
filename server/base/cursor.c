#include "server/base/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two check digits: a mistyped or truncated cursor is refused instead of giving another page. */
static unsigned cursor_check(unsigned long long number)
{
    return (unsigned)((number * 0x9e3779b97f4a7c15ULL) >> 56);
}

void cursor_write(long long number, char ret_text[CURSOR_SIZE])
{
    snprintf(ret_text, CURSOR_SIZE, "r%llx%02x", (unsigned long long)number,
             cursor_check((unsigned long long)number));
}

bool cursor_read(const char *text, long long *ret_number)
{
    char again[CURSOR_SIZE];
    size_t length = strlen(text);
    unsigned long long number;

    if (text[0] != 'r' || length < 4 || length >= CURSOR_SIZE)
        return false;
    number = strtoull(text + 1, NULL, 16) >> 8;
    if (number < 1 || number > 0x7fffffffffffffffULL)
        return false;
    /* Compare with the number written again: each number has one cursor. */
    cursor_write((long long)number, again);
    if (strcmp(again, text) != 0)
        return false;
    *ret_number = (long long)number;
    return true;
}
