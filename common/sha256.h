/* SHA-256 (FIPS 180-4), for what is short: tokens, facts of machines. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

void sha256(const void *data, size_t length, uint8_t ret_digest[SHA256_SIZE]);
