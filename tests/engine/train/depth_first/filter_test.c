/* A filter against the definition of a convolution, in f64, for each chunk size: stored as f32,
 * as bf16 that is emulated, and both with our own kernels. */

#include "tests/engine/train/depth_first/filter_bench.h"
#include "tests/engine/train/shortage.h"
#include "tests/test.h"

static float output[MOST];
static _Alignas(64) unsigned char stored_input[4 * MOST], stored_gradient[4 * MOST],
    stored_output[4 * MOST];

/* `rounded`: the result was stored as bf16, so half a unit in its last place may be missing. */
static void compare(const struct bench *b, const float *got, size_t count, double times,
                    bool rounded, const char *what)
{
    const struct layer *l = &b->setting.layer;
    long wrong = 0;
    char text[200];

    for (size_t i = 0; i < count; i++) {
        double want = times * wanted[i];
        double tolerance = 1e-5 * times * magnitude[i] + 1e-6;

        tolerance += rounded ? fabs(want) / 256 : 0;
        wrong += !(fabs((double)got[i] - want) <= tolerance);
    }
    snprintf(text, sizeof text, "%s, %s, channels %d -> %d, kernel %d, stride %d, size %d: wrong",
             modes[b->setting.mode].name, what, l->in_channels, l->out_channels, l->kernel,
             l->stride, l->in_size);
    test_int(wrong, 0, __FILE__, __LINE__, text);
}

static void *scratch_of(const struct filter *filter)
{
    void *scratch;

    if (posix_memalign(&scratch, 64, filter_scratch(filter)) != 0)
        abort();
    memset(scratch, 0xff, filter_scratch(filter)); /* no numbers */
    return scratch;
}

static void check_data(struct bench *b, const struct filter_call *call)
{
    size_t ins = in_numbers(b, call->units), outs = out_numbers(b, call->units);
    bool rounded = modes[b->setting.mode].type == DNN_BF16;

    EXPECT(filter_forward(b->filter, call, stored_input, stored_output, NULL));
    b->passes->to_floats(stored_output, outs, output);
    define(b, call->units, to_output);
    compare(b, output, outs, 1, rounded, "forward");
    EXPECT(filter_backward_data(b->filter, call, stored_gradient, stored_output, NULL));
    b->passes->to_floats(stored_output, ins, output);
    define(b, call->units, to_input);
    compare(b, output, ins, 1, rounded, "backward to data");
}

/* Two slices where the filter has them; twice: written, then added. */
static void sum_gradient(struct bench *b, const struct filter_call *call, float *sum)
{
    int slices = filter_can_slice(b->filter) ? 2 : 1;

    EXPECT_INT(filter_can_slice(b->filter), b->by_hand);
    for (int round = 0; round < 2; round++)
        for (int slice = 0; slice < slices; slice++) {
            const struct filter_gradient work = {stored_input, stored_gradient, sum,
                                                 round == 0,   slice,           slices};

            EXPECT(filter_backward_weights(b->filter, call, &work, NULL));
        }
}

static void check_weights(struct bench *b, const struct filter_call *call)
{
    size_t count = filter_weights(b->filter);
    AUTO(freep) float *sum = malloc(count * sizeof *sum);
    float *const copies[] = {sum, sum}; /* of two threads */
    const struct sgd nothing = {0};

    memset(sum, 0xff, count * sizeof *sum);
    sum_gradient(b, call, sum);
    for (int part = 0; part < 3; part++) {
        const struct filter_update update = {copies, 2, part, 3, &nothing};

        filter_learn(b->filter, &update);
    }
    EXPECT(filter_show(b->filter, NULL));
    define(b, call->units, to_weights);
    compare(b, b->weight->gradient, b->weight->count, 4, false, "backward to weights");
}

static void check(const struct setting *setting)
{
    struct bench b;

    if (cpu_probe() < modes[setting->mode].needs ||
        (setting->mode == BY_HAND && !learns_by_hand(setting)))
        return;
    bench_open(&b, setting);
    make_and_pack(&b);
    memcpy(weights, b.weight->value, b.weight->count * sizeof *weights);
    store(&b, weights, b.weight->count, stored_output);
    for (int i = 0; i < 3 && setting->counts[i] > 0; i++) {
        AUTO(freep) void *scratch = scratch_of(b.filter);
        const struct filter_call call = {0, setting->counts[i], scratch, false};

        fill(input, in_numbers(&b, call.units));
        fill(gradient, out_numbers(&b, call.units));
        store(&b, input, in_numbers(&b, call.units), stored_input);
        store(&b, gradient, out_numbers(&b, call.units), stored_gradient);
        check_data(&b, &call);
        check_weights(&b, &call);
    }
    bench_close(&b);
}

TEST(every_chunk_size_agrees_with_the_definition)
{
    const struct layer layers[] = {
        layer_of(32, 64, 1, 1, 4), layer_of(32, 32, 3, 1, 5), layer_of(32, 64, 3, 2, 6),
        layer_of(32, 32, 3, 2, 5), layer_of(64, 32, 1, 1, 1), layer_of(3, 5, 3, 1, 4),
        layer_of(32, 24, 1, 1, 1), layer_of(16, 16, 3, 2, 7), layer_of(3, 16, 7, 2, 12)};

    for (size_t i = 0; i < COUNT(layers); i++)
        for (enum mode mode = F32; mode <= F32_BY_HAND; mode++) {
            const struct setting setting = {mode, layers[i], 1, {2, 1, 3}};

            check(&setting);
        }
}

TEST(parts_of_an_image_agree_with_the_definition)
{
    for (enum mode mode = F32; mode <= F32_BY_HAND; mode++) {
        const struct setting setting = {mode, layer_of(32, 64, 1, 1, 6), 3, {3, 1, 2}};

        check(&setting);
    }
}

static void check_step(enum mode mode)
{
    const struct setting setting = {mode, layer_of(32, 32, 1, 1, 3), 1, {1}};
    const struct sgd sgd = {.learning_rate = 0.5f};
    struct filter_call call = {0, 1, NULL, false};
    struct bench b;

    bench_open(&b, &setting);
    make_and_pack(&b);
    AUTO(freep) void *scratch = call.scratch = scratch_of(b.filter);
    size_t count = filter_weights(b.filter), outs = out_numbers(&b, 1);
    AUTO(freep) float *one = malloc(count * sizeof *one), *two = malloc(count * sizeof *two);
    float *const copies[] = {one, two};
    for (size_t i = 0; i < count; i++) {
        one[i] = 0.5f;
        two[i] = 0.25f;
    }
    for (int part = 0; part < 2; part++) {
        const struct filter_update update = {copies, 2, part, 2, &sgd};

        filter_learn(b.filter, &update);
    }
    for (size_t i = 0; i < b.weight->count; i++)
        weights[i] = b.weight->value[i] - 0.5f * 0.75f;
    fill(input, in_numbers(&b, 1));
    EXPECT(filter_load(b.filter, 0, 0, NULL) && filter_load(b.filter, 0, 1, NULL));
    pack(&b);
    EXPECT(filter_forward(b.filter, &call, input, output, NULL));
    define(&b, 1, to_output);
    compare(&b, output, outs, 1, false, "forward behind a step");
    fill(gradient, outs);
    EXPECT(filter_backward_data(b.filter, &call, gradient, output, NULL));
    define(&b, 1, to_input);
    compare(&b, output, in_numbers(&b, 1), 1, false, "backward behind a step");
    EXPECT(filter_show(b.filter, NULL));
    EXPECT(memcmp(b.weight->value, weights, b.weight->count * sizeof *weights) == 0);
    bench_close(&b);
}

TEST(a_step_changes_what_is_computed_once_it_is_loaded_and_packed)
{
    check_step(F32);
    check_step(F32_BY_HAND);
}

TEST(our_kernels_take_only_the_layers_that_they_can_compute)
{
    const struct layer fits = layer_of(32, 64, 3, 2, 7);
    const struct layer stem = layer_of(32, 64, 7, 2, 8);

    EXPECT(filter_can_by_hand(&fits, DNN_BF16, WGRAD_PORTABLE, CPU_BASE));
    EXPECT(!filter_can_by_hand(&fits, DNN_BF16, WGRAD_AMX, CPU_AVX512));
    EXPECT(!filter_can_by_hand(&fits, DNN_F32, WGRAD_AVX512_F32, CPU_AVX2));
    EXPECT(!filter_can_by_hand(&stem, DNN_BF16, WGRAD_PORTABLE, CPU_BASE));
}

/* What ends read and write, for one run. */
struct ends {
    float values[MOST], active[MOST], add[MOST], other_values[MOST], result[MOST];
    float affine[2 * CHANNELS], mean[CHANNELS], other_mean[CHANNELS];
    double sums[3 * CHANNELS];
};

static void run_end(struct bench *b, enum conv_direction direction, enum conv_end_kind kind,
                    struct ends *e)
{
    AUTO(freep) void *scratch = scratch_of(b->filter);
    const struct filter_call call = {0, b->setting.counts[0], scratch, false};
    const struct conv_end end = {kind,   e->result,       e->sums,   e->values, e->active,
                                 e->add, e->other_values, e->affine, e->mean,   e->other_mean};

    memset(e->sums, 0, sizeof e->sums);
    EXPECT(filter_run(b->filter, &call, direction, direction == CONV_FORWARD ? input : gradient,
                      &end, NULL));
}

static void fill_ends(struct ends *e)
{
    fill((float *)e, (sizeof *e - sizeof e->sums) / sizeof(float));
    for (size_t i = 0; i < MOST; i++) {
        float scaled = e->values[i] * e->affine[i % CHANNELS];

        scaled += e->affine[CHANNELS + i % CHANNELS];
        e->active[i] = scaled > 0 ? scaled : 0;
    }
}

/* Our kernels sum as Winograd's transform does, with an error of up to 1e-6 of the magnitudes of
 * a sum's products, here 12. */
#define ROUNDING 3e-5

TEST(the_library_and_our_kernels_end_alike)
{
    static struct ends ends[2];
    const struct setting settings[] = {
        {F32, layer_of(CHANNELS, CHANNELS, 3, 1, 5), 1, {2}},
        {F32_BY_HAND, layer_of(CHANNELS, CHANNELS, 3, 1, 5), 1, {2}}};

    for (enum conv_end_kind kind = CONV_PLAIN; kind <= CONV_OTHER; kind++) {
        enum conv_direction direction = kind <= CONV_SUMS ? CONV_FORWARD : CONV_BACKWARD_DATA;
        int sums = kind == CONV_OTHER ? 3 : kind == CONV_PLAIN ? 0 : 2;

        fill(input, MOST);
        fill(gradient, MOST);
        fill_ends(&ends[0]);
        ends[1] = ends[0];
        for (int i = 0; i < 2; i++) {
            struct bench b;

            bench_open(&b, &settings[i]);
            make_and_pack(&b);
            run_end(&b, direction, kind, &ends[i]);
            bench_close(&b);
        }
        for (size_t i = 0; i < 2 * 5 * 5 * CHANNELS; i++)
            EXPECT_NEAR((double)ends[1].result[i], (double)ends[0].result[i], ROUNDING);
        for (int i = 0; i < sums * CHANNELS; i++)
            EXPECT_NEAR(ends[1].sums[i], ends[0].sums[i], 1e-4);
    }
}

static const char *seen[3];

static void see(void *user, const char *layer, const char *pass, const char *name)
{
    int *count = user;

    (void)layer;
    (void)pass;
    seen[(*count)++] = name;
}

TEST(a_filter_names_what_computes_it)
{
    const struct setting setting = {F32_BY_HAND, layer_of(32, 32, 3, 2, 6), 1, {2}};
    struct bench b;
    int count = 0;

    bench_open(&b, &setting);
    make_and_pack(&b);
    filter_names(b.filter, see, &count);
    EXPECT_INT(count, 3);
    EXPECT_STR(seen[0], "conv_portable_f32");
    EXPECT_STR(seen[1], "conv_portable_f32");
    EXPECT(strcmp(seen[2], "conv_portable_f32") != 0); /* the library's */
    bench_close(&b);
}

TEST(a_shape_that_is_no_convolution_is_refused)
{
    struct setting setting = {F32, layer_of(16, 16, 3, 1, 5), 1, {1}};
    struct bench b;

    setting.layer.out_size = 0;
    bench_open(&b, &setting);
    EXPECT_ERROR_SAYS(make(&b, &err), ERROR_INTERNAL, "convolve such images");
    bench_close(&b);
}

static bool make_once(void *user, struct error *err)
{
    struct filter *filter = make(user, err);
    bool ok = filter != NULL;

    filter_free(filter);
    return ok;
}

TEST(every_shortage_of_memory_is_an_error)
{
    const struct setting setting = {F32, layer_of(16, 16, 3, 1, 5), 1, {2, 1}};
    struct bench b;

    bench_open(&b, &setting);
    survive_shortages(make_once, &b);
    bench_close(&b);
}
