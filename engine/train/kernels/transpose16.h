/* 16 rows of 16 words, in registers of AVX-512. */
#pragma once

#include <immintrin.h>

/* Rows become columns. */
static inline __attribute__((target("avx512f"))) void transpose16(__m512i rows[16])
{
    __m512i t[16];

    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        rows[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        rows[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        rows[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        rows[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(rows[i], rows[4 + i], 0x88);
        t[4 + i] = _mm512_shuffle_i32x4(rows[i], rows[4 + i], 0xdd);
        t[8 + i] = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], 0x88);
        t[12 + i] = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], 0xdd);
    }
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0x88);
        rows[8 + i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0xdd);
        rows[4 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0x88);
        rows[12 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0xdd);
    }
}
