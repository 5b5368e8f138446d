/* A comparison as pictures for other pages: SVG without script, style or anything to load, whose
 * every text is escaped. */
#pragma once

#include "answers/compare/ranking.h"

#include "common/bytes.h"

#define PICTURE_ROWS_MAX 50 /* rows that a picture has at most, whatever the question's limit */

/* Bars of samples per dollar with their intervals, in the order of the comparison; a row without
 * a number has the reason in place of a bar. False at the limit of the text. */
MUST_USE bool present_comparison_svg(struct bytes *text,
                                     const struct comparison_question *question,
                                     const struct ranking *ranking);

/* A badge of one line, "samples/$ | 336k +- 0.9 %". It is about the first row that has samples
 * per dollar; with a reference, about the first such row that is not the reference. It says
 *   no data                     where there is no such row;
 *   336k, no interval           of a number that is not ranked;
 *   no interval                 beside a reference, where either has none;
 *   cannot be told apart        where the reference, or without one another row, may be as good;
 *   1.26 x c7i.2xlarge          of a row that surely differs from the reference;
 *   336k +- 0.9 %               of a row that surely is the best, or the only ranked one.
 * False at the limit of the text. */
MUST_USE bool present_badge_svg(struct bytes *text, const struct comparison_question *question,
                                const struct ranking *ranking);
