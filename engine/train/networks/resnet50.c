#include "engine/train/networks/resnet50.h"

#include <stdio.h>

static const struct resnet_shape resnet50 = {.image = RESNET50_IMAGE,
                                             .classes = RESNET50_CLASSES,
                                             .stem_channels = 64,
                                             .stage_count = 4,
                                             .stages = {
                                                 {3, 64, 256, 1},   /* layer1, 56 x 56 */
                                                 {4, 128, 512, 2},  /* layer2, 28 x 28 */
                                                 {6, 256, 1024, 2}, /* layer3, 14 x 14 */
                                                 {3, 512, 2048, 2}, /* layer4,  7 x  7 */
                                             }};

/* Adds a layer that reads `input`, and returns its index. */
static int resnet50_add(struct network *n, enum layer_kind kind, int input, int kernel,
                        int stride, int out_channels)
{
    struct layer *layer = &n->layers[n->count];

    layer->kind = kind;
    layer->input = input;
    layer->adds = -1;
    if (input >= 0) {
        layer->in_channels = n->layers[input].out_channels;
        layer->in_size = n->layers[input].out_size;
    }
    layer->out_channels = out_channels;
    layer->kernel = kernel;
    layer->stride = stride;
    layer->padding = (kernel - 1) / 2;
    layer->out_size = (layer->in_size + stride - 1) / stride;
    return n->count++;
}

/* Names a convolution and its batch-norm: "layer2.0." + "conv1" and "bn1". */
static void resnet50_name(struct layer *layer, const char *block, const char *conv,
                          const char *norm)
{
    snprintf(layer->name, sizeof layer->name, "%s%s", block, conv);
    snprintf(layer->norm, sizeof layer->norm, "%s%s", block, norm);
}

/* The projection of a block whose output has another shape than its input. */
static int add_projection(struct network *n, int input, int stride, int out_channels,
                          const char *block)
{
    int index = resnet50_add(n, LAYER_CONV, input, 1, stride, out_channels);

    resnet50_name(&n->layers[index], block, "downsample.0", "downsample.1");
    return index;
}

static int add_bottleneck(struct network *n, int input, const struct resnet_stage *s, int stride,
                          const char *block)
{
    bool same_shape = n->layers[input].out_channels == s->out_channels && stride == 1;
    int shortcut = same_shape ? input : add_projection(n, input, stride, s->out_channels, block);

    /* The stride sits on the 3x3, not on the first 1x1 as in the paper: published training
     * throughputs are measured on this "v1.5", and being comparable is our whole point. */
    int reduce = resnet50_add(n, LAYER_CONV, input, 1, 1, s->mid_channels);
    int middle = resnet50_add(n, LAYER_CONV, reduce, 3, stride, s->mid_channels);
    int expand = resnet50_add(n, LAYER_CONV, middle, 1, 1, s->out_channels);

    resnet50_name(&n->layers[reduce], block, "conv1", "bn1");
    resnet50_name(&n->layers[middle], block, "conv2", "bn2");
    resnet50_name(&n->layers[expand], block, "conv3", "bn3");
    for (int i = reduce; i <= expand; i++)
        n->layers[i].relu = true;
    n->layers[expand].adds = shortcut;
    return expand;
}

void resnet_describe(const struct resnet_shape *shape, struct network *ret_network)
{
    struct network *n = ret_network;
    int last;

    *n = (struct network){.layers[0] = {.in_channels = 3, .in_size = shape->image}};
    last = resnet50_add(n, LAYER_CONV, -1, 7, 2, shape->stem_channels);
    n->layers[last].relu = true;
    resnet50_name(&n->layers[last], "", "conv1", "bn1");
    last = resnet50_add(n, LAYER_MAX_POOL, last, 3, 2, shape->stem_channels);
    for (int i = 0; i < shape->stage_count; i++)
        for (int block = 0; block < shape->stages[i].blocks; block++) {
            const struct resnet_stage *stage = &shape->stages[i];
            char prefix[32];

            snprintf(prefix, sizeof prefix, "layer%d.%d.", i + 1, block);
            last = add_bottleneck(n, last, stage, block == 0 ? stage->stride : 1, prefix);
        }
    last = resnet50_add(n, LAYER_MEAN_POOL, last, n->layers[last].out_size,
                        n->layers[last].out_size, n->layers[last].out_channels);
    n->layers[last].padding = 0;
    last = resnet50_add(n, LAYER_LINEAR, last, 1, 1, shape->classes);
    snprintf(n->layers[last].name, sizeof n->layers[last].name, "fc");
}

void resnet50_describe(struct network *ret_network)
{
    resnet_describe(&resnet50, ret_network);
}
