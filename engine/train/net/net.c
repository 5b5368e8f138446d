#include "engine/train/net/net.h"

#include "common/cleanup.h"

enum net_plan net_plan_from_name(const char *name)
{
    if (strcmp(name, "plain") == 0)
        return NET_PLAIN;
    return strcmp(name, "fixed") == 0 ? NET_FIXED : NET_AUTO;
}

static const char *const layouts[] = {
    [NET_NHWC] = "nhwc", [NET_NCHW] = "nchw", [NET_BLOCKED] = "blocked"};

enum net_layout net_layout_from_name(const char *name)
{
    for (size_t i = 0; i < COUNT(layouts); i++)
        if (strcmp(name, layouts[i]) == 0)
            return (enum net_layout)i;
    return NET_NHWC;
}

/* 0 where the last cache could hold what is kept. */
static long long step_bytes(long long kept, long long parameters)
{
    long l1d, l2, l3;

    cpu_caches(&l1d, &l2, &l3);
    return l3 > 0 && kept > l3 ? 2 * (kept + parameters * (long long)sizeof(float)) : 0;
}

struct net_facts net_facts_of(const struct network *network, const struct net_options *options)
{
    const long long parameters = network_parameters(network);
    const long long kept =
        network_kept_numbers(network) * options->batch * (long long)dnn_type_size(options->type);

    return (struct net_facts){.layout = layouts[options->layout],
                              .parameters = parameters,
                              .multiply_adds = network_multiply_adds(network),
                              .backward_multiply_adds =
                                  network_backward_weights_multiply_adds(network) +
                                  network_backward_data_multiply_adds(network),
                              .step_bytes = step_bytes(kept, parameters)};
}
