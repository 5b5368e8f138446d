/* Runs slow handlers as long jobs (server/base/long_jobs.h) while the exchange is held, so that
 * request threads stay free. A table in long_work.c lists them. While a job runs, it owns the
 * exchange. Tested by tests/attack/test_long_work.py. */
#pragma once

#include "server/base/long_jobs.h"
#include "server/http/exchange_data.h"

/* True if the route's handler is slow: its job was queued, or the exchange has a reply, from the
 * cache or a refusal. */
bool long_work_begin(struct exchange *exchange);

/* Queues a job for the client of the exchange, and watches its topic. */
MUST_USE bool long_work_put(struct exchange *exchange, struct long_job *job, struct error *err);

/* Suspends the exchange until there is news of the job, and returns false: the caller must
 * return. True once the job has ended. */
bool long_work_has_ended(struct exchange *exchange, const struct long_job *job);
