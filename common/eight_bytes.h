/* Eight bytes of a text at once: most texts need no closer look. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EIGHT_BYTES sizeof(uint64_t)
#define EACH_BYTE (~(uint64_t)0 / 255) /* times n: eight bytes of n */
#define HIGH_BITS (EACH_BYTE * 0x80)

/* The next eight bytes. A shorter rest, of at least one byte, fills them with spaces and with
 * bytes of its own again, so it shows what any_byte_below() asks for. Stored piece by piece and
 * loaded as one, it would wait for the stores. */
static inline uint64_t next_eight_bytes(const char *text, size_t left)
{
    uint64_t bytes;
    uint32_t first, last;

    if (left >= EIGHT_BYTES) {
        memcpy(&bytes, text, sizeof bytes);
        return bytes;
    }
    if (left >= sizeof first) {
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + left - sizeof last, sizeof last);
        return first | (uint64_t)last << 32;
    }
    return (EACH_BYTE * ' ' << 24) | (unsigned char)text[0] |
           (uint64_t)(unsigned char)text[left / 2] << 8 |
           (uint64_t)(unsigned char)text[left - 1] << 16;
}

/* Not 0 if one of the bytes is below `least`, which is at most 0x80. */
static inline uint64_t any_byte_below(uint64_t bytes, uint64_t least)
{
    return (bytes - EACH_BYTE * least) & ~bytes & HIGH_BITS;
}
