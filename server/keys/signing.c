#include "server/keys/signing.h"

#include "common/hex.h"
#include "common/sha256.h"

#include <stdio.h>
#include <string.h>

#define KEY_DIGITS (SIGNATURE_KEY_SIZE - 1)
#define VALUE_DIGITS (SIGNATURE_VALUE_SIZE - 1)
/* No document begins with this, so a proof cannot be the signature of a document, nor the
 * reverse. */
#define PROOF_WORDS "pennyworth token "

void signing_key_complete(struct signing_key *key)
{
    ed25519_public(key->pair.secret, key->pair.public);
    hex_write(key->pair.public, ED25519_SIZE, key->text);
}

void signing_sign(const struct signing_key *key, const char *text, size_t length,
                  struct signature *ret_signature)
{
    uint8_t value[ED25519_SIGNATURE_SIZE];

    ed25519_sign(&key->pair, text, length, value);
    memcpy(ret_signature->key, key->text, sizeof key->text);
    hex_write(value, sizeof value, ret_signature->value);
}

static bool signing_check(const struct signature *signature, const char *text, size_t length)
{
    uint8_t key[ED25519_SIZE], value[ED25519_SIGNATURE_SIZE];

    if (!signature_is_digits(signature->key, strlen(signature->key), KEY_DIGITS) ||
        !signature_is_digits(signature->value, strlen(signature->value), VALUE_DIGITS))
        return false;
    return hex_read(signature->key, sizeof key, key) &&
           hex_read(signature->value, sizeof value, value) &&
           ed25519_verify(key, text, length, value);
}

bool signing_verify(const struct signature *signature, const char *text, size_t length,
                    struct error *err)
{
    return signing_check(signature, text, length) ||
           error_set(err, ERROR_UNPROVEN, "signature.value",
                     "is not what the key of signature.key makes of the document: one "
                     "of the three was altered");
}

/* The text that a proof signs. */
#define PROVEN_SIZE (sizeof PROOF_WORDS + 2 * SHA256_SIZE)
static void write_proven(const char *token, char ret_text[PROVEN_SIZE])
{
    uint8_t hash[SHA256_SIZE];

    sha256(token, strlen(token), hash);
    memcpy(ret_text, PROOF_WORDS, sizeof PROOF_WORDS);
    hex_write(hash, sizeof hash, ret_text + sizeof PROOF_WORDS - 1);
}

void signing_prove(const struct signing_key *key, const char *token, char ret_proof[PROOF_SIZE])
{
    struct signature signature;
    char proven[PROVEN_SIZE];

    write_proven(token, proven);
    signing_sign(key, proven, strlen(proven), &signature);
    snprintf(ret_proof, PROOF_SIZE, "%s %s", signature.key, signature.value);
}

bool signing_check_proof(const char *proof, const char *token, char ret_key[SIGNATURE_KEY_SIZE],
                         struct error *err)
{
    struct signature signature = {.key = ""};
    char proven[PROVEN_SIZE];

    if (strlen(proof) == PROOF_SIZE - 1 && proof[KEY_DIGITS] == ' ') {
        snprintf(signature.key, sizeof signature.key, "%.*s", KEY_DIGITS, proof);
        snprintf(signature.value, sizeof signature.value, "%s", proof + KEY_DIGITS + 1);
    }
    write_proven(token, proven);
    if (!signing_check(&signature, proven, strlen(proven)))
        return error_set(err, ERROR_UNPROVEN, PROOF_HEADER,
                         "must be a public key, a blank, and that key's signature of \"%s\" and "
                         "the SHA-256 of the token, in digits of 0-9 and a-f",
                         PROOF_WORDS);
    memcpy(ret_key, signature.key, SIGNATURE_KEY_SIZE);
    return true;
}
