/* Holds an answer, without a thread, until something has ended or the client's wait is over. A
 * handler calls hold_begin(); its go_on() is called again after each news:
 *     for (;;) {
 *         bool closed = hold_is_closed(exchange);
 *         ... read what the answer is about ...
 *         if (it has ended || hold_is_over(exchange, closed)) { reply; return; }
 *         if (hold_sleep(exchange)) return;
 *     }
 * Tested by tests/api/test_runs.py, test_sweeps.py and test_check.py. */
#pragma once

#include "server/http/exchange_data.h"

/* Watches the topic for `seconds` at most, and calls go_on() once. If the client sent a
 * preference, the reply states the applied wait. */
void hold_begin(struct exchange *exchange, const struct topic *topic, long long seconds,
                void (*go_on)(struct exchange *exchange));

/* True if waiting is useless: the server stops or begins no more runs. Call it before reading the
 * database, so that the last change is not missed. */
bool hold_is_closed(const struct exchange *exchange);

/* True if the handler must reply now: the wait is over, the client is gone, or too many wait
 * already. Stops watching then. */
bool hold_is_over(struct exchange *exchange, bool closed);

/* Suspends the exchange until there is news and returns true: the handler must return. False if
 * there is news already. */
bool hold_sleep(struct exchange *exchange);
