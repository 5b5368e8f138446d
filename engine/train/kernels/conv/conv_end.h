/* The ends of conv.h, a vector of the result at a time. The caller's file says how wide a panel
 * is: VEC_WIDE vectors. */
#pragma once

#include "engine/train/kernels/conv/conv_kernel.h"
#include "engine/train/kernels/conv/conv_stored.h"

/* What one vector of channels sums in f32, over one group of positions. */
struct end_part {
    vec sum, product, other;
};

struct end_sums {
    struct end_part of[VEC_WIDE];
};

/* VEC_LANES neighbouring numbers of the result. */
struct end_place {
    const struct conv_end *end;
    long n, channel; /* the first of them */
    long at;         /* in a tensor of (pixels, n) */
};

/* Makes of `value` what a kind stores. */
VEC_INLINE void end_value(const struct end_place *place, const enum conv_end_kind kind,
                          vec *value)
{
    const struct conv_end *end = place->end;

    if (kind == CONV_INNER) {
        const float *scale = end->affine + place->channel, *shift = scale + place->n;
        vec scaled = STORED_LOAD((const stored *)end->values + place->at) * VEC_LOAD(scale);

        *value = VEC_WHERE(scaled + VEC_LOAD(shift) > 0, *value);
    }
    if (kind >= CONV_KEPT) {
        *value += STORED_LOAD((const stored *)end->add + place->at);
        *value = VEC_WHERE(STORED_LOAD((const stored *)end->active + place->at) > 0, *value);
    }
    stored_round(value);
}

/* Stores a vector of the result and sums it. Vectors come by their addresses: no processor but
 * the one that a width is made for has a way to pass them. */
VEC_INLINE void end_vector(const struct end_place *place, const enum conv_end_kind kind,
                           const vec *result, struct end_part *part)
{
    const struct conv_end *end = place->end;
    vec value = *result;

    end_value(place, kind, &value);
    if (kind >= CONV_INNER)
        part->product += value * (STORED_LOAD((const stored *)end->values + place->at) -
                                  VEC_LOAD(end->mean + place->channel));
    if (kind == CONV_OTHER)
        part->other += value * (STORED_LOAD((const stored *)end->other_values + place->at) -
                                VEC_LOAD(end->other_mean + place->channel));
    if (kind == CONV_SUMS)
        part->product += value * value;
    if (kind != CONV_PLAIN)
        part->sum += value;
    stored_put((stored *)end->result + place->at, &value);
}

VEC_INLINE void end_add(const vec *from, double *to)
{
    for (int i = 0; i < VEC_LANES; i++)
        to[i] += (double)(*from)[i];
}

/* Adds a group's sums of the panel with this first channel. */
VEC_INLINE void end_finish(const struct end_place *place, const enum conv_end_kind kind,
                           const struct end_sums *sums)
{
    double *to = place->end->sums + place->channel;

    for (int v = 0; v < VEC_WIDE; v++, to += VEC_LANES) {
        end_add(&sums->of[v].sum, to);
        end_add(&sums->of[v].product, to + place->n);
        if (kind == CONV_OTHER)
            end_add(&sums->of[v].other, to + 2 * place->n);
    }
}
