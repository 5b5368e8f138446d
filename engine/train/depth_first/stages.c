#include "engine/train/depth_first/stages.h"

#include "common/cleanup.h"

/* Whether `layer` is a batch-norm's output that is only ever added. */
static bool is_projection(const struct network *network, int layer)
{
    return network->layers[layer].kind == LAYER_CONV && !network->layers[layer].relu;
}

/* The activation that is layer `layer`'s output; -1 if there is none yet. */
static int stages_find(const struct stages *stages, int layer)
{
    for (int i = 0; i < stages->activation_count; i++)
        if (stages->activations[i].pool == layer ||
            (stages->activations[i].pool < 0 && stages->activations[i].conv == layer))
            return i;
    return -1;
}

static bool stages_refuse(const struct network *network, int layer, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "layer %d (%s) does not fit into stages", layer,
                     network->layers[layer].name);
}

/* Adds the activation that layer `index`, with a ReLU, gives. */
static bool add_activation(const struct network *network, int index, struct stages *stages,
                           struct error *err)
{
    const struct layer *layer = &network->layers[index];
    int place = stages->activation_count++;
    struct activation *activation = &stages->activations[place];

    *activation = (struct activation){index, -1, -1, -1, -1, layer->adds >= 0, false};
    if (layer->adds < 0)
        return true;
    if (is_projection(network, layer->adds)) {
        activation->adds_conv = layer->adds;
        return true;
    }
    activation->adds = stages_find(stages, layer->adds);
    if (activation->adds < 0 || stages->activations[activation->adds].added_to >= 0)
        return stages_refuse(network, index, err);
    stages->activations[activation->adds].added_to = place;
    return true;
}

/* Puts convolution `index` into the stage that reads what it reads. */
static bool add_conv(const struct network *network, int index, struct stages *stages,
                     struct error *err)
{
    int input = network->layers[index].input;
    int reads = input < 0 ? -1 : stages_find(stages, input);
    struct stage *stage = NULL;

    if (input >= 0 && reads < 0)
        return stages_refuse(network, index, err);
    for (int i = 0; i < stages->count; i++)
        if (stages->list[i].reads == reads)
            stage = &stages->list[i];
    if (!stage) {
        stage = &stages->list[stages->count++];
        *stage = (struct stage){.reads = reads};
    }
    if (stage->count == (int)COUNT(stage->convs))
        return stages_refuse(network, index, err);
    stage->convs[stage->count++] = index;
    return !network->layers[index].relu || add_activation(network, index, stages, err);
}

static bool add_pool(const struct network *network, int index, struct stages *stages,
                     struct error *err)
{
    int behind = stages_find(stages, network->layers[index].input);

    if (behind < 0 || stages->activations[behind].adds >= 0)
        return stages_refuse(network, index, err);
    stages->activations[behind].pool = index;
    stages->activations[behind].kept = true;
    return true;
}

bool stages_of(const struct network *network, struct stages *ret_stages, struct error *err)
{
    *ret_stages = (struct stages){.last = -1, .linear = -1};
    for (int i = 0; i < network->count; i++) {
        const struct layer *layer = &network->layers[i];

        if (layer->kind == LAYER_CONV && !add_conv(network, i, ret_stages, err))
            return false;
        if (layer->kind == LAYER_MAX_POOL && !add_pool(network, i, ret_stages, err))
            return false;
        if (layer->kind == LAYER_MEAN_POOL)
            ret_stages->last = stages_find(ret_stages, layer->input);
        if (layer->kind == LAYER_LINEAR)
            ret_stages->linear = i;
    }
    if (ret_stages->last < 0 || ret_stages->linear < 0 ||
        !ret_stages->activations[ret_stages->last].kept)
        return stages_refuse(network, network->count - 1, err);
    return true;
}

/* A row ends where one is kept, or where a projection is added. The last activation's gradient
 * takes its place at once, so that nothing would be gained. */
void stages_make_again(struct stages *stages, int longest)
{
    int row[LAYERS_MAX]; /* (activations): how many are made until it is there; 0: it is kept */

    for (int i = 0; i < stages->activation_count; i++) {
        struct activation *activation = &stages->activations[i];

        row[i] = activation->adds >= 0 ? row[activation->adds] + 1 : 1;
        activation->again =
            activation->kept && activation->pool < 0 && i != stages->last && row[i] <= longest;
        if (!activation->again)
            row[i] = 0;
    }
}

int stages_behind(const struct stages *stages, int conv)
{
    int i = 0;

    while (stages->activations[i].conv != conv && stages->activations[i].adds_conv != conv)
        i++;
    return i;
}
