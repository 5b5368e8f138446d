/* A convolution whose shortcut lies in another order than its output: no network of ours has one
 * with the libraries of today, but a library may choose so. */
#include "engine/train/plain/layer_conv.h"

#include "engine/train/plain/layer_memory.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

#include <math.h>

#define BATCH 2

static struct dnn_images shape_of(int channels, int size, enum dnn_order order)
{
    return (struct dnn_images){.batch = BATCH,
                               .channels = channels,
                               .height = size,
                               .width = size,
                               .type = DNN_F32,
                               .order = order};
}

static void take_memory(struct tensor *tensor)
{
    tensor->value = layer_memory(tensor_bytes(tensor), NULL);
    tensor->gradient = layer_memory(tensor_bytes(tensor), NULL);
}

static void give_back(struct tensor *tensor)
{
    free(tensor->value);
    free(tensor->gradient);
}

/* Where number `i` of NCHW images stands in NHWC ones. */
static long place_of(long i, const struct dnn_images *shape)
{
    long pixels = shape->height * shape->width, image = i / (pixels * shape->channels);
    long channel = i / pixels % shape->channels;

    return (image * pixels + i % pixels) * shape->channels + channel;
}

/* The layer with the first shortcut, forward and back; its output, and the gradient that the
 * shortcut is given, in NCHW. */
static void run(enum dnn_order order, float *ret_output, float *ret_gradient)
{
    static struct parameters parameters;
    struct layer_context context = {
        .dnn = dnn_open(1, NULL), .parameters = &parameters, .layout = NET_NCHW};
    struct layer_state state = {.needs_input_gradient = true};
    struct tensor input = {0}, shortcut = {0}, output = {0};
    struct network network;
    struct error err = {0};
    const struct layer *layer;
    long count;

    small_network(&network);
    for (layer = network.layers; layer->adds < 0;)
        layer++;
    EXPECT(parameters_make(&parameters, &network, 1, &err));
    context.rooms.dnn = context.dnn;
    input.shape = shape_of(layer->in_channels, layer->in_size, DNN_NCHW);
    shortcut.shape = shape_of(layer->out_channels, layer->out_size, order);
    output.shape = shape_of(layer->out_channels, layer->out_size, DNN_NCHW);
    state.layer = layer;
    state.input = &input;
    state.shortcut = &shortcut;
    state.output = &output;
    take_memory(&input);
    take_memory(&shortcut);
    take_memory(&output);
    EXPECT(layer_conv_make(&state, &context, &err));
    for (int i = 0; i < REORDER_ROOMS; i++)
        context.rooms.memory[i] = layer_memory(context.rooms.bytes[i], NULL);
    count = (long)(tensor_bytes(&output) / sizeof(float));
    for (long i = 0; i < (long)(tensor_bytes(&input) / sizeof(float)); i++)
        ((float *)input.value)[i] = sinf((float)i);
    for (long i = 0; i < count; i++) {
        long at = order == DNN_NHWC ? place_of(i, &shortcut.shape) : i;

        ((float *)shortcut.value)[at] = cosf((float)i);
        ((float *)output.gradient)[i] = sinf((float)(3 * i));
    }
    EXPECT(state.functions->load(&state, &err) && state.functions->forward(&state, &err) &&
           state.functions->backward(&state, &err));
    EXPECT_STR(err.message, "");
    for (long i = 0; i < count; i++) {
        long at = order == DNN_NHWC ? place_of(i, &shortcut.shape) : i;

        ret_output[i] = ((float *)output.value)[i];
        ret_gradient[i] = ((float *)shortcut.gradient)[at];
    }
    state.functions->release(&state);
    for (int i = 0; i < REORDER_ROOMS; i++)
        free(context.rooms.memory[i]);
    give_back(&input);
    give_back(&shortcut);
    give_back(&output);
    parameters_free(&parameters);
    dnn_close(context.dnn);
}

TEST(a_shortcut_in_another_order_counts_the_same)
{
    static float outputs[2][BATCH * 64 * SMALL_IMAGE * SMALL_IMAGE];
    static float gradients[2][BATCH * 64 * SMALL_IMAGE * SMALL_IMAGE];
    double size = 0;

    run(DNN_NCHW, outputs[0], gradients[0]);
    run(DNN_NHWC, outputs[1], gradients[1]);
    EXPECT_INT(memcmp(outputs[0], outputs[1], sizeof outputs[0]), 0);
    EXPECT_INT(memcmp(gradients[0], gradients[1], sizeof gradients[0]), 0);
    for (size_t i = 0; i < COUNT(gradients[0]); i++)
        size += fabs((double)gradients[0][i]);
    EXPECT(size > 1);
}
