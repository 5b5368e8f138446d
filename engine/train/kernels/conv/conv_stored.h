/* How kernels that compute in f32 read and write what is stored: f32, or bf16 where
 * CONV_STORED_BF16 is defined. */
#pragma once

#include "engine/train/kernels/vec.h"
#include "engine/train/onednn/dnn.h"

#ifdef CONV_STORED_BF16
typedef uint16_t stored;
typedef uint16_t stored_lanes __attribute__((vector_size(VEC_BYTES / 2), aligned(2), may_alias));
typedef uint32_t stored_bits __attribute__((vector_size(VEC_BYTES)));

#define STORED_TYPE DNN_BF16
#define STORED_LOAD(address)                                                                     \
    ((vec)(__builtin_convertvector(*(const stored_lanes *)(address), stored_bits) << 16))

/* To nearest, ties to even, as passes_stored.h does. */
VEC_INLINE void stored_round(vec *value)
{
    stored_bits bits = (stored_bits)*value;

    *value = (vec)((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u);
}

/* A value that is rounded. */
VEC_INLINE void stored_put(void *to, const vec *value)
{
    *(stored_lanes *)to = __builtin_convertvector((stored_bits)*value >> 16, stored_lanes);
}
#else
typedef float stored;

#define STORED_TYPE DNN_F32
#define STORED_LOAD(address) VEC_LOAD(address)

VEC_INLINE void stored_round(vec *value)
{
    (void)value;
}

VEC_INLINE void stored_put(void *to, const vec *value)
{
    VEC_STORE(to, *value);
}
#endif
