/* The key of each token: the first upload with a proof of a key binds the token to it. */
#pragma once

#include "db/db.h"
#include "engine/document/signature.h"

/* *ret_key is "" if the token is not bound. */
MUST_USE bool token_keys_find(struct db *db, const char *name, char ret_key[SIGNATURE_KEY_SIZE],
                              struct error *err);

/* Whether another token than `name` is bound to this key. */
MUST_USE bool token_keys_is_of_another(struct db *db, const char *name, const char *key,
                                       bool *ret_is, struct error *err);

/* Binds a token, durably, unless it is bound; then *ret_key is its present key. */
MUST_USE bool token_keys_bind(struct db *db, const char *name, const char *key,
                              char ret_key[SIGNATURE_KEY_SIZE], struct error *err);

/* Forgets the key of a token, durably: the next upload binds it. *ret_key is the old key, "" if
 * none. */
MUST_USE bool token_keys_forget(struct db *db, const char *name, char ret_key[SIGNATURE_KEY_SIZE],
                                struct error *err);
