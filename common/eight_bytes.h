/* Eight bytes of a text at once: most texts need no closer look. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EIGHT_BYTES sizeof(uint64_t)
#define EACH_BYTE (~(uint64_t)0 / 255) /* times n: eight bytes of n */
#define HIGH_BITS (EACH_BYTE * 0x80)

/* The next eight bytes; spaces stand for what lies behind the text. */
static inline uint64_t next_eight_bytes(const char *text, size_t left)
{
    uint64_t bytes = EACH_BYTE * ' ';

    if (left >= EIGHT_BYTES)
        memcpy(&bytes, text, EIGHT_BYTES);
    else
        memcpy(&bytes, text, left);
    return bytes;
}

/* Not 0 if one of the bytes is below `least`, which is at most 0x80. */
static inline uint64_t any_byte_below(uint64_t bytes, uint64_t least)
{
    return (bytes - EACH_BYTE * least) & ~bytes & HIGH_BITS;
}
