/* The losses of one set, cross_entropy.h.
 * Tested by tests/engine/train/kernels/text/cross_entropy_test.c. */
#include "engine/train/kernels/text/cross_entropy.h"
#include "engine/train/kernels/text/text_vec.h"

#include <math.h>

/* What is not a number need not be the largest: the sum shows it. */
static float largest_of(const stored *row, long classes)
{
    vec largest, value;
    long c = 0;

    stored_load(row, 1, &value);
    largest = VEC_ALL(value[0]);
    for (; c + LANES <= classes; c += LANES) {
        value = STORED_LOAD(row + c);
        largest = VEC_CHOOSE(value > largest, value, largest);
    }
    for (; c < classes; c++) {
        stored_load(row + c, 1, &value);
        if (value[0] > largest[0])
            largest[0] = value[0];
    }
    return vec_largest(&largest);
}

/* The sum of e^(logit - largest). */
static float sum_of(const stored *row, long classes, float largest)
{
    vec total = {0}, value;
    float rest = 0;
    long c = 0;

    for (; c + LANES <= classes; c += LANES)
        total += vec_exp(STORED_LOAD(row + c) - VEC_ALL(largest));
    if (c < classes) {
        stored_load(row + c, classes - c, &value);
        value = vec_exp(value - VEC_ALL(largest));
        for (int i = 0; i < classes - c; i++)
            rest += value[i];
    }
    return vec_sum(&total) + rest;
}

static void softmax(const struct cross_entropy *loss, long begin, long end)
{
    for (long r = begin; r < end; r++) {
        const stored *row = (const stored *)loss->logits + r * loss->stride;
        stored *gradient = (stored *)loss->gradient + r * loss->stride;
        float largest = largest_of(row, loss->classes), of_label;
        float sum = sum_of(row, loss->classes, largest), scale = loss->scale / sum;
        long label = loss->labels[r];
        vec value;

        stored_load(row + label, 1, &value);
        of_label = value[0] - largest;
        loss->losses[r] = (float)(log((double)sum) - (double)of_label);
        if (!loss->gradient)
            continue;
        for (long c = 0; c < loss->classes; c += LANES) {
            stored_load(row + c, loss->classes - c, &value);
            value = vec_exp(value - VEC_ALL(largest)) * VEC_ALL(scale);
            stored_store(gradient + c, loss->classes - c, &value);
        }
        value = (vec_exp(VEC_ALL(of_label)) / VEC_ALL(sum) - VEC_ALL(1.f)) * VEC_ALL(loss->scale);
        stored_store(gradient + label, 1, &value);
    }
}

static void sigmoid(const struct cross_entropy *loss, long begin, long end)
{
    for (long r = begin; r < end; r++) {
        vec value;
        double z, far, small;

        stored_load((const stored *)loss->logits + r * loss->stride, 1, &value);
        z = (double)value[0];
        small = exp(-fabs(z));
        far = z < 0 ? 0 : z; /* what is not a number stays none */
        loss->losses[r] = (float)(far - z * (double)loss->labels[r] + log1p(small));
        if (!loss->gradient)
            continue;
        z = z > 0 ? 1 / (1 + small) : small / (1 + small);
        value = VEC_ALL((float)((z - (double)loss->labels[r]) * (double)loss->scale));
        stored_store((stored *)loss->gradient + r * loss->stride, 1, &value);
    }
}

extern const struct loss_kernel TEXT_NAME(loss);
const struct loss_kernel TEXT_NAME(loss) = {
    .softmax = softmax,
    .sigmoid = sigmoid,
};
