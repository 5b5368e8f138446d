/* The step of a filter whose gradient ranks join: in two halves, and only where weights lie
 * alike. filter_test.c tests the rest of a filter. */
#include "tests/engine/train/depth_first/filter_bench.h"
#include "tests/test.h"

#define PARTS 3

static void open_filter(struct bench *b, enum mode mode, int kernel)
{
    const struct setting setting = {mode, layer_of(CHANNELS, 2 * CHANNELS, kernel, 1, 5), 1, {1}};

    bench_open(b, &setting);
    make_and_pack(b);
}

/* Weights and gradient behind two steps, which several parts take at once or in two halves. */
static void step_of(enum mode mode, int kernel, bool halves, float ret[2][MOST])
{
    const struct sgd sgd = {0.5f, 0.9f, 0.1f};
    struct bench b;
    size_t numbers;

    open_filter(&b, mode, kernel);
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

    for (int ours = 0; ours < 2; ours++)
        for (int kernel = 1; kernel <= 3; kernel += 2) { /* ours of 3 is Winograd's */
            step_of(ours ? F32_BY_HAND : F32, kernel, false, at_once);
            step_of(ours ? F32_BY_HAND : F32, kernel, true, halves);
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

    open_filter(&b, F32, 1);
    memcpy(before, b.weight->value, b.weight->count * sizeof(float));
    float *joined = filter_gradient_at(b.filter, &count);
    for (size_t i = 0; i < count; i++)
        joined[i] = 0.25f;
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

    open_filter(&b, mode, kernel);
    EXPECT(filter_hash_layout(b.filter, &hash, NULL));
    bench_close(&b);
    return hash;
}

TEST(a_layout_has_a_hash_of_its_own)
{
    EXPECT(layout_of(F32, 1) == layout_of(F32, 1));
    EXPECT(layout_of(F32, 1) != layout_of(F32, 3));
    EXPECT(layout_of(F32, 1) != layout_of(F32_BY_HAND, 1));
}
