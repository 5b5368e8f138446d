/* Where the next page of a list begins, as a word that means nothing to clients. */
#pragma once

#include <stdbool.h>

#define CURSOR_SIZE 24

/* `number` from 1 to 2^56 - 1: rows are counted, and will not be that many. */
void cursor_write(long long number, char ret_text[CURSOR_SIZE]);

/* False for anything cursor_write() did not make. */
bool cursor_read(const char *text, long long *ret_number);
