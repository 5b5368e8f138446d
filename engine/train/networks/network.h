/* A network as data: what is computed from what, with no math library in sight. */
#pragma once

#include <stdbool.h>

enum layer_kind {
    LAYER_CONV,      /* convolution, batch-norm, then `adds` and ReLU where asked for */
    LAYER_MAX_POOL,  /* 3x3, stride 2 */
    LAYER_MEAN_POOL, /* over the whole image */
    LAYER_LINEAR,    /* with a bias */
};

#define LAYER_NAME_MAX 56
#define LAYERS_MAX 64

struct layer {
    enum layer_kind kind;
    char name[LAYER_NAME_MAX]; /* torchvision's, of the convolution: "layer1.0.conv1" */
    char norm[LAYER_NAME_MAX]; /* and of its batch-norm: "layer1.0.bn1" */
    int input;                 /* the layer it reads, or -1: the images */
    int adds;                  /* the layer whose output is added after the batch-norm, or -1 */
    bool relu;
    int in_channels, out_channels;
    int kernel, stride, padding;
    int in_size, out_size; /* images are square */
};

/* Runnable in the order of the list. */
struct network {
    int count;
    struct layer layers[LAYERS_MAX];
};

/* Numbers to train, batch-norm's scale and shift included. */
long long network_parameters(const struct network *network);

/* Of one image forward, as the literature counts them: convolutions and linear layers. */
long long network_multiply_adds(const struct network *network);

/* The same of one image backward: the gradients of weights, and the gradients of what
 * layers read. Images need none. As the definition counts them: a way to compute that takes fewer
 * (Winograd's) changes nothing here. */
long long network_backward_weights_multiply_adds(const struct network *network);
long long network_backward_data_multiply_adds(const struct network *network);

/* Outputs of the convolutions for one image: what every training has to keep from the way forward
 * to the way back, whichever way it computes. */
long long network_kept_numbers(const struct network *network);
