/* Optimizers of one set, learn.h.
 * Tested by tests/engine/train/kernels/text/learn_test.c. */
#include "engine/train/kernels/text/learn.h"
#include "engine/train/kernels/text/text_vec.h"

/* Weight, gradient and states of LANES elements. */
struct element {
    vec weight, gradient, first, second;
};

CONV_INLINE vec root(vec value)
{
    vec result;

#if CONV_VEC_BYTES == 64 && defined(__AVX512F__)
    result = (vec)_mm512_sqrt_ps((__m512)value);
#elif CONV_VEC_BYTES == 32 && defined(__AVX2__)
    result = (vec)_mm256_sqrt_ps((__m256)value);
#else
    for (int i = 0; i < LANES; i++)
        result[i] = __builtin_sqrtf(value[i]);
#endif
    return result;
}

/* old * rho + new * (1 - rho). */
CONV_INLINE vec mean_of(vec old, vec new, float rho)
{
    return VEC_FMA(old, VEC_ALL(rho), new *VEC_ALL(1 - rho));
}

CONV_INLINE void learn(const struct learn_rule *rule, struct element *e, enum learn_kind kind)
{
    vec g = e->gradient, rate = VEC_ALL(rule->rate), eps = VEC_ALL(rule->eps), step;

    if (kind == LEARN_SGD) {
        g = VEC_FMA(VEC_ALL(rule->weight_decay), e->weight, g);
        e->first = VEC_FMA(VEC_ALL(rule->momentum), e->first, g);
        step = e->first;
    } else if (kind == LEARN_RMSPROP) {
        e->first = mean_of(e->first, g * g, rule->rho);
        step = g / (root(e->first) + eps);
    } else if (kind == LEARN_ADADELTA) {
        e->first = mean_of(e->first, g * g, rule->rho);
        step = g * root((e->second + eps) / (e->first + eps));
        e->second = mean_of(e->second, step * step, rule->rho);
    } else {
        if (kind == LEARN_ADAMW)
            e->weight -= VEC_ALL(rule->rate * rule->weight_decay) * e->weight;
        e->first = mean_of(e->first, g, rule->beta1);
        e->second = mean_of(e->second, g * g, rule->beta2);
        step = e->first * VEC_ALL(rule->first_scale) /
               (root(e->second * VEC_ALL(rule->second_scale)) + eps);
    }
    e->weight -= rate * step;
}

CONV_INLINE void run_kind(const struct learn_rule *rule, const struct learn_arrays *arrays,
                          long begin, long end, const enum learn_kind kind)
{
    const bool two = kind >= LEARN_ADADELTA;

    for (long i = begin; i < end; i += LANES) {
        struct element e = {{0}, {0}, {0}, {0}};

        vec_load(arrays->weights + i, end - i, &e.weight);
        if (arrays->gradient)
            vec_load(arrays->gradient + i, end - i, &e.gradient);
        vec_load(arrays->first + i, end - i, &e.first);
        if (two)
            vec_load(arrays->second + i, end - i, &e.second);
        learn(rule, &e, kind);
        vec_store(arrays->weights + i, end - i, &e.weight);
        vec_store(arrays->first + i, end - i, &e.first);
        if (two)
            vec_store(arrays->second + i, end - i, &e.second);
        if (arrays->copy)
            stored_store((stored *)arrays->copy + i, end - i, &e.weight);
    }
}

static void run(const struct learn_rule *rule, const struct learn_arrays *arrays, long begin,
                long end)
{
    switch (rule->kind) {
    case LEARN_SGD:
        run_kind(rule, arrays, begin, end, LEARN_SGD);
        break;
    case LEARN_RMSPROP:
        run_kind(rule, arrays, begin, end, LEARN_RMSPROP);
        break;
    case LEARN_ADADELTA:
        run_kind(rule, arrays, begin, end, LEARN_ADADELTA);
        break;
    case LEARN_ADAM:
        run_kind(rule, arrays, begin, end, LEARN_ADAM);
        break;
    case LEARN_ADAMW:
        run_kind(rule, arrays, begin, end, LEARN_ADAMW);
        break;
    }
}

extern const struct learn_kernel TEXT_NAME(learn);
const struct learn_kernel TEXT_NAME(learn) = {.run = run};
