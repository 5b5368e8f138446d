/* What the token of a request lets it do, and how much of it. Each that returns false has
 * answered with a problem. */
#pragma once

#include "server/http/exchange.h"
#include "server/http/token_store.h"

/* Finds out who asks, and whether that token may use the route now: 401, 403 or 429. */
bool access_admit(struct exchange *exchange);

/* Whether it may write, on a path that may be read by all who read; an answer to come then is one
 * for the audit. Answers nothing. */
bool access_may_write(struct exchange *exchange);

/* Takes an amount off a limit of the token: 429 where that much is not left. What is refused for
 * LIMIT_RUNS gets back what it has paid of LIMIT_BYTES. */
bool access_spend(struct exchange *exchange, enum limit_kind kind, long long amount);

/* For whoever is to ask how many runs may be queued: the user and what it calls. */
struct access_spending {
    struct exchange *exchange;
    long long runs; /* returned */
};
bool access_may_queue(void *spending, long long runs);

/* Runs were stored or queued. */
void access_count_runs(const struct exchange *exchange, long long count);

/* The name that stays with what is imported; "" of tokens that say nothing about who has them. */
const char *access_sender(const struct exchange *exchange);

/* Tells the audit, once, what came of a request that writes. */
void access_audit(struct exchange *exchange);
