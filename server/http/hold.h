/* An answer that is held until something has ended or the client's wait is over, without a
 * thread. A handler begins with hold_begin(), and its go_on() looks again and again: for (;;) {
 *         bool closed = hold_is_closed(exchange);
 *         ... read what the answer is about ...
 *         if (it has ended || hold_is_over(exchange, closed)) { reply; return; }
 *         if (hold_sleep(exchange)) return;
 *     }
 * Tested by tests/api/test_runs.py, test_sweeps.py and test_check.py. */
#pragma once

#include "server/http/exchange_data.h"

/* Watches the topic, whose id the answer is about, for `seconds` at most, and makes the first
 * look. Says which wait it applies where the client prefers one. */
void hold_begin(struct exchange *exchange, const struct topic *topic, long long seconds,
                void (*go_on)(struct exchange *exchange));

/* Whether waiting is of no use because the server stops, or runs nothing any more. To be read
 * before the database, so that the last change is not missed. */
bool hold_is_closed(const struct exchange *exchange);

/* Whether to reply as things are: the wait is over, the client is gone, or too many wait already.
 * Then it watches no more. */
bool hold_is_over(struct exchange *exchange, bool closed);

/* Suspends the exchange until there is news, and returns true: the handler must return. False
 * where there is news already. */
bool hold_sleep(struct exchange *exchange);
