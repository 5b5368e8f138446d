/* JSON of feeds; prices/price_json.h has the prices. */
#pragma once

#include "common/rows/members.h"
#include "db/prices/feed_rows.h"
#include "server/prices/refresher.h"

extern const struct members refresh_members; /* of struct refresh_progress */

/* A feed, its state, and the state of each scope. */
struct feed_view {
    const struct feed *feed;
    bool on;
    long long due_us;
    const char *idle;
    const struct feed_row *rows;
    size_t count;
    long long now_us;
};
extern const struct members feed_members; /* of struct feed_view */
