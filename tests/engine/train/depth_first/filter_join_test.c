/* The step of a filter whose gradient ranks join: in two halves, and only where weights lie
 * alike. filter_test.c tests the rest of a filter. */
#include "engine/train/depth_first/filter.h"

#include "common/cleanup.h"
#include "tests/test.h"

#define MOST 20480 /* numbers of weights */
#define CHANNELS 32
#define PARTS 3

/* Whose operations: the library's, or ours where the processor has what they need. */
enum mode { LIBRARY, OURS, MODES };

struct bench {
    struct dnn *dnn;
    struct layer layer;
    struct parameters parameters;
    struct parameter *weight;
    struct filter *filter;
};

static void bench_open(struct bench *b, enum mode mode, int kernel)
{
    struct network network = {.count = 1};
    struct filter_context context = {.keep_gradients = true, .momentum = true};
    struct filter_shape shape = {.type = DNN_F32, .parts = 1, .count_kinds = 1, .counts = {1}};

    *b = (struct bench){.dnn = dnn_open(1, NULL)};
    b->layer = (struct layer){.kind = LAYER_CONV,
                              .name = "conv",
                              .norm = "norm",
                              .in_channels = CHANNELS,
                              .out_channels = 2 * CHANNELS,
                              .kernel = kernel,
                              .stride = 1,
                              .padding = (kernel - 1) / 2,
                              .in_size = 5,
                              .out_size = 5};
    network.layers[0] = b->layer;
    EXPECT(parameters_make(&b->parameters, &network, 5, NULL));
    b->weight = parameters_find(&b->parameters, "conv", "weight");
    context.dnn = b->dnn;
    context.passes = passes_for(cpu_probe(), DNN_F32);
    context.parameters = &b->parameters;
    shape.layer = &b->layer;
    if (mode == OURS)
        filter_choose(&shape, wgrad_fastest(DNN_F32, cpu_probe()), cpu_probe());
    b->filter = filter_new(&context, &shape, NULL);
    EXPECT(b->filter != NULL && b->weight->count <= MOST);
}

static void bench_close(struct bench *b)
{
    filter_free(b->filter);
    dnn_close(b->dnn);
    parameters_free(&b->parameters);
}

/* Weights and gradient behind two steps, which several parts take at once or in two halves. */
static void step_of(enum mode mode, int kernel, bool halves, float ret[2][MOST])
{
    const struct sgd sgd = {0.5f, 0.9f, 0.1f};
    struct bench b;
    size_t numbers;

    bench_open(&b, mode, kernel);
    size_t count = filter_weights(b.filter);
    AUTO(freep) float *one = malloc(count * sizeof *one), *two = malloc(count * sizeof *two);
    float *const copies[] = {one, two};
    for (size_t i = 0; i < count; i++) {
        one[i] = 1 / (float)(i + 3);
        two[i] = 1 / (float)(i % 7 + 2);
    }
    for (int half = 0; half < 4; half++)
        for (int part = 0; part < PARTS && (halves || half % 2); part++) {
            const struct filter_update update = {copies, 2, part, PARTS, &sgd};

            (!halves ? filter_learn : half % 2 ? filter_step : filter_sum)(b.filter, &update);
        }
    EXPECT(filter_gradient_at(b.filter, &numbers) && numbers >= b.weight->count);
    EXPECT(filter_show(b.filter, NULL));
    memcpy(ret[0], b.weight->value, b.weight->count * sizeof(float));
    memcpy(ret[1], b.weight->gradient, b.weight->count * sizeof(float));
    bench_close(&b);
}

TEST(a_step_in_two_halves_is_the_same_step)
{
    static float at_once[2][MOST], halves[2][MOST];

    for (int mode = LIBRARY; mode < MODES; mode++)
        for (int kernel = 1; kernel <= 3; kernel += 2) { /* ours of 3 is Winograd's */
            step_of((enum mode)mode, kernel, false, at_once);
            step_of((enum mode)mode, kernel, true, halves);
            EXPECT(memcmp(at_once, halves, sizeof halves) == 0);
        }
}

/* The second half takes the step with what stands there: what ranks have joined. */
TEST(the_step_is_taken_with_what_was_joined)
{
    const struct sgd sgd = {.learning_rate = 0.5f};
    const struct filter_update update = {.of = 1, .sgd = &sgd};
    static float before[MOST];
    struct bench b;
    size_t count;

    bench_open(&b, LIBRARY, 1);
    memcpy(before, b.weight->value, b.weight->count * sizeof(float));
    float *gradient = filter_gradient_at(b.filter, &count);
    for (size_t i = 0; i < count; i++)
        gradient[i] = 0.25f;
    filter_step(b.filter, &update);
    EXPECT(filter_show(b.filter, NULL));
    for (size_t i = 0; i < b.weight->count; i++)
        EXPECT_NEAR((double)b.weight->value[i], (double)before[i] - 0.125, 1e-6);
    bench_close(&b);
}

static uint64_t layout_of(enum mode mode, int kernel)
{
    uint64_t hash = 1;
    struct bench b;

    bench_open(&b, mode, kernel);
    EXPECT(filter_hash_layout(b.filter, &hash, NULL));
    bench_close(&b);
    return hash;
}

TEST(a_layout_has_a_hash_of_its_own)
{
    EXPECT(layout_of(LIBRARY, 1) == layout_of(LIBRARY, 1));
    EXPECT(layout_of(LIBRARY, 1) != layout_of(LIBRARY, 3));
    if (wgrad_fastest(DNN_F32, cpu_probe()) == WGRAD_PORTABLE)
        puts("       the library alone lays weights out here");
    else
        EXPECT(layout_of(LIBRARY, 1) != layout_of(OURS, 1));
}
