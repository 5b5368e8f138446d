#include "server/base/answer_budget.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"

#include <assert.h>
#include <pthread.h>

#define MIB (1024 * 1024)

struct answer_budget {
    struct notifications *notifications;
    size_t limit;
    pthread_mutex_t lock; /* of what follows, and of what each part holds */
    size_t held, piecewise;
};

struct answer_budget *answer_budget_new(size_t limit, struct notifications *notifications)
{
    struct answer_budget *budget = xcalloc(1, sizeof *budget);

    budget->notifications = notifications;
    budget->limit = limit;
    pthread_mutex_init(&budget->lock, NULL);
    return budget;
}

void answer_budget_free(struct answer_budget *budget)
{
    if (!budget)
        return;
    assert(budget->held == 0 && budget->piecewise == 0);
    pthread_mutex_destroy(&budget->lock);
    free(budget);
}

/* Whether a part that holds `before` may hold `after`. */
static bool has_room(const struct answer_budget *budget, const struct answer_part *part,
                     size_t after)
{
    size_t others = budget->held - part->held, pieces = budget->piecewise - part->held;

    if (after <= part->held)
        return true;
    if (after > budget->limit || others > budget->limit - after)
        return false;
    return !part->piecewise || pieces == 0 || pieces + after <= budget->limit / 2;
}

bool answer_budget_hold(struct answer_budget *budget, struct answer_part *part, size_t bytes,
                        struct error *err)
{
    size_t before = part->held, after = bytes > ANSWER_SMALL ? bytes : 0;
    bool ok;

    pthread_mutex_lock(&budget->lock);
    ok = has_room(budget, part, after);
    if (ok) {
        budget->held += after - before;
        budget->piecewise += part->piecewise ? after - before : 0;
        part->held = after;
    }
    pthread_mutex_unlock(&budget->lock);
    if (!ok && after > budget->limit)
        return error_set(err, ERROR_BUSY, NULL,
                         "the answer has %zu MiB and all answers together may have %zu: raise "
                         "--answer-mib, or ask for less",
                         after / MIB + 1, budget->limit / MIB);
    if (!ok)
        return error_set(err, ERROR_BUSY, NULL,
                         "answers that clients are still taking fill the %zu MiB of --answer-mib",
                         budget->limit / MIB);
    if (after < before)
        notifications_publish(budget->notifications, &(struct topic){.kind = TOPIC_ANSWERS},
                              clock_monotonic_ns());
    return true;
}

void answer_budget_leave(struct answer_budget *budget, struct answer_part *part)
{
    struct error err = {0};

    if (part->held > 0 && !answer_budget_hold(budget, part, 0, &err))
        assert(false && "less always fits");
}

struct answer_budget_use answer_budget_look(struct answer_budget *budget)
{
    struct answer_budget_use use;

    pthread_mutex_lock(&budget->lock);
    use = (struct answer_budget_use){budget->held, budget->limit};
    pthread_mutex_unlock(&budget->lock);
    return use;
}
