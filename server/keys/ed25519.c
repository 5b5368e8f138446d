#include "server/keys/ed25519.h"

#include <nettle/eddsa.h>

void ed25519_public(const uint8_t secret[ED25519_SIZE], uint8_t ret_public[ED25519_SIZE])
{
    ed25519_sha512_public_key(ret_public, secret);
}

void ed25519_sign(const struct ed25519_pair *pair, const char *text, size_t length,
                  uint8_t ret_signature[ED25519_SIGNATURE_SIZE])
{
    ed25519_sha512_sign(pair->public, pair->secret, length, (const uint8_t *)text, ret_signature);
}

bool ed25519_verify(const uint8_t public[ED25519_SIZE], const char *text, size_t length,
                    const uint8_t signature[ED25519_SIGNATURE_SIZE])
{
    return ed25519_sha512_verify(public, length, (const uint8_t *)text, signature) == 1;
}
