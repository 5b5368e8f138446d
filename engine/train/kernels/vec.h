/* Vectors of floats for the kernels, VEC_BYTES wide. They are the compiler's own, so
 * that a body written for one width compiles for any processor: a test can run the body of a
 * processor that it does not have. */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#ifndef VEC_BYTES
#error "VEC_BYTES says how wide a vector is"
#endif

#define VEC_INLINE static inline __attribute__((always_inline))
#define VEC_LANES (VEC_BYTES / 4)

typedef float vec __attribute__((vector_size(VEC_BYTES)));
typedef int32_t vec_bits __attribute__((vector_size(VEC_BYTES)));
typedef double vec_wide __attribute__((vector_size(2 * VEC_BYTES)));
typedef float vec_anywhere __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));

#define VEC_LOAD(address) ((vec) * (const vec_anywhere *)(address))
#define VEC_STORE(address, value) (*(vec_anywhere *)(address) = (value))

/* The same number in every lane. */
#define VEC_ALL(number) ((number) - (vec){0})

/* `value` where the comparison of two vectors holds, elsewhere 0. */
#define VEC_WHERE(comparison, value) ((vec)((vec_bits)(comparison) & (vec_bits)(value)))

/* a * b + c: rounded once where the processor can, else twice. */
#if VEC_BYTES == 64 && defined(__AVX512F__)
#define VEC_FMA(a, b, c) ((vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#elif VEC_BYTES == 32 && defined(__FMA__)
#define VEC_FMA(a, b, c) ((vec)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#else
#define VEC_FMA(a, b, c) ((a) * (b) + (c))
#endif
