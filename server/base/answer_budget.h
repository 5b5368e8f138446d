/* Limits the memory of answers in flight. An answer above ANSWER_SMALL counts until it is sent or
 * its client is gone; small answers are never refused. Streamed answers may use half of the
 * limit, so slow readers of exports leave room for lists; one client may also use half. Either
 * may hold one larger answer while that is its only one. Thread-safe. */
#pragma once

#include "common/error.h"
#include "server/base/client_address.h"
#include "server/base/notifications.h"

#include <stdbool.h>
#include <stddef.h>

#define ANSWER_SMALL (64 * 1024)

struct answer_budget;

/* The share of one answer. Zeroed, it holds nothing. It must not move while it holds memory, and
 * must hold none at its end. The owner sets the fields below `held` before the first hold. */
struct answer_part {
    struct answer_part *next, *previous; /* of the budget's */
    size_t held;                         /* set by answer_budget_hold() */
    bool piecewise;
    bool shares; /* counts for its client; false for a piece of an answer that is held already */
    struct client_address client;
};

/* A snapshot, for metrics. */
struct answer_budget_use {
    size_t held, limit;
};

/* Announces room as TOPIC_ANSWERS. `notifications` is borrowed. */
struct answer_budget *answer_budget_new(size_t limit, struct notifications *notifications);

/* Asserts that nothing is held. NULL is fine. */
void answer_budget_free(struct answer_budget *budget);

/* Changes what the part holds to `bytes`; less always works. ERROR_BUSY, without any change, if
 * that is too much now. */
MUST_USE bool answer_budget_hold(struct answer_budget *budget, struct answer_part *part,
                                 size_t bytes, struct error *err);

/* Releases what the part holds. */
void answer_budget_leave(struct answer_budget *budget, struct answer_part *part);

struct answer_budget_use answer_budget_look(struct answer_budget *budget);
