/* What several handlers ask of a request. Each answers the exchange itself when it returns
 * false. */
#pragma once

#include "db/run_list.h"
#include "engine/spec/run_id.h"
#include "server/http/exchange.h"

#include <jansson.h>

/* 406 unless the client accepts this type. */
bool request_accepts(struct exchange *exchange, const char *type);

/* The {id} of the path; 404 for a name that cannot be one of ours. */
bool request_run_id(struct exchange *exchange, struct run_id *ret_id);

/* 503 where nothing that is queued would be run: the server stops, or the machine is taken
 * back. */
bool request_may_queue(struct exchange *exchange);

/* How long the client would wait: "wait" of the URL wins over the Prefer header. */
bool request_wait(struct exchange *exchange, long long *ret_seconds, struct error *err)
    __attribute__((warn_unused_result));

/* A held connection is silent: see now and then whether anybody is left. */
#define REQUEST_LOOK_NS (15 * NS_PER_SECOND)

/* 400 for any parameter that is not in the NULL-terminated list (see query_allow()). */
bool request_allows(struct exchange *exchange, const char *const allowed[]);

/* All "label=KEY:VALUE" of a query; keys are cut from their values into `keys`. */
bool request_labels(const struct query *query, char keys[][LABEL_KEY_MAX + 1],
                    struct wanted_label labels[RUN_FILTER_LABELS], int *ret_count,
                    struct error *err) __attribute__((warn_unused_result));

/* The body as a JSON object; NULL with err filled for anything else. */
json_t *request_json(const struct exchange *exchange, struct error *err)
    __attribute__((warn_unused_result));
