#include "engine/train/net.h"

#include "common/cleanup.h"

struct net {
    struct parameters parameters;
    struct net_part part;
};

enum net_plan net_plan_from_name(const char *name)
{
    if (strcmp(name, "plain") == 0)
        return NET_PLAIN;
    return strcmp(name, "fixed") == 0 ? NET_FIXED : NET_AUTO;
}

enum net_layout net_layout_from_name(const char *name)
{
    if (strcmp(name, "nchw") == 0)
        return NET_NCHW;
    return strcmp(name, "blocked") == 0 ? NET_BLOCKED : NET_NHWC;
}

struct net *net_new(const struct network *network, const struct net_options *options,
                    struct error *err)
{
    struct net *net;
    bool ok;

    if (options->layout != NET_NHWC && options->plan != NET_PLAIN) {
        error_set(err, ERROR_INVALID, "layout", "nchw and blocked are layouts of the plain plan");
        return NULL;
    }
    net = calloc(1, sizeof *net);
    if (!net) {
        error_no_memory(err);
        return NULL;
    }
    ok = parameters_make(&net->parameters, network, options->seed, err) &&
         (options->plan == NET_PLAIN ? plain_new : depth_first_new)(
             network, options, &net->parameters, &net->part, err);
    if (!ok) {
        net_free(net);
        return NULL;
    }
    return net;
}

void net_free(struct net *net)
{
    if (!net)
        return;
    if (net->part.functions)
        net->part.functions->release(net->part.state);
    parameters_free(&net->parameters);
    free(net);
}

bool net_step(struct net *net, double *ret_loss, struct net_times *ret_times, struct error *err)
{
    return net->part.functions->step(net->part.state, ret_loss, ret_times, err);
}

struct parameters *net_parameters(struct net *net, struct error *err)
{
    return net->part.functions->show(net->part.state, err) ? &net->parameters : NULL;
}

float net_logit(const struct net *net, long image, long class)
{
    return net->part.functions->logit(net->part.state, image, class);
}

void net_running(const struct net *net, int index, const float **ret_mean,
                 const float **ret_variance)
{
    net->part.functions->running(net->part.state, index, ret_mean, ret_variance);
}

void net_names(const struct net *net, net_tell tell, void *user)
{
    net->part.functions->names(net->part.state, tell, user);
}

struct net_facts net_facts(const struct net *net)
{
    return net->part.functions->facts(net->part.state);
}
