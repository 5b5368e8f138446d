/* Writing the prices of a feed, a whole scope of it at once. What held once stays readable for
 * ever; what a feed said would hold later, and then not any more, is gone. */
#pragma once

#include "db/prices/feed_rows.h"
#include "pricing/feeds/plausible.h"

struct price_snapshot {
    const struct source *source;
    const char *types; /* that were asked for, with commas; NULL or "" for all there are */
    bool accept;       /* whatever it says: a person has looked at it */
    struct price_batch *batch; /* loses the spot prices that are far above on demand */
    const struct feed_row
        *row; /* its state once this is stored; prices and tally are filled in */
};

/* Replaces what is accepted of a scope, in one transaction, if the new reading is plausible
 * beside the old one, or confirms one that was held back. ERROR_UPSTREAM: it is not, and is held
 * back: what is accepted stays, and *ret_change says what waits. The validators of a reading that
 * held something back are not stored, since "unchanged" would confirm the old price. */
MUST_USE bool prices_replace(struct db *db, const struct price_snapshot *snapshot,
                             struct change *ret_change, struct error *err);
