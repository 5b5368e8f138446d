/* Request headers that carry a small language of their own. Pure functions. */
#pragma once

#include <stdbool.h>

/* How much an Accept header likes a media type such as "text/csv": 0 not at all, 1000 most.
 * A missing header (NULL) likes everything. */
int accept_quality(const char *accept, const char *type);

/* Whether an Accept-Encoding header lets us send this coding, such as "gzip". A missing header
 * (NULL) does not: whoever can unpack says so. */
bool encoding_is_accepted(const char *accept_encoding, const char *coding);

/* True for application/json, with or without a charset of UTF-8. */
bool content_type_is_json(const char *content_type);

/* The same for application/x-ndjson: a value of JSON a line. */
bool content_type_is_lines(const char *content_type);

/* Seconds of "wait=N" in a Prefer header, 0 when there is none or it makes no sense: a
 * preference that is not understood is to be ignored. */
long long prefer_wait(const char *prefer);

/* A lawful Idempotency-Key: 1 to 255 printable ASCII characters, in quotes or not. Copies it
 * without its quotes. */
#define IDEMPOTENCY_KEY_MAX 255
bool idempotency_key_read(const char *header, char ret_key[IDEMPOTENCY_KEY_MAX + 1]);

/* The token of "Bearer TOKEN", or NULL. */
const char *bearer_token(const char *authorization);
