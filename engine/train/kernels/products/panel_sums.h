/* Sums of products of f32 on the vectors of AVX2 with FMA: result (m, n) = the sum over all terms
 * of left (m, k) x right (k, n). A convolution is one: its terms are the taps of the kernel, and
 * their left operands are one image, from different pixels on. Rows are the pixels of the result,
 * line by line; what the grid has between lines is left out. Each term is summed in
 * registers by itself, from zero: so the rounding is as small as with one product for each. */
#pragma once

#include <stddef.h>

#define PANEL_SUMS_COLUMNS 16L /* n is a multiple of it */

struct panel_sums {
    long lines, width; /* m is their product */
    long n, k, terms;
    const float *left;
    long stride, pitch; /* numbers from a row of it to the next, and from a line to the next */
    const long *shifts; /* (terms): numbers from `left` to the left operand of each */
    const float *right; /* (terms, k, n) as panel_sums_pack() writes them */
    float *result;      /* (m, n) */
};

/* The right operands of all terms, (terms * k, n): as many numbers. */
void panel_sums_pack(const float *right, long rows, long n, float *ret_packed);

/* Each result depends on its own row and column alone. Uses the calling thread alone. */
void panel_sums_run(const struct panel_sums *sums);

/* The gradient of the right operands: result (terms * k, n) += the transpose of each left operand
 * x right (m, n), the gradient of the result, as it lies with `right_pitch` numbers from a line
 * to the next. */
void panel_sums_run_back(const struct panel_sums *sums, long right_pitch, float *scratch);
/* Numbers of its scratch. */
size_t panel_sums_scratch(long width, long n);
