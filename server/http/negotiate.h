/* Parsers of request headers with a syntax of their own. Pure functions. */
#pragma once

#include "common/limits.h"

#include <stdbool.h>

/* Quality that an Accept header gives a media type such as "text/csv": 0 (not accepted) to 1000.
 * A missing header (NULL) accepts everything. */
int accept_quality(const char *accept, const char *type);

/* Whether an Accept-Encoding header allows a coding such as "gzip". A missing header (NULL) does
 * not. */
bool encoding_is_accepted(const char *accept_encoding, const char *coding);

/* True for application/json, with or without a charset of UTF-8. */
bool content_type_is_json(const char *content_type);

/* The same for application/x-ndjson: one JSON value per line. */
bool content_type_is_lines(const char *content_type);

/* Seconds of "wait=N" in a Prefer header; 0 if absent or malformed, as unknown preferences are to
 * be ignored. */
long long prefer_wait(const char *prefer);

/* A valid Idempotency-Key: 1 to 255 printable ASCII characters, in quotes or not. Copies it
 * without its quotes. */
bool idempotency_key_read(const char *header, char ret_key[IDEMPOTENCY_KEY_MAX + 1]);

/* The token of "Bearer TOKEN", or NULL. */
const char *bearer_token(const char *authorization);
