/* The life of an exchange, from its header to its end. */
#pragma once

#include "common/error.h"
#include "server/http/exchange_data.h"

#include <stdbool.h>
#include <stddef.h>

/* Checks a request by its header: target, route, token, disk and body. A refusal sets
 * reply.status; else that stays 0. */
void exchange_admit(struct exchange *exchange);

/* Refuses a request whose end is uncertain, and ends the connection. */
void exchange_refuse(struct exchange *exchange, const struct error *err);

/* Whether the refusal is sent at once, with the body unread. */
bool exchange_answers_early(const struct exchange *exchange);

/* Adds a piece of the body. */
void exchange_take_body(struct exchange *exchange, const char *data, size_t length);

/* Call with the whole body: makes the reply; or sets hold.waits and suspends the watcher, and
 * must be called again when the watcher resumes. */
void exchange_answer(struct exchange *exchange);

/* Ends the wait of the exchange: afterwards no other thread works on it. May be repeated. */
void exchange_leave(struct exchange *exchange);

/* Stops watching, and frees what the exchange and its handler own. */
void exchange_done(struct exchange *exchange);
