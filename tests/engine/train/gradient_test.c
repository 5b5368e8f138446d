/* Every kind of operation: its gradient against the difference that a small change of its input
 * makes. The objective is a fixed random weighting of the output, so that every output counts. */
#include "engine/train/depth_first/filter.h"
#include "engine/train/depth_first/norm.h"
#include "engine/train/kernels/loss.h"

#include "common/cleanup.h"
#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>

#define MOST 8192

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* values + share * direction -> result. */
static void move(const float *values, const float *direction, float share, size_t count,
                 float *result)
{
    for (size_t i = 0; i < count; i++)
        result[i] = values[i] + share * direction[i];
}

/* An operation from `inputs` numbers to `outputs` numbers. */
struct function {
    void (*run)(void *user, const float *input, float *output);
    void *user;
    size_t inputs, outputs;
    float step; /* how far the input is moved; linear functions bear much */
};

/* The slope of the objective along a random direction, by difference and by gradient. */
static void expect_slope(const struct function *f, const float *at, const float *weights,
                         const float *gradient)
{
    static float direction[MOST], moved[MOST], output[MOST];
    double up, down, slope, size;

    fill(direction, f->inputs);
    move(at, direction, f->step, f->inputs, moved);
    f->run(f->user, moved, output);
    up = dot(weights, output, f->outputs);
    move(at, direction, -f->step, f->inputs, moved);
    f->run(f->user, moved, output);
    down = dot(weights, output, f->outputs);
    slope = dot(gradient, direction, f->inputs);
    size = sqrt(dot(gradient, gradient, f->inputs));
    EXPECT_NEAR((up - down) / (2 * (double)f->step), slope, 0.005 * size + 1e-6);
    EXPECT(size > 0);
}

/* A convolution with everything it needs. */
struct conv_case {
    struct layer layer;
    struct dnn *dnn;
    struct parameters parameters;
    struct filter *filter;
    long images;
    size_t inputs, outputs, weights;
    float input[MOST], output[MOST], seed[MOST], input_gradient[MOST];
};

static void conv_open(struct conv_case *c, const struct layer *layer, long images, long parts)
{
    struct network network = {.count = 1};
    struct filter_context context = {.keep_gradients = true};
    struct filter_shape shape = {.type = DNN_F32, .parts = parts, .count_kinds = 1};

    c->layer = *layer;
    c->images = images;
    c->inputs = (size_t)(images * layer->in_size * layer->in_size * layer->in_channels);
    c->outputs = (size_t)(images * layer->out_size * layer->out_size * layer->out_channels);
    network.layers[0] = *layer;
    EXPECT(parameters_make(&c->parameters, &network, 5, NULL));
    c->weights = c->parameters.list[0].count;
    EXPECT(c->inputs <= MOST && c->outputs <= MOST && c->weights <= MOST);
    context.parameters = &c->parameters;
    context.passes = passes_for(cpu_probe(), DNN_F32);
    context.dnn = c->dnn = dnn_open(1, NULL);
    shape.layer = &c->layer;
    shape.counts[0] = images * parts;
    c->filter = filter_new(&context, &shape, NULL);
    EXPECT(c->filter != NULL);
    fill(c->input, c->inputs);
    fill(c->seed, c->outputs);
}

static void conv_close(struct conv_case *c)
{
    filter_free(c->filter);
    dnn_close(c->dnn);
    parameters_free(&c->parameters);
}

static void convolve(void *user, const float *input, float *output)
{
    struct conv_case *c = user;
    const struct filter_call call = {0, c->images, NULL, false};

    memcpy(c->input_gradient, input, c->inputs * sizeof *input);
    EXPECT(filter_forward(c->filter, &call, c->input_gradient, output, NULL));
}

/* The convolution as a function of its weights, by a filter made anew. */
static void convolve_with(void *user, const float *weights, float *output)
{
    struct conv_case *c = user;
    struct filter_context context = {
        .parameters = &c->parameters, .dnn = c->dnn, .passes = passes_for(cpu_probe(), DNN_F32)};
    struct filter_shape shape = {
        .layer = &c->layer, .type = DNN_F32, .parts = 1, .count_kinds = 1, .counts = {c->images}};
    const struct filter_call call = {0, c->images, NULL, false};
    struct filter *filter;

    memcpy(c->parameters.list[0].value, weights, c->weights * sizeof *weights);
    filter = filter_new(&context, &shape, NULL);
    EXPECT(filter_forward(filter, &call, c->input, output, NULL));
    filter_free(filter);
}

/* The gradient of the weights, brought into OIHW by an update that changes nothing. */
static const float *weight_gradient(struct conv_case *c)
{
    static float sum[2 * MOST];
    AUTO(freep) char *scratch = malloc(filter_scratch(c->filter));
    const struct filter_call call = {0, c->images, scratch, false};
    const struct filter_gradient work = {c->input, c->seed, sum, true, 0, 1};
    const struct sgd nothing = {0};
    float *const copies[] = {sum};
    const struct filter_update update = {copies, 1, 0, 1, &nothing};

    EXPECT(filter_backward_weights(c->filter, &call, &work, NULL));
    filter_learn(c->filter, &update);
    EXPECT(filter_show(c->filter, NULL));
    return c->parameters.list[0].gradient;
}

static void check_convolution(const struct layer *layer)
{
    static struct conv_case c;
    static float at[MOST], gradient[MOST];
    const struct filter_call call = {0, 2, NULL, false};
    struct function of_input = {convolve, &c, 0, 0, 0.5f};
    struct function of_weights = {convolve_with, &c, 0, 0, 0.5f};

    conv_open(&c, layer, 2, 1);
    of_input.inputs = c.inputs;
    of_weights.inputs = c.weights;
    of_input.outputs = of_weights.outputs = c.outputs;
    EXPECT(filter_backward_data(c.filter, &call, c.seed, gradient, NULL));
    expect_slope(&of_input, c.input, c.seed, gradient);
    memcpy(gradient, weight_gradient(&c), c.weights * sizeof *gradient);
    memcpy(at, c.parameters.list[0].value, c.weights * sizeof *at);
    expect_slope(&of_weights, at, c.seed, gradient);
    conv_close(&c);
}

TEST(convolutions_have_the_gradients_of_their_input_and_weights)
{
    static const struct {
        int in, out, kernel, stride, size;
    } shapes[] = {{16, 32, 1, 1, 5}, {16, 16, 3, 1, 6}, {16, 16, 3, 2, 7},
                  {16, 16, 3, 2, 8}, {3, 16, 7, 2, 12}, {32, 24, 1, 1, 1}};

    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct layer layer = {.kind = LAYER_CONV,
                                    .name = "conv",
                                    .norm = "norm",
                                    .in_channels = shapes[i].in,
                                    .out_channels = shapes[i].out,
                                    .kernel = shapes[i].kernel,
                                    .stride = shapes[i].stride,
                                    .padding = (shapes[i].kernel - 1) / 2,
                                    .in_size = shapes[i].size,
                                    .out_size = (shapes[i].size + shapes[i].stride - 1) /
                                                shapes[i].stride};

        check_convolution(&layer);
    }
}

#define PIXELS 40
#define CHANNELS 16
#define NUMBERS (PIXELS * CHANNELS)

/* A batch-norm with a ReLU, worked by two threads' lanes in turn. */
struct norm_case {
    struct parameter scale, shift;
    float parameters[4][CHANNELS];
    struct norm *norm;
    const struct passes *passes;
};

static void norm_open(struct norm_case *c)
{
    const struct norm_shape shape = {CHANNELS, PIXELS, 2};

    *c = (struct norm_case){.passes = passes_for(cpu_probe(), DNN_F32)};
    c->scale = (struct parameter){
        .count = CHANNELS, .value = c->parameters[0], .gradient = c->parameters[1]};
    c->shift = (struct parameter){
        .count = CHANNELS, .value = c->parameters[2], .gradient = c->parameters[3]};
    fill(c->parameters[0], CHANNELS);
    fill(c->parameters[2], CHANNELS);
    c->norm = norm_new(&shape, &c->scale, &c->shift, NULL);
}

static const struct rows half = {PIXELS / 2, CHANNELS};

static void normalise(void *user, const float *input, float *output)
{
    struct norm_case *c = user;

    for (int lane = 0; lane < 2; lane++) {
        norm_start_forward(c->norm, lane);
        c->passes->statistics(input + lane * NUMBERS / 2, half, norm_at(c->norm, lane)->sums);
    }
    for (int lane = 0; lane < 2; lane++) {
        norm_finish_forward(c->norm, lane);
        c->passes->activate(input + lane * NUMBERS / 2, norm_at(c->norm, lane)->affine, half,
                            output + lane * NUMBERS / 2);
    }
}

static void normalise_back(struct norm_case *c, const float *input, const float *output,
                           const float *seed, float *ret)
{
    static float masked[NUMBERS];

    for (int lane = 0; lane < 2; lane++) {
        size_t at = (size_t)lane * NUMBERS / 2;
        const struct norm_lane *own = norm_at(c->norm, lane);
        const struct pass_mask mask = {.gradient = seed + at,
                                       .active = output + at,
                                       .result = masked + at,
                                       .values = input + at,
                                       .mean = own->mean};

        norm_start_backward(c->norm, lane);
        c->passes->mask(&mask, half, own->backward_sums);
    }
    for (int lane = 0; lane < 2; lane++) {
        size_t at = (size_t)lane * NUMBERS / 2;
        const struct norm_lane *own = norm_at(c->norm, lane);
        const struct pass_batchnorm_backward work = {masked + at, input + at, own->affine,
                                                     own->slope,  own->mean,  own->offset};

        norm_finish_backward(c->norm, c->norm, lane);
        c->passes->batchnorm_backward(&work, half, ret + at);
    }
}

/* As a function of scale and shift. */
struct scaled {
    struct norm_case *norm;
    const float *input;
};

static void normalise_with(void *user, const float *parameters, float *output)
{
    const struct scaled *scaled = user;

    memcpy(scaled->norm->scale.value, parameters, CHANNELS * sizeof(float));
    memcpy(scaled->norm->shift.value, parameters + CHANNELS, CHANNELS * sizeof(float));
    normalise(scaled->norm, scaled->input, output);
}

TEST(a_batch_norm_has_the_gradients_of_input_scale_and_shift)
{
    static float input[NUMBERS], output[NUMBERS], seed[NUMBERS], gradient[NUMBERS];
    float parameters[2 * CHANNELS], slopes[2 * CHANNELS];
    struct norm_case c;
    struct scaled scaled = {&c, input};
    const struct function of_input = {normalise, &c, NUMBERS, NUMBERS, 1e-4f};
    const struct function of_parameters = {normalise_with, &scaled, 2 * CHANNELS, NUMBERS, 1e-4f};

    norm_open(&c);
    fill(input, NUMBERS);
    fill(seed, NUMBERS);
    normalise(&c, input, output);
    normalise_back(&c, input, output, seed, gradient);
    memcpy(parameters, c.scale.value, CHANNELS * sizeof(float));
    memcpy(parameters + CHANNELS, c.shift.value, CHANNELS * sizeof(float));
    memcpy(slopes, c.scale.gradient, CHANNELS * sizeof(float));
    memcpy(slopes + CHANNELS, c.shift.gradient, CHANNELS * sizeof(float));
    expect_slope(&of_input, input, seed, gradient);
    expect_slope(&of_parameters, parameters, seed, slopes);
    norm_free(c.norm);
}

TEST(a_batch_norm_keeps_running_statistics_as_pytorch_does)
{
    static float input[NUMBERS], output[NUMBERS];
    struct norm_case c;
    double mean = 0, square = 0;

    norm_open(&c);
    fill(input, NUMBERS);
    normalise(&c, input, output);
    for (int p = 0; p < PIXELS; p++) {
        mean += (double)input[p * CHANNELS] / PIXELS;
        square += (double)input[p * CHANNELS] * (double)input[p * CHANNELS] / PIXELS;
    }
    EXPECT_NEAR((double)norm_running_mean(c.norm)[0], 0.1 * mean, 1e-6);
    EXPECT_NEAR((double)norm_running_variance(c.norm)[0],
                0.9 + 0.1 * (square - mean * mean) * PIXELS / (PIXELS - 1), 1e-6);
    norm_free(c.norm);
}

TEST(a_channel_of_equal_values_is_normalised_to_its_shift)
{
    static float input[NUMBERS], output[NUMBERS];
    struct norm_case c;

    norm_open(&c);
    for (int i = 0; i < NUMBERS; i++)
        input[i] = 3;
    normalise(&c, input, output);
    for (int i = 0; i < NUMBERS; i++)
        EXPECT_NEAR((double)output[i], fmax(0, (double)c.shift.value[i % CHANNELS]), 1e-3);
    norm_free(c.norm);
}

static void softmax_loss(void *user, const float *logits, float *output)
{
    float row[CHANNELS];

    (void)user;
    memcpy(row, logits, sizeof row);
    *output = (float)loss_cross_entropy(row, CHANNELS, 3, 1);
}

TEST(the_loss_has_the_gradient_of_its_logits)
{
    const struct function f = {softmax_loss, NULL, CHANNELS, 1, 1e-2f};
    float logits[CHANNELS], gradient[CHANNELS], one = 1;

    fill(logits, CHANNELS);
    memcpy(gradient, logits, sizeof gradient);
    loss_cross_entropy(gradient, CHANNELS, 3, 1);
    expect_slope(&f, logits, &one, gradient);
}

#define IMAGE 8

static void pool(void *user, const float *input, float *output)
{
    static float affine[2 * CHANNELS];
    static uint8_t chosen[IMAGE * IMAGE / 4 * CHANNELS];
    struct pass_pool *pool = user;

    for (int c = 0; c < CHANNELS; c++)
        affine[c] = 1;
    pool->size = IMAGE;
    pool->channels = CHANNELS;
    pool->values = input;
    pool->affine = affine;
    pool->mean = affine + CHANNELS;
    pool->chosen = chosen;
    passes_for(cpu_probe(), DNN_F32)->pool(pool, output);
}

TEST(the_maximum_pool_has_the_gradient_of_its_input)
{
    static float input[IMAGE * IMAGE * CHANNELS], output[COUNT(input) / 4];
    static float seed[COUNT(output)], gradient[COUNT(input)];
    double sums[2 * CHANNELS] = {0};
    struct pass_pool of;
    const struct function f = {pool, &of, COUNT(input), COUNT(output), 1e-4f};

    fill(input, COUNT(input));
    fill(seed, COUNT(seed));
    pool(&of, input, output);
    passes_for(cpu_probe(), DNN_F32)->unpool(&of, seed, gradient, sums);
    expect_slope(&f, input, seed, gradient);
}
