/* The life of an exchange, from its header to its end. */
#pragma once

#include "common/error.h"
#include "server/http/exchange_data.h"

#include <stdbool.h>
#include <stddef.h>

/* Checks a request by its header: target, route, token, disk and body. A refusal sets
 * reply.status; else that stays 0. */
void exchange_admit(struct exchange *exchange);

/* Refuses a request of which it is not sure where it ends; the connection ends with it. */
void exchange_refuse(struct exchange *exchange, const struct error *err);

/* Whether the refusal is sent at once, with the body unread. */
bool exchange_answers_early(const struct exchange *exchange);

/* Adds a piece of the body. */
void exchange_take_body(struct exchange *exchange, const char *data, size_t length);

/* Call with the whole body: makes the reply; or sets hold.waits and suspends the watcher, and
 * must be called again when the watcher resumes. */
void exchange_answer(struct exchange *exchange);

/* Ends what the exchange waits for: no other thread works on it from then on. Twice is fine. */
void exchange_leave(struct exchange *exchange);

/* Stops watching, and frees what the exchange and its handler own. */
void exchange_done(struct exchange *exchange);
