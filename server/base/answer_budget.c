#include "server/base/answer_budget.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/units.h"

#include <assert.h>
#include <pthread.h>

struct answer_budget {
    struct notifications *notifications;
    size_t limit;
    pthread_mutex_t lock; /* guards the fields below and what each part holds */
    size_t held;
    struct answer_part *first; /* parts that hold memory */
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
    assert(budget->held == 0 && !budget->first);
    pthread_mutex_destroy(&budget->lock);
    free(budget);
}

/* Bytes held by other parts that share half of the budget with this one. */
static size_t held_with(const struct answer_budget *budget, const struct answer_part *part,
                        bool (*shares)(const struct answer_part *a, const struct answer_part *b))
{
    size_t held = 0;

    for (const struct answer_part *other = budget->first; other; other = other->next)
        held += other != part && shares(part, other) ? other->held : 0;
    return held;
}

static bool both_are_pieces(const struct answer_part *a, const struct answer_part *b)
{
    return a->piecewise && b->piecewise;
}

static bool go_to_one_client(const struct answer_part *a, const struct answer_part *b)
{
    return a->shares && b->shares && client_address_equal(&a->client, &b->client);
}

/* The reason why a part may not hold so much, or NULL. */
static const char *why_not(const struct answer_budget *budget, const struct answer_part *part,
                           size_t after)
{
    size_t half = budget->limit / 2, shared;

    if (after <= part->held)
        return NULL;
    if (budget->held - part->held > budget->limit - after)
        return "answers that clients are still taking fill";
    shared = held_with(budget, part, go_to_one_client);
    if (shared > 0 && shared + after > half)
        return "answers that this client is still taking fill half of";
    shared = held_with(budget, part, both_are_pieces);
    return shared > 0 && shared + after > half
               ? "exports that clients are still taking fill half of"
               : NULL;
}

static void budget_list(struct answer_budget *budget, struct answer_part *part)
{
    part->previous = NULL;
    part->next = budget->first;
    if (part->next)
        part->next->previous = part;
    budget->first = part;
}

static void budget_unlist(struct answer_budget *budget, struct answer_part *part)
{
    *(part->previous ? &part->previous->next : &budget->first) = part->next;
    if (part->next)
        part->next->previous = part->previous;
}

static void budget_set(struct answer_budget *budget, struct answer_part *part, size_t after)
{
    if (part->held == 0 && after > 0)
        budget_list(budget, part);
    else if (part->held > 0 && after == 0)
        budget_unlist(budget, part);
    budget->held += after - part->held;
    part->held = after;
    assert(budget->held <= budget->limit);
}

bool answer_budget_hold(struct answer_budget *budget, struct answer_part *part, size_t bytes,
                        struct error *err)
{
    size_t before, after = bytes > ANSWER_SMALL ? bytes : 0;
    const char *why;

    if (after > budget->limit)
        return error_set(err, ERROR_BUSY, NULL,
                         "the answer has %zu MiB and all answers together may have %zu: raise "
                         "--answer-mib, or ask for less",
                         after / (size_t)MIB + 1, budget->limit / (size_t)MIB);
    pthread_mutex_lock(&budget->lock);
    before = part->held;
    why = why_not(budget, part, after);
    if (!why)
        budget_set(budget, part, after);
    pthread_mutex_unlock(&budget->lock);
    if (why)
        return error_set(err, ERROR_BUSY, NULL, "%s the %zu MiB of --answer-mib", why,
                         budget->limit / (size_t)MIB);
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
