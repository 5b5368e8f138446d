/* Tested by tests/api/test_spot_over_time.py. */
#include "answers/compare/spot_history.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"

#include <pthread.h>

#define HISTORY_SLOTS 2048 /* a power of 2 */

const int spot_window_days[SPOT_WINDOWS] = {7, 30, 90};

/* One series, by its number; another one with the same slot takes its place. */
struct history_slot {
    struct price_course_question question; /* series 0: empty */
    long long since_us;
    struct spot_history history;
};

struct spot_histories {
    pthread_mutex_t lock;
    struct history_slot slots[HISTORY_SLOTS];
};

struct spot_histories *spot_histories_new(void)
{
    struct spot_histories *histories = xcalloc(1, sizeof *histories);

    pthread_mutex_init(&histories->lock, NULL);
    return histories;
}

void spot_histories_free(struct spot_histories *histories)
{
    if (!histories)
        return;
    pthread_mutex_destroy(&histories->lock);
    free(histories);
}

static bool is_same(const struct history_slot *slot, const struct price_course_question *question,
                    long long since_us)
{
    const struct price_course_question *known = &slot->question;

    return known->series == question->series && slot->since_us == since_us &&
           known->limit_nanos == question->limit_nanos &&
           known->at_us / US_PER_HOUR == question->at_us / US_PER_HOUR;
}

bool spot_history_read(struct spot_histories *histories, struct db *db,
                       const struct price_course_question *question, long long since_us,
                       struct spot_history *ret_history, struct error *err)
{
    struct history_slot *slot =
        &histories->slots[(unsigned long long)question->series % HISTORY_SLOTS];
    struct history_slot fresh = {.question = *question, .since_us = since_us};
    bool known;

    pthread_mutex_lock(&histories->lock);
    known = is_same(slot, question, since_us);
    if (known)
        *ret_history = slot->history;
    pthread_mutex_unlock(&histories->lock);
    if (known)
        return true;
    for (size_t i = 0; i < SPOT_WINDOWS; i++)
        fresh.history.windows[i].length_us = spot_window_days[i] * US_PER_DAY;
    if (!price_course(db, question, SPOT_WINDOWS, fresh.history.windows, err))
        return false;
    fresh.history.known = true;
    fresh.history.has_limit = question->limit_nanos > 0;
    pthread_mutex_lock(&histories->lock);
    *slot = fresh;
    pthread_mutex_unlock(&histories->lock);
    *ret_history = fresh.history;
    return true;
}
