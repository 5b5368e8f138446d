/* Answers that take long are made by long jobs (server/base/long_jobs.h) while the exchange is
 * held: the threads that answer requests go on. Which handlers that are says a table in
 * long_work.c; while such a job is at work, the exchange is its own.
 * Tested by tests/attack/test_long_work.py. */
#pragma once

#include "server/base/long_jobs.h"
#include "server/http/exchange_data.h"

/* Whether the handler of the route takes long: then it works from now on, or the exchange has a
 * reply that refuses it. */
bool long_work_begin(struct exchange *exchange);

/* Queues a job for the client of the exchange, and watches its topic. */
MUST_USE bool long_work_put(struct exchange *exchange, struct long_job *job, struct error *err);

/* Suspends the exchange until there is news of the job, and returns false: the caller must
 * return. True once the job has ended. */
bool long_work_has_ended(struct exchange *exchange, const struct long_job *job);
