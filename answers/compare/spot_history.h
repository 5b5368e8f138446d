/* How the spot price of a row moved in the last 7, 30 and 90 days, and how long it was above on
 * demand. Kept for an hour: a history may have thousands of prices. Threads may share it. */
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

/* The limit of the question is the price on demand; `since_us` is since when the series is what
 * it is: another one is another history. */
MUST_USE bool spot_history_read(struct spot_histories *histories, struct db *db,
                                const struct price_course_question *question, long long since_us,
                                struct spot_history *ret_history, struct error *err);
