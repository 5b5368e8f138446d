/* Fills in replies. Errors become problem documents (RFC 9457); only reply.c maps error kinds to
 * HTTP statuses. */
#pragma once

#include "common/error.h"
#include "server/http/exchange_data.h"

#include <jansson.h>

/* Frees the body and the stream of a reply. */
void reply_clear(struct reply *reply);

/* Replaces the reply by a problem document. */
void reply_error(struct exchange *exchange, const struct error *err);

/* Its members; and the types that there are, as a JSON array: a new reference. */
extern const struct members problem_members;
json_t *reply_problem_types(void);

/* The same for a status without an error kind: 405, 415 ... `field` may be NULL. */
void reply_problem(struct exchange *exchange, int status, const char *field, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* Replies with static bytes. */
void reply_fixed(struct exchange *exchange, const char *content_type, const char *bytes,
                 size_t size);

/* Adds a header field. Asserts that there is space for it. */
void reply_field(struct exchange *exchange, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replies with the JSON in reply.body, or with 500 if writing it failed. */
struct json_writer;
void reply_json(struct exchange *exchange, int status, const struct json_writer *out);

/* Writes the members of an object into reply.body and replies with it. */
void reply_object(struct exchange *exchange, int status, const struct members *members,
                  const void *object);

/* 200 with a list that is read while it is written: the members of `list` set *err where reading
 * fails, and then the reply is that error. */
void reply_list(struct exchange *exchange, const struct members *members, const void *list,
                const struct error *err);

/* 200 with Server-Sent Events, which next() makes. The reply owns `state`, and frees it by
 * free().
 */
void reply_events(struct exchange *exchange,
                  enum stream_result (*next)(void *state, struct exchange *exchange,
                                             struct bytes *piece),
                  void *state);

/* Header fields for browsers and caches, added to every reply that lacks them. */
struct reply_shield {
    const char *name, *value;
    bool secure_only; /* only over TLS */
};
extern const struct reply_shield reply_shields[];
extern const size_t reply_shield_count;
bool reply_has_field(const struct reply *reply, const char *name);
