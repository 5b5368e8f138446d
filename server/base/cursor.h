/* The start of a list's next page, as an opaque word. */
#pragma once

#include <stdbool.h>

#define CURSOR_SIZE 24

/* `number` is a row number from 1 to 2^56 - 1. */
void cursor_write(long long number, char ret_text[CURSOR_SIZE]);

/* Returns false for any text that cursor_write() did not write. */
bool cursor_read(const char *text, long long *ret_number);
