/* A comparison as pictures for other pages: SVG without scripts, styles or external resources.
 * All texts are escaped. */
#pragma once

#include "answers/compare/ranking.h"

#include "common/bytes.h"

#define PICTURE_ROWS_MAX 50 /* additional to the question's limit */

/* Bars of samples per dollar with intervals, in the comparison's order; a row without a number
 * shows the reason instead. False at the limit of the text. */
MUST_USE bool present_comparison_svg(struct bytes *text,
                                     const struct comparison_question *question,
                                     const struct ranking *ranking);

/* A badge of one line, "samples/$ | 336k +- 0.9 %", about the first row with samples per dollar,
 * the reference excluded. It says
 *   no data                     where there is no such row;
 *   336k, no interval           of a number that is not ranked;
 *   no interval                 with a reference, where either has none;
 *   cannot be told apart        where the reference, or without one another row, may be as good;
 *   1.26 x c7i.2xlarge          of a row that surely differs from the reference;
 *   336k +- 0.9 %               of a row that surely is the best, or the only ranked one.
 * False at the limit of the text. */
MUST_USE bool present_badge_svg(struct bytes *text, const struct comparison_question *question,
                                const struct ranking *ranking);
