/* Reads parts of a request for several handlers. A function that returns false has already
 * replied. */
#pragma once

#include "engine/spec/run_id.h"
#include "server/http/exchange_data.h"

#include <jansson.h>

/* 406 unless the client accepts this type. */
bool request_accepts(struct exchange *exchange, const char *type);

/* JSON, unless the Accept header prefers CSV; 406 where it accepts neither. */
bool request_form(struct exchange *exchange, bool *ret_csv);

/* Reads the {id} of a path to a run or a sweep into request.id; 404 for a malformed one. */
bool request_read_id(struct exchange *exchange);

/* 503 where queued runs would not run: the server stops, or the machine is preempted. */
bool request_may_queue(struct exchange *exchange);

/* Seconds that the client wants to wait: `given`, the parameter wait, wins over the Prefer
 * header. */
long long request_wait(const struct exchange *exchange, long long given);

/* Interval of polls for a closed connection while an answer is held; less in haste
 * (common/haste.h). */
#define REQUEST_LOOK_NS (15 * NS_PER_SECOND)

/* The body as a JSON object; NULL with err filled for anything else. */
MUST_USE json_t *request_json(const struct exchange *exchange, struct error *err);
