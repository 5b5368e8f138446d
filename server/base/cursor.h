/* Where the next page of a list begins, as an opaque word. */
#pragma once

#include <stdbool.h>

#define CURSOR_SIZE 24

/* `number` from 1 to 2^56 - 1: rows are counted, and will not be that many. */
void cursor_write(long long number, char ret_text[CURSOR_SIZE]);

/* Returns false for any text that cursor_write() did not write. */
bool cursor_read(const char *text, long long *ret_number);
