/* FNV-1a: hashes of texts, the same everywhere. They are stored and sent: do not change them. */
#pragma once

#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

static inline uint64_t hash_step(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x100000001b3u;
}

static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = hash_step(hash, (unsigned char)*text);
    return hash;
}

/* Hashes one of several texts, with its end: "ab" and "c" differ from "a" and "bc". */
static inline uint64_t hash_part(uint64_t hash, const char *text)
{
    return hash_step(hash_text(hash, text), 0xff);
}
