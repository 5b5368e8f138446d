/* What other feeds know of the types of a reading: the measure of a first reading, and of prices
 * that are of the other kind. For db/prices/price_store.c. */
#pragma once

#include "common/table.h"
#include "db/prices/feed_rows.h"
#include "pricing/feeds/price_batch.h"

struct other_feeds {
    struct table prices; /* by the hash of provider, region ("": any) and type */
};

/* Loads what is neither expired nor in doubt, of all feeds but the one of `row` and the
 * operator's files; what a person typed; and what the reading says on demand. */
MUST_USE bool other_feeds_load(struct db *db, const struct feed_row *row,
                               const struct price_batch *batch, struct other_feeds *ret_others,
                               struct error *err);

/* What another feed says of this kind of price, for the type and region of `like`; 0: nothing. */
long long other_feeds_find(const struct other_feeds *others, const struct price *like,
                           enum price_kind kind);

/* Leaves spot prices out of the reading that are far above the price on demand, which the reading
 * itself knows or else another feed. Where they are many nothing is left out: then the reading is
 * odd as a whole. Of a trusted file each is left out, by what a person typed, too. Counts both in
 * *ret_cross. Commitments that are odd next to the price on demand are left out in any case. */
void other_feeds_drop_expensive(const struct other_feeds *others, struct price_batch *batch,
                                bool trusted, struct cross_check *ret_cross);

/* Counts one price of the reading. `before_nanos`: what is known of it in its own feed, or 0;
 * `is_first`: nothing judges the reading. */
void other_feeds_weigh(const struct other_feeds *others, const struct price *price,
                       long long before_nanos, bool is_first, struct cross_check *cross);

void other_feeds_free(struct other_feeds *others);
