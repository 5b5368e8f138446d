/* Replies that are kept in the cache of answers (server/http/response_cache.h). Each has an ETag,
 * so a client that holds the same answer gets 304. Tested by tests/api/test_comparison.py and
 * tests/attack/test_long_work.py. */
#pragma once

#include "server/http/exchange_data.h"
#include "server/http/response_cache.h"

/* Replies with the cached answer; false if there is none. */
bool cached_reply_send(struct exchange *exchange, const struct answer_key *key,
                       const char *content_type);

/* Replies with the body that was written, and caches it. */
void cached_reply_keep(struct exchange *exchange, const struct answer_key *key,
                       const char *content_type);
