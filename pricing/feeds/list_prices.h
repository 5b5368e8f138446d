/* Published prices of a few well-known types, to check a first reading, when nothing is stored
 * yet. Never shown, and never used as a price. */
#pragma once

#include "pricing/feeds/price_batch.h"

/* Whether most prices of these types are near the published ones: on demand within a quarter in
 * the region of the list, and within 0.8 and 2 times elsewhere; spot between a twenty-fifth and 2
 * times. True if the reading has none of the types. ERROR_UPSTREAM names one that is off. */
MUST_USE bool list_prices_fit(const struct price_batch *batch, struct error *err);
