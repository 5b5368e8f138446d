#include "engine/train/networks/network.h"

static long long network_weights(const struct layer *layer)
{
    if (layer->kind != LAYER_CONV && layer->kind != LAYER_LINEAR)
        return 0;
    return (long long)layer->in_channels * layer->out_channels * layer->kernel * layer->kernel;
}

long long network_parameters(const struct network *network)
{
    long long sum = 0;

    for (int i = 0; i < network->count; i++) {
        const struct layer *layer = &network->layers[i];

        sum += network_weights(layer);
        if (layer->kind == LAYER_CONV)
            sum += 2LL * layer->out_channels;
        if (layer->kind == LAYER_LINEAR)
            sum += layer->out_channels;
    }
    return sum;
}

static long long multiply_adds(const struct layer *layer)
{
    return network_weights(layer) * layer->out_size * layer->out_size;
}

long long network_multiply_adds(const struct network *network)
{
    long long sum = 0;

    for (int i = 0; i < network->count; i++)
        sum += multiply_adds(&network->layers[i]);
    return sum;
}

long long network_backward_weights_multiply_adds(const struct network *network)
{
    return network_multiply_adds(network); /* each product of a weight goes back to it */
}

long long network_backward_data_multiply_adds(const struct network *network)
{
    long long sum = 0;

    for (int i = 0; i < network->count; i++)
        if (network->layers[i].input >= 0)
            sum += multiply_adds(&network->layers[i]);
    return sum;
}

long long network_kept_numbers(const struct network *network)
{
    long long sum = 0;

    for (int i = 0; i < network->count; i++) {
        const struct layer *layer = &network->layers[i];

        if (layer->kind == LAYER_CONV)
            sum += (long long)layer->out_channels * layer->out_size * layer->out_size;
    }
    return sum;
}
