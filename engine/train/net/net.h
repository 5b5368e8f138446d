/* A net: a network with memory and operations, which trains. Each plan makes its own kind of net
 * and starts its state with `struct net`; callers use the functions below and need not know which
 * plan made it. net_new.h makes the net that options ask for.
 *
 * What "plan" means, here and nowhere else:
 * - A plan is a way to compute a step. There are two of a network. The plain plan calls the
 * library for one layer after another, over the whole batch, with all threads on each call
 * (plain/). The depth-first plan takes a chunk of images through a stage of the network while the
 * chunk is in cache (depth_first/). A graph has one, the layerwise plan (layerwise/).
 * - The spec's field `plan` asks for one: "plain"; "fixed", which is depth-first with the same
 *   chunks on every machine; "auto", which is depth-first with chunks measured on this machine.
 * - The hello event's member `plan` says which one runs, and why: "plain"; "fixed"; "measured",
 *   which is "auto" after a measurement; "cached", which is "auto" with an earlier measurement;
 *   "known", which is "auto" on a processor of plan_known.h's table; "layerwise", of a graph.
 * - `struct plan` (depth_first/plan.h) holds the chunk sizes of the depth-first plan.
 * - "fused" is no plan: it is a cell of a sweep's preset, bf16 with "fixed". */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/protocol/details.h"
#include "engine/trace/steps.h"
#include "engine/train/net/joiner.h"
#include "engine/train/networks/network.h"
#include "engine/train/networks/parameters.h"
#include "engine/train/onednn/dnn.h"

/* The spec's field `plan`. */
enum net_plan {
    NET_AUTO,
    NET_FIXED,
    NET_PLAIN,
};

/* The spec's field `layout`: how images lie between the operations of the plain plan. The
 * depth-first plan has NET_NHWC only. */
enum net_layout {
    NET_NHWC,
    NET_NCHW,    /* as frameworks do it: reordered before and behind a convolution, if it wants */
    NET_BLOCKED, /* as convolutions want it, and kept so in between */
};

/* Of "auto", "fixed" and "plain". */
enum net_plan net_plan_from_name(const char *name);

/* Of "auto", "nhwc", "nchw" and "blocked". */
enum net_layout net_layout_from_name(const char *name);

struct net_options {
    long batch;
    enum dnn_type type;
    unsigned long long seed;
    struct sgd sgd;
    int threads;
    enum cpu_isa isa; /* the most that may be used */
    enum net_plan plan;
    long chunk_kilobytes; /* of a chunk, with NET_FIXED; 0: the usual */
    enum net_layout layout;
    int group;           /* threads that share a sum of weight gradients; 0: as many as is good */
    int input_workers;   /* threads that make the next batch; 0: the step makes its own */
    bool keep_gradients; /* net_parameters() shows them */
    struct joiner *joiner; /* of the ranks, or NULL; the caller keeps it */
};

/* What there is to know of a net before it has run. */
struct net_facts {
    const char *plan;                    /* of the hello event, see above */
    const char *layout;                  /* what "auto" became; NULL: it trains on no images */
    long long parameters, multiply_adds; /* multiply_adds: of one sample, forward */
    long long backward_multiply_adds;    /* of one sample */
    long long step_bytes;                /* that a step has to move (below); 0: not known */
    size_t memory;                       /* bytes for activations and gradients; 0: not known */
    enum answer huge_pages;              /* whether that memory lies in huge pages */
    enum answer emulated;                /* whether the processor lacks the number format */
};

/* What the description of a network says, of any plan: the rest of the facts stays 0.
 *
 * `step_bytes` is the least that a step has to move between memory and caches: each output of a
 * convolution is written on the way forward and read on the way back, each weight is read and
 * written. It is 0 where the last cache could hold those outputs, or its size is not known. */
struct net_facts net_facts_of(const struct network *network, const struct net_options *options);

/* Receives the implementation `name` of one pass of one layer. */
typedef void (*net_visit)(void *user, const char *layer, const char *pass, const char *name);

struct net;

/* What each kind of net implements; the functions below say what each does. */
struct net_functions {
    bool (*step)(struct net *net, double *ret_loss, struct step_split *ret_split,
                 struct error *err);
    void (*free)(struct net *net);
    struct net_facts (*facts)(const struct net *net);
    void (*names)(const struct net *net, net_visit visit, void *user);
    struct parameters *(*parameters)(struct net *net, struct error *err);
    float (*logit)(const struct net *net, long image, long class);
    void (*running)(const struct net *net, int index, const float **ret_mean,
                    const float **ret_variance);
};

struct net {
    const struct net_functions *functions;
};

/* One step of training; *ret_loss is the mean loss before the update, over the images of all
 * ranks. The nanoseconds of the split add up to the step. */
MUST_USE static inline bool net_step(struct net *net, double *ret_loss,
                                     struct step_split *ret_split, struct error *err)
{
    return net->functions->step(net, ret_loss, ret_split, err);
}

/* NULL is fine. */
static inline void net_free(struct net *net)
{
    if (net)
        net->functions->free(net);
}

static inline struct net_facts net_facts(const struct net *net)
{
    return net->functions->facts(net);
}

/* Calls `visit` for each operation of each convolution. */
static inline void net_names(const struct net *net, net_visit visit, void *user)
{
    net->functions->names(net, visit, user);
}

/* What a step has left behind, for a caller that checks it; gradients only with keep_gradients.
 * They stay the net's. NULL with the reason when they cannot be brought into the plain layout. */
static inline struct parameters *net_parameters(struct net *net, struct error *err)
{
    return net->functions->parameters(net, err);
}

/* Of an image of this rank, with its bias. */
static inline float net_logit(const struct net *net, long image, long class)
{
    return net->functions->logit(net, image, class);
}

/* Running statistics of the batch-norm of layer `index`, (channels) each; NULL pointers for a
 * layer without. */
static inline void net_running(const struct net *net, int index, const float **ret_mean,
                               const float **ret_variance)
{
    net->functions->running(net, index, ret_mean, ret_variance);
}
