/* The members of a row about prices and costs. */
#pragma once

#include "answers/compare/ranking.h"
#include "common/rows/members.h"

/* Members "price" and "why_no_price", one of them null: of struct row_price. */
extern const struct members row_price_members;

/* Dollars an hour of every kind, from the feeds, and the interruption rate of spot: of struct
 * offer. */
extern const struct members row_offer_members;
const void *comparison_find_offer(const void *row); /* an empty one if there is none */

/* The costs computed from price and speed: of struct comparison_row. */
extern const struct members row_cost_members;
const void *comparison_find_samples(const void *row); /* per dollar */

/* Both sides of a row (on demand, spot) and the spot history: of struct comparison_view. */
extern const struct members row_sides_members;
