/* Scopes and limits of the token of a request. A function that returns false has already replied
 * with a problem. */
#pragma once

#include "server/http/exchange_data.h"
#include "server/http/tokens/token_store.h"

/* Looks up the token and checks its scopes and its limit of requests: 401, 403 or 429. */
bool access_admit(struct exchange *exchange);

/* Spends an amount of a limit of the token: 429 where less is left. A request that exceeds
 * LIMIT_RUNS gets its LIMIT_BYTES back. */
bool access_spend(struct exchange *exchange, enum limit_kind kind, long long amount);

/* Callback, and its user data, for code that queues runs: spends them of LIMIT_RUNS. */
struct access_spending {
    struct exchange *exchange;
    long long runs; /* set by access_may_queue() */
};
bool access_may_queue(void *spending, long long runs);

/* Counts runs that were stored or queued, for the metrics of the token. */
void access_count_runs(const struct exchange *exchange, long long count);

/* Name stored with imported runs; "" for tokens of options, which name no sender. */
const char *access_sender(const struct exchange *exchange);

/* Writes the audit line of a request that writes, once. */
void access_audit(struct exchange *exchange);
