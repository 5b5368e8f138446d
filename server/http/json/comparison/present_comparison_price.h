/* The part of a row of a comparison that is about money. */
#pragma once

#include "answers/compare/ranking.h"
#include "common/json_writer.h"

/* Members "price" and "why_no_price", one of which is null. */
void present_row_price(struct json_writer *out, const struct row_price *price);

/* Dollars an hour of every kind, as the feeds have them. */
void present_prices_per_hour(struct json_writer *out, const struct offer *offer);

/* What the price of the row makes of its speed. */
void present_row_cost(struct json_writer *out, const struct comparison_row *row);

/* Member "kinds": a row that is shown on demand and on spot, side by side. */
void present_sides(struct json_writer *out, const struct ranking *ranking,
                   const struct comparison_row *row);
