/* Does the fast number format still learn the same? The gradient of one small batch, before any
 * learning, is computed twice from the same weights and images: in f32, by the fixed plan; and as
 * a run computes it. bf16 done right is off by its rounding only.
 *
 * The certificate reports the angle between the whole gradients, which finds what is wrong
 * everywhere: other images, other weights, a loss that has overflown. But of ResNet-50 before its
 * first step the last layer is nearly all of the gradient (without it the cosine is 0.16, without
 * any one convolution behind the first it stays at 0.999), so it cannot find a single wrong
 * layer. That is what the worst of the tensors is for. With bf16 and 8 to 32 images the whole is
 * at 0.9993 and above, the worst convolution at 0.956 and above; a wrong tensor is somewhere
 * around 0. */
#pragma once

#include "engine/train/net/net.h"
#include "engine/train/networks/recipe.h"

/* A worst tensor below this is not a matter of rounding. */
#define CERTIFICATE_WORST_MIN 0.9

struct certificate {
    double cosine; /* of all parameters together, summed in f64 */
    /* Of the weights of the layer that is farthest off; not of batch-norms, whose few numbers are
     * noisier. */
    double worst;
    char worst_name[sizeof((struct parameter *)0)->name];
};

/* A cosine is 0 where a gradient has no direction: it is zero, or somewhere not a number. */
struct certificate certificate_of(const struct network *network, const struct parameters *exact,
                                  const struct parameters *fast);

/* Builds both nets with what `options` says of seed, threads, instruction set, format and plan,
 * one behind the other, and compares their gradients. It takes a second or two, and about a GiB:
 * fails where that is not there. */
MUST_USE bool certificate_make(const struct network *network, const struct net_options *options,
                               struct certificate *ret_certificate, struct error *err);

/* The same of a workload on a graph, whose weights are its matrices; of its own batch where that
 * is smaller. */
MUST_USE bool certificate_make_of_graph(const struct recipe *recipe,
                                        const struct net_options *options,
                                        struct certificate *ret_certificate, struct error *err);
