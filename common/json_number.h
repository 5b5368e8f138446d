/* Reads and writes JSON numbers quickly: a trace is mostly numbers. Ignores the locale. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

#define JSON_NUMBER_SIZE 32  /* of a written number, with its NUL */
#define NUMBER_LENGTH_MAX 63 /* bytes of a number that is read; no double needs half of that */

/* Each reads the number at *at, moves past it, and never reads at or after `end`. False if the
 * text is no JSON number (NaN, a leading + or zero); *at then stays unchanged. */

/* An integer without point or exponent that fits. */
MUST_USE bool json_number_read_whole(const char **at, const char *end, long long *ret_number);

/* The nearest double. False also for a number too large for a double, or so small that it would
 * become 0. */
MUST_USE bool json_number_read(const char **at, const char *end, double *ret_number);

/* As printf's %.*g writes it. It must be finite, and precision at most 17. Returns the length. */
int json_number_print(double number, int precision, char ret_text[JSON_NUMBER_SIZE]);

/* The double that these digits read back as. */
double json_number_rounded(double number, int precision);

/* The shortest of 15, 16 and 17 digits that reads back the same, as printf's %g writes it. It
 * must be finite. Returns the length. */
int json_number_write(double number, char ret_text[JSON_NUMBER_SIZE]);

/* Returns the length. */
int json_number_write_whole(long long number, char ret_text[JSON_NUMBER_SIZE]);
