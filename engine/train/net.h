/* A network with memory and operations: what trains. Two plans can be behind it: "plain", one
 * library call after another over the whole batch with all threads on each, and the depth-first
 * one of depth_first.h. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/networks/network.h"
#include "engine/train/networks/parameters.h"
#include "engine/train/onednn/dnn.h"

struct net;

enum net_plan {
    NET_AUTO,  /* depth-first, measured on this machine or known from an earlier measurement */
    NET_FIXED, /* depth-first, the same everywhere */
    NET_PLAIN,
};

/* How images lie between the operations of the plain plan; the depth-first one has its own way.
 */
enum net_layout {
    NET_NHWC,
    NET_NCHW,    /* as frameworks do it: reordered before and behind a convolution, if it wants */
    NET_BLOCKED, /* as convolutions want it, and kept so in between */
};

struct net_options {
    long batch;
    enum dnn_type type;
    unsigned long long seed;
    struct sgd sgd;
    int threads;
    enum cpu_isa isa; /* the most that may be used */
    enum net_plan plan;
    enum net_layout layout; /* only NET_PLAIN has others than the first */
    int group;           /* threads that share a sum of weight gradients; 0: as many as is good */
    int input_workers;   /* threads that make the next batch; 0: the step makes its own */
    bool keep_gradients; /* net_parameters() is to show them */
};

/* Of "auto", "fixed" and "plain". */
enum net_plan net_plan_from_name(const char *name);

/* Of "auto", "nhwc", "nchw" and "blocked". */
enum net_layout net_layout_from_name(const char *name);

/* Nanoseconds of one step by what they were spent on; they tile the step. */
struct net_times {
    long long input, forward, backward, update;
};

/* Memory is estimated before it is taken: a batch that cannot fit is refused with its need. */
struct net *net_new(const struct network *network, const struct net_options *options,
                    struct error *err) __attribute__((warn_unused_result));

/* One step of training; *ret_loss is the mean loss before the update. */
bool net_step(struct net *net, double *ret_loss, struct net_times *ret_times, struct error *err)
    __attribute__((warn_unused_result));

/* NULL is fine. */
void net_free(struct net *net);

/* What a step has left behind, for a caller that checks it; gradients only if they were to be
 * kept. NULL, and err saying why, when it cannot be brought into its plain layout. */
struct parameters *net_parameters(struct net *net, struct error *err);
float net_logit(const struct net *net, long image, long class);

/* Running statistics of layer `index`, by its batch-norm's name; NULL pointers for layers
 * without. */
void net_running(const struct net *net, int index, const float **ret_mean,
                 const float **ret_variance);

/* Calls `tell` for each operation of each convolution. */
typedef void (*net_tell)(void *user, const char *layer, const char *pass, const char *name);
void net_names(const struct net *net, net_tell tell, void *user);

/* What there is to know of a net before it has run. */
struct net_facts {
    const char *plan; /* "measured", "cached", "fixed" or "plain" */
    size_t memory;    /* bytes it has taken for activations and gradients; 0: not known */
    bool huge_pages;
    bool emulated; /* the processor does not know the number format */
};
struct net_facts net_facts(const struct net *net);

/* What a plan gives to net.c; `state` is its own. */
struct net_functions {
    bool (*step)(void *state, double *ret_loss, struct net_times *ret_times, struct error *err);
    void (*release)(void *state);
    bool (*show)(void *state, struct error *err); /* writes the parameters, where they are not */
    float (*logit)(const void *state, long image, long class);
    void (*running)(const void *state, int index, const float **ret_mean,
                    const float **ret_variance);
    void (*names)(const void *state, net_tell tell, void *user);
    struct net_facts (*facts)(const void *state);
};

struct net_part {
    const struct net_functions *functions;
    void *state;
};

/* Each makes its plan of a network whose parameters are there. What was made half-way stands in
 * *ret_part too, to be released. */
bool plain_new(const struct network *network, const struct net_options *options,
               struct parameters *parameters, struct net_part *ret_part, struct error *err)
    __attribute__((warn_unused_result));
bool depth_first_new(const struct network *network, const struct net_options *options,
                     struct parameters *parameters, struct net_part *ret_part, struct error *err)
    __attribute__((warn_unused_result));
