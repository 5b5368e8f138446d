/* Property: what reads as a cursor is exactly what would be written for its number, and what is
 * written reads back. */
#include "server/base/cursor.h"
#include "tests/fuzz/fuzz.h"

static void check_written(unsigned long long bits)
{
    long long number = (long long)(bits >> 8), again = 0; /* as many bits as a cursor has */
    char text[CURSOR_SIZE];

    cursor_write(number, text);
    ALWAYS(strlen(text) < CURSOR_SIZE);
    ALWAYS(cursor_read(text, &again) == (number > 0));
    ALWAYS(again == number);
}

FUZZ(data, size)
{
    char *text = fuzz_text(data, size);
    char again[CURSOR_SIZE];
    long long number = -7;
    unsigned long long bits = 0;

    if (cursor_read(text, &number)) {
        ALWAYS(number > 0);
        cursor_write(number, again);
        ALWAYS(strcmp(again, text) == 0);
    } else {
        ALWAYS(number == -7);
    }
    memcpy(&bits, data, size < sizeof bits ? size : sizeof bits);
    check_written(bits);
    free(text);
}
