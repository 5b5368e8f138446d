/* SHA-256 (FIPS 180-4): of tokens, facts of machines, and what is stored of a run. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32
#define SHA256_BLOCK 64

void sha256(const void *data, size_t length, uint8_t ret_digest[SHA256_SIZE]);

/* The same for data in pieces; the cuts do not matter. */
struct sha256 {
    uint32_t hash[8];
    uint8_t rest[SHA256_BLOCK]; /* of a block that is not full yet */
    uint64_t length;            /* of all pieces */
};

void sha256_begin(struct sha256 *sum);
void sha256_add(struct sha256 *sum, const void *data, size_t length);
void sha256_end(struct sha256 *sum, uint8_t ret_digest[SHA256_SIZE]);
