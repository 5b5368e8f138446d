/* How a spot price moved in the last 7, 30 and 90 days, and how long it exceeded the on-demand
 * price. Cached for an hour: a history may have thousands of prices. Thread-safe. */
#pragma once

#include "db/prices/price_course.h"

#define SPOT_WINDOWS 3
extern const int spot_window_days[SPOT_WINDOWS]; /* 7, 30, 90 */

struct spot_history {
    bool known, has_limit;
    struct price_window windows[SPOT_WINDOWS];
};

struct spot_histories;

struct spot_histories *spot_histories_new(void);
void spot_histories_free(struct spot_histories *histories); /* NULL is fine */

/* The question's limit is the on-demand price. `since_us` is when the series last changed:
 * another value is another cache entry. */
MUST_USE bool spot_history_read(struct spot_histories *histories, struct db *db,
                                const struct price_course_question *question, long long since_us,
                                struct spot_history *ret_history, struct error *err);
