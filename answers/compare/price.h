/* The price of a row. A price of one kind never stands in for another unless the question names
 * both, and then the answer says which it is. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills row->price: the first kind of the question that is known, or why none is. */
void comparison_price(const struct comparison_parts *parts, struct comparison_row *row);

/* The price of one kind, or the one that the question gives. */
void comparison_price_of_kind(const struct comparison_parts *parts, enum price_choice choice,
                              struct comparison_row *row);
