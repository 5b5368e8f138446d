/* A small cache of replies, valid while the data behind them is unchanged: a reloaded page costs
 * no query over thousands of rows. Thread-safe. */
#pragma once

#include "common/bytes.h"

#define ETAG_SIZE 20 /* with its quotes */

struct response_cache;

struct response_cache *response_cache_new(void);
void response_cache_free(struct response_cache *cache); /* NULL is fine */

/* The request and the state of its data. */
struct answer_key {
    const char *text;
    long long revision, minute;
};

/* Copies a valid reply to *body, unless `known`, an If-None-Match header or NULL, lists its ETag;
 * returns the ETag. */
MUST_USE bool response_cache_find(struct response_cache *cache, const struct answer_key *key,
                                  const char *known, struct bytes *body,
                                  char ret_etag[ETAG_SIZE]);

/* Computes the ETag of a reply, and stores the reply if it fits. */
void response_cache_keep(struct response_cache *cache, const struct answer_key *key,
                         const struct bytes *body, char ret_etag[ETAG_SIZE]);

/* Whether an If-None-Match header (NULL for none) lists this ETag. */
bool etag_is_known(const char *header, const char *etag);
