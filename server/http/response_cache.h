/* Answers that were given, for whoever asks the same again while nothing has changed: a little
 * memory between a page that is reloaded and a thousand rows. Threads may share it. */
#pragma once

#include "common/bytes.h"

#define ETAG_SIZE 20 /* with its quotes */

struct response_cache;

struct response_cache *response_cache_new(void);          /* NULL when memory ends */
void response_cache_free(struct response_cache *answers); /* NULL is fine */

/* What an answer depends on: what was asked, and the state of what it was made from. */
struct answer_key {
    const char *text;
    long long revision, minute;
};

/* Copies an answer that is still good to *body (unless that is NULL), and names it. */
bool response_cache_find(struct response_cache *answers, const struct answer_key *key,
                         struct bytes *body, char ret_etag[ETAG_SIZE])
    __attribute__((warn_unused_result));

/* Names an answer, and keeps it where there is room. */
void response_cache_keep(struct response_cache *answers, const struct answer_key *key,
                         const struct bytes *body, char ret_etag[ETAG_SIZE]);

/* Whether an If-None-Match header (NULL for none) knows this name. */
bool etag_is_known(const char *header, const char *etag);
