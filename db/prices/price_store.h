/* Stores the prices of a feed, one whole scope at a time. Past prices are kept for ever; a
 * scheduled price that a new reading no longer contains is deleted. */
#pragma once

#include "db/prices/feed_rows.h"
#include "pricing/feeds/plausible.h"

struct price_snapshot {
    const struct source *source;
    const char *types;          /* requested types, with commas; NULL or "" for all */
    bool accept;                /* skip the plausibility check: a person has checked it */
    struct price_batch *batch;  /* spot prices far above on demand are removed from it */
    const struct feed_row *row; /* its state after this; prices and tally are filled in */
};

/* Replaces the accepted prices of a scope, in one transaction, if the new reading is plausible
 * next to the old one, or confirms one that was held back. Otherwise ERROR_UPSTREAM: the reading
 * is held back, the accepted prices stay, and *ret_change says what is held. The validators of
 * such a reading are not stored, since "unchanged" would confirm the old price. */
MUST_USE bool prices_replace(struct db *db, const struct price_snapshot *snapshot,
                             struct change *ret_change, struct error *err);
