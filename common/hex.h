/* Bytes as hexadecimal digits. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEX_DIGITS "0123456789abcdef" /* as hex_write() writes them */

/* 0 to 15 for a digit in either case, -1 for another character. */
int hex_digit(char c);

/* Two digits for each byte, and a NUL. */
void hex_write(const uint8_t *bytes, size_t count, char *ret_text);

/* Reads two digits for each byte; false if a character is none. */
MUST_USE bool hex_read(const char *text, size_t count, uint8_t *ret_bytes);
