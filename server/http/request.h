/* Reads parts of a request for several handlers. A function that returns false has already
 * replied. */
#pragma once

#include "db/runs/run_list.h"
#include "engine/spec/run_id.h"
#include "server/http/exchange.h"

#include <jansson.h>

/* 406 unless the client accepts this type. */
bool request_accepts(struct exchange *exchange, const char *type);

/* JSON, unless the Accept header prefers CSV; 406 where it accepts neither. */
bool request_form(struct exchange *exchange, bool *ret_csv);

/* The {id} of the path; 404 for a malformed one. */
bool request_run_id(struct exchange *exchange, struct run_id *ret_id);

/* 503 where queued runs would not run: the server stops, or the machine is preempted. */
bool request_may_queue(struct exchange *exchange);

/* How long the client wants to wait: wait= of the query wins over the Prefer header. */
bool request_wait(struct exchange *exchange, long long *ret_seconds, struct error *err)
    __attribute__((warn_unused_result));

/* Interval of polls for a closed connection while an answer is held; less in haste
 * (common/haste.h). */
#define REQUEST_LOOK_NS (15 * NS_PER_SECOND)

/* 400 for any parameter that is not in the NULL-terminated list (see query_allow()). */
bool request_allows(struct exchange *exchange, const char *const allowed[]);

/* The conditions on runs that all lists of them know, for query_allow(). */
#define REQUEST_RUN_CONDITIONS                                                                   \
    "engine", "workload", "instance_type", "sender", "provenance", "precision", "validity",      \
        "since", "until", "label*"

/* Reads them; the filter points into `query` and `keys`. ERROR_INVALID names the parameter and
 * what it may be. */
bool request_run_filter(const struct query *query, char keys[][LABEL_KEY_MAX + 1],
                        struct run_filter *ret_filter, struct error *err)
    __attribute__((warn_unused_result));

/* The body as a JSON object; NULL with err filled for anything else. */
json_t *request_json(const struct exchange *exchange, struct error *err)
    __attribute__((warn_unused_result));
