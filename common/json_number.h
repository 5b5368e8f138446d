/* Numbers of JSON, read and written quickly: a trace is little else. No locale is asked. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

#define JSON_NUMBER_SIZE 32  /* of what is written, with its NUL */
#define NUMBER_LENGTH_MAX 63 /* bytes of one that is read; no double needs half of that */

/* Each reads the number at *at, moves behind it, and reads nothing from `end` on. False for what
 * is none by the grammar of JSON (words like NaN, a + in front, leading zeros) and then *at is
 * where it was. */

/* A whole one without point or exponent that fits. */
MUST_USE bool json_number_read_whole(const char **at, const char *end, long long *ret_number);

/* The double that is nearest. False also for what is too large for one, or so small that it would
 * become 0. */
MUST_USE bool json_number_read(const char **at, const char *end, double *ret_number);

/* As printf's %.*g writes it. It must be finite, and precision at most 17. Returns the length. */
int json_number_print(double number, int precision, char ret_text[JSON_NUMBER_SIZE]);

/* The shortest of 15, 16 and 17 digits that reads back the same, as printf's %g writes it. It
 * must be finite. Returns the length. */
int json_number_write(double number, char ret_text[JSON_NUMBER_SIZE]);

/* Returns the length. */
int json_number_write_whole(long long number, char ret_text[JSON_NUMBER_SIZE]);
