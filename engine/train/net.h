/* A network with memory and operations: what trains. */
#pragma once

#include "engine/train/dnn.h"
#include "engine/train/network.h"
#include "engine/train/parameters.h"

struct net;

struct net_options {
    long batch;
    enum dnn_type type;
    unsigned long long seed;
    struct sgd sgd;
};

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

/* What a step has left behind, for whoever wants to check it. */
struct parameters *net_parameters(struct net *net);
float net_logit(const struct net *net, long image, long class);

/* Running statistics of layer `index`, by its batch-norm's name; NULL pointers for layers
 * without. */
void net_running(const struct net *net, int index, const float **ret_mean,
                 const float **ret_variance);

/* Calls `tell` for each operation of each convolution. */
void net_names(const struct net *net,
               void (*tell)(void *user, const char *pass, const char *name), void *user);
