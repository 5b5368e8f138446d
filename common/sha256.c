#include "common/sha256.h"

#include <string.h>

#define BLOCK SHA256_BLOCK

static const uint32_t constants[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t sha256_turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static uint32_t sha256_load(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

static void sha256_expand(const uint8_t block[BLOCK], uint32_t ret_words[BLOCK])
{
    for (int i = 0; i < 16; i++)
        ret_words[i] = sha256_load(block + 4 * i);
    for (int i = 16; i < BLOCK; i++) {
        uint32_t near = ret_words[i - 2], far = ret_words[i - 15];

        ret_words[i] = ret_words[i - 16] + ret_words[i - 7] +
                       (sha256_turn(far, 7) ^ sha256_turn(far, 18) ^ far >> 3) +
                       (sha256_turn(near, 17) ^ sha256_turn(near, 19) ^ near >> 10);
    }
}

/* The letters are the standard's: state[0] is its a, state[7] its h. */
static void take_block(uint32_t hash[8], const uint8_t block[BLOCK])
{
    uint32_t words[BLOCK], s[8];

    sha256_expand(block, words);
    memcpy(s, hash, sizeof s);
    for (int i = 0; i < BLOCK; i++) {
        uint32_t first = s[7] +
                         (sha256_turn(s[4], 6) ^ sha256_turn(s[4], 11) ^ sha256_turn(s[4], 25)) +
                         ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + words[i];
        uint32_t second = (sha256_turn(s[0], 2) ^ sha256_turn(s[0], 13) ^ sha256_turn(s[0], 22)) +
                          ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        hash[i] += s[i];
}

void sha256_begin(struct sha256 *sum)
{
    *sum = (struct sha256){.hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                    0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sum, const void *data, size_t length)
{
    const uint8_t *bytes = data;

    while (length > 0) {
        size_t used = sum->length % BLOCK;
        size_t piece = length < BLOCK - used ? length : BLOCK - used;

        if (piece == BLOCK) {
            take_block(sum->hash, bytes);
        } else {
            memcpy(sum->rest + used, bytes, piece);
            if (used + piece == BLOCK)
                take_block(sum->hash, sum->rest);
        }
        sum->length += piece;
        bytes += piece;
        length -= piece;
    }
}

/* Behind the data stand a one, zeros, and how many bits there were. */
void sha256_end(struct sha256 *sum, uint8_t ret_digest[SHA256_SIZE])
{
    static const uint8_t padding[BLOCK] = {0x80};
    uint64_t bits = sum->length * 8;
    uint8_t end[8];

    for (size_t i = 0; i < sizeof end; i++)
        end[sizeof end - 1 - i] = (uint8_t)(bits >> 8 * i);
    sha256_add(sum, padding, 1 + (2 * BLOCK - 1 - sizeof end - sum->length % BLOCK) % BLOCK);
    sha256_add(sum, end, sizeof end);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        ret_digest[i] = (uint8_t)(sum->hash[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(const void *data, size_t length, uint8_t ret_digest[SHA256_SIZE])
{
    struct sha256 sum;

    sha256_begin(&sum);
    sha256_add(&sum, data, length);
    sha256_end(&sum, ret_digest);
}
