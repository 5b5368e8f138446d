/* Ed25519 (RFC 8032), by nettle. Thread-safe. Out of memory, GMP (used by nettle) ends the
 * process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ED25519_SIZE 32 /* of a secret and of a public key */
#define ED25519_SIGNATURE_SIZE 64

/* The public key of a secret: any 32 random bytes. */
void ed25519_public(const uint8_t secret[ED25519_SIZE], uint8_t ret_public[ED25519_SIZE]);

struct ed25519_pair {
    uint8_t secret[ED25519_SIZE], public[ED25519_SIZE];
};
void ed25519_sign(const struct ed25519_pair *pair, const char *text, size_t length,
                  uint8_t ret_signature[ED25519_SIGNATURE_SIZE]);

/* Whether the signature is of this key and this text. */
bool ed25519_verify(const uint8_t public[ED25519_SIZE], const char *text, size_t length,
                    const uint8_t signature[ED25519_SIGNATURE_SIZE]);
