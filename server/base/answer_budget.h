/* The memory of answers that are in flight: what is above ANSWER_SMALL counts from when it is
 * made until it is sent or its client is gone. Beyond the limit nothing large is made; small
 * answers are never refused. Answers that are made piece by piece have half of it, so that slow
 * readers of exports leave the other half to lists; and so has one client, so that it leaves the
 * other half to others. Either may have one larger answer while that is the only one.
 * Thread-safe. */
#pragma once

#include "common/error.h"
#include "server/base/client_address.h"
#include "server/base/notifications.h"

#include <stdbool.h>
#include <stddef.h>

#define ANSWER_SMALL (64 * 1024)

struct answer_budget;

/* What one answer holds. Zeroed, it holds nothing; it must hold nothing at its end, and stays
 * where it is until then. Its owner sets what is below `held` before it holds anything. */
struct answer_part {
    struct answer_part *next, *previous; /* of the budget's */
    size_t held;                         /* set by answer_budget_hold() */
    bool piecewise;
    bool shares; /* with all that goes to its client; false for a piece of what is held already */
    struct client_address client;
};

/* As a moment shows it, for metrics. */
struct answer_budget_use {
    size_t held, limit;
};

/* Announces room as TOPIC_ANSWERS. `notifications` is borrowed. */
struct answer_budget *answer_budget_new(size_t limit, struct notifications *notifications);

/* Asserts that nothing is held. NULL is fine. */
void answer_budget_free(struct answer_budget *budget);

/* Makes the part hold `bytes` in place of what it held; less always works. ERROR_BUSY, and
 * nothing changes, where that is too much now. */
MUST_USE bool answer_budget_hold(struct answer_budget *budget, struct answer_part *part,
                                 size_t bytes, struct error *err);

/* Gives back what the part holds. */
void answer_budget_leave(struct answer_budget *budget, struct answer_part *part);

struct answer_budget_use answer_budget_look(struct answer_budget *budget);
