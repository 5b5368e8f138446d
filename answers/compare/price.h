/* The price of a row. One price kind replaces another only if the question names both; the answer
 * then gives the kind. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills row->price: the first of the question's kinds that is known, or the reason why none
 * is. */
void comparison_price(const struct comparison_parts *parts, struct comparison_row *row);

/* Fills row->price with one kind, or with the price given in the question. */
void comparison_price_of_kind(const struct comparison_parts *parts, enum price_choice choice,
                              struct comparison_row *row);
