/* Prices of other feeds for the types of a reading: used to judge a first reading, and to compare
 * spot with on demand. For db/prices/price_store.c. */
#pragma once

#include "common/table.h"
#include "db/prices/feed_rows.h"
#include "pricing/feeds/price_batch.h"

struct other_feeds {
    struct table prices; /* by the hash of provider, region ("": any) and type */
};

/* Loads prices neither expired nor held back, of all feeds except the one of `row` and the
 * operator's files; typed prices; and the reading's own prices on demand. */
MUST_USE bool other_feeds_load(struct db *db, const struct feed_row *row,
                               const struct price_batch *batch, struct other_feeds *ret_others,
                               struct error *err);

/* Another feed's price of this kind, for the type and region of `like`; 0: none. */
long long other_feeds_find(const struct other_feeds *others, const struct price *like,
                           enum price_kind kind);

/* Drops spot prices far above the price on demand, from the reading itself or else another feed.
 * Drops none if they are many: then the whole reading is implausible. From a trusted file each is
 * dropped, judged by typed prices too. Counts both in *ret_cross. Commitments implausible next to
 * the price on demand are always dropped. */
void other_feeds_drop_expensive(const struct other_feeds *others, struct price_batch *batch,
                                bool trusted, struct cross_check *ret_cross);

/* Counts one price of the reading. `before_nanos`: its last accepted price in the same feed, or
 * 0; `is_first`: there is no earlier reading to compare with. */
void other_feeds_weigh(const struct other_feeds *others, const struct price *price,
                       long long before_nanos, bool is_first, struct cross_check *cross);

void other_feeds_free(struct other_feeds *others);
