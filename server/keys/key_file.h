/* The key that signs the runs of this database: a file next to the database, FILE.key, of mode
 * 0600. It has one line, "ed25519 SECRET PUBLIC", in digits of 0-9 and a-f. The first start makes
 * it. A backup of the database does not contain it. */
#pragma once

#include "server/keys/signing.h"

#define KEY_FILE_ENDING ".key"

/* Reads the key, and creates it if there is no file; two processes that start at once get the
 * same key. ERROR_INVALID if other users may read the file or it is damaged: it is not replaced,
 * because hubs know the old key. */
MUST_USE bool key_file_load(const char *database, struct signing_key *ret_key, struct error *err);

/* Replaces the key, or creates the first one, atomically. */
MUST_USE bool key_file_rotate(const char *database, struct signing_key *ret_key,
                              struct error *err);
