/* The key with which this database signs its runs: a file beside the database, FILE.key, of mode
 * 0600. It has one line, "ed25519 SECRET PUBLIC", in digits of 0-9 and a-f. The first start makes
 * it. A backup of the database does not contain it. */
#pragma once

#include "server/keys/signing.h"

#define KEY_FILE_ENDING ".key"

/* Reads the key of a database, and makes it where there is no file: of two that start at once
 * both get the same. ERROR_INVALID where others than its owner may read the file, or it is
 * damaged; a key is never replaced then, for hubs know the old one. */
MUST_USE bool key_file_load(const char *database, struct signing_key *ret_key, struct error *err);

/* Replaces the key, or makes the first one, in one step. */
MUST_USE bool key_file_rotate(const char *database, struct signing_key *ret_key,
                              struct error *err);
