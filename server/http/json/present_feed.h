/* The shape of JSON answers about feeds; prices/price_json.h has that of prices. openapi.json
 * describes what is written here, and a test holds the two together. */
#pragma once

#include "common/json_writer.h"
#include "db/prices/discounts.h"
#include "db/prices/feed_rows.h"
#include "pricing/cost.h"
#include "server/prices/refresher.h"

void present_refresh(struct json_writer *out, const char *key,
                     const struct refresh_progress *progress);

/* A feed: what it is, how it is, and how each of its scopes is. */
struct feed_view {
    const struct feed *feed;
    bool on;
    long long due_us;
    const char *idle;
    const struct feed_row *rows;
    size_t count;
    long long now_us;
};
void present_feed(struct json_writer *out, const struct feed_view *view);
