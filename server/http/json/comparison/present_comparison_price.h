/* The part of a row of a comparison that is about money. */
#pragma once

#include "answers/compare/ranking.h"
#include "server/base/members.h"

/* Members "price" and "why_no_price", one of them null: of struct row_price. */
extern const struct members row_price_members;

/* Dollars an hour of every kind, as the feeds have them, and how often spot is interrupted: of
 * struct offer. */
extern const struct members row_offer_members;
const void *comparison_find_offer(const void *row); /* one without prices where there is none */

/* What the price of the row makes of its speed: of struct comparison_row. */
extern const struct members row_cost_members;
const void *comparison_find_samples(const void *row);     /* per dollar */
const void *comparison_find_per_million(const void *row); /* dollars */

/* A row on demand and on spot, side by side, and how spot moved: of struct comparison_view. */
extern const struct members row_sides_members;
