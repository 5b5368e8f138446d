/* A batch-norm: its gradient against the difference that a small change of its input makes. The
 * objective is a fixed random weighting of the output, so that every output counts. */
#include "engine/train/depth_first/norm.h"

#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>

#define PIXELS 40
#define CHANNELS 16
#define NUMBERS (PIXELS * CHANNELS)
#define STEP 1e-4f /* how far the input is moved */

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

/* An operation from so many numbers to NUMBERS. */
struct function {
    void (*run)(void *user, const float *input, float *output);
    void *user;
    size_t inputs;
};

/* The slope of the objective along a random direction, by difference and by gradient. */
static void expect_slope(const struct function *f, const float *at, const float *weights,
                         const float *gradient)
{
    static float direction[NUMBERS], moved[NUMBERS], output[NUMBERS];
    double up, down, slope, size;

    fill(direction, f->inputs);
    move(at, direction, STEP, f->inputs, moved);
    f->run(f->user, moved, output);
    up = dot(weights, output, NUMBERS);
    move(at, direction, -STEP, f->inputs, moved);
    f->run(f->user, moved, output);
    down = dot(weights, output, NUMBERS);
    slope = dot(gradient, direction, f->inputs);
    size = sqrt(dot(gradient, gradient, f->inputs));
    EXPECT_NEAR((up - down) / (2 * (double)STEP), slope, 0.005 * size + 1e-6);
    EXPECT(size > 0);
}

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
    const struct function of_input = {normalise, &c, NUMBERS};
    const struct function of_parameters = {normalise_with, &scaled, 2 * CHANNELS};

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
