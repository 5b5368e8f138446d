/* Dropout of one set, dropout.h.
 * Tested by tests/engine/train/kernels/text/dropout_test.c. */
#include "engine/train/kernels/text/dropout.h"
#include "engine/train/kernels/text/text_vec.h"

typedef uint64_t counters __attribute__((vector_size(2 * CONV_VEC_BYTES)));

/* What LANES elements from `index` on are multiplied by. */
CONV_INLINE vec factors(const struct dropout *dropout, long index)
{
    counters z;

    for (int i = 0; i < LANES; i++)
        z[i] = (uint64_t)i;
    z += dropout->start + (uint64_t)index + 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z = z ^ (z >> 31);
    return VEC_WHERE(__builtin_convertvector(z >> 40, vec_bits) >= (int32_t)dropout->threshold,
                     VEC_ALL(dropout->scale));
}

static void forward(const struct dropout *dropout, const void *values, long begin, long end,
                    void *result)
{
    for (long i = begin; i < end; i += LANES) {
        vec value;

        stored_load((const stored *)values + i, end - i, &value);
        if (dropout->relu)
            value = VEC_CHOOSE(value < 0, (vec){0}, value);
        value *= factors(dropout, i);
        stored_store((stored *)result + i, end - i, &value);
    }
}

static void backward(const struct dropout *dropout, const void *const gradient_and_active[2],
                     long begin, long end, void *result)
{
    const stored *active = gradient_and_active[1];

    for (long i = begin; i < end; i += LANES) {
        vec value, kept;

        stored_load((const stored *)gradient_and_active[0] + i, end - i, &value);
        if (dropout->relu) {
            stored_load(active + i, end - i, &kept);
            value = VEC_WHERE(kept > 0, value * VEC_ALL(dropout->scale));
        } else {
            value *= factors(dropout, i);
        }
        stored_store((stored *)result + i, end - i, &value);
    }
}

extern const struct dropout_kernel TEXT_NAME(dropout);
const struct dropout_kernel TEXT_NAME(dropout) = {
    .forward = forward,
    .backward = backward,
};
