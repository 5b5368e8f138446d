/* Signatures of run documents as texts, and the proof that an upload comes from the owner of a
 * key. Tested by tests/server/keys/signing_test.c. */
#pragma once

#include "engine/document/signature.h"
#include "server/keys/ed25519.h"

/* The key of this database: key_file.h reads it. */
struct signing_key {
    struct ed25519_pair pair;
    char text[SIGNATURE_KEY_SIZE]; /* the public half, as documents have it */
};

/* Computes the public half and the text from the secret. */
void signing_key_complete(struct signing_key *key);

void signing_sign(const struct signing_key *key, const char *text, size_t length,
                  struct signature *ret_signature);

/* ERROR_UNPROVEN, field "signature.value", if the signature is not of this text. */
MUST_USE bool signing_verify(const struct signature *signature, const char *text, size_t length,
                             struct error *err);

/* The value of the header PROOF_HEADER: KEY PROOF. The proof signs the token's hash, so it is
 * useless with another token and does not reveal this one. */
#define PROOF_HEADER "Pennyworth-Key"
#define PROOF_SIZE (SIGNATURE_KEY_SIZE + SIGNATURE_VALUE_SIZE)
void signing_prove(const struct signing_key *key, const char *token, char ret_proof[PROOF_SIZE]);

/* ERROR_UNPROVEN, field PROOF_HEADER, if the proof is not of this token. */
MUST_USE bool signing_check_proof(const char *proof, const char *token,
                                  char ret_key[SIGNATURE_KEY_SIZE], struct error *err);
