/* Attention of every set against the definition in double, and its gradient by difference. */
#include "engine/train/kernels/text/attention.h"

#include "tests/engine/train/kernels/text/text_trial.h"

struct shape {
    long samples, length, heads, width;
};

static const struct shape shapes[] = {
    {1, 1, 1, 1}, {2, 13, 3, 32}, {1, 70, 2, 17}, {2, 32, 1, 64}, {1, 12, 2, 5}};

/* The definition, in double. */
struct truth {
    struct shape shape;
    double *inputs, *result, *gradient, *slopes;
};

static double *input_at(const struct truth *truth, double *inputs, const long place[4])
{
    const struct shape *shape = &truth->shape;

    return inputs +
           (((place[0] * shape->length + place[1]) * 3 + place[2]) * shape->heads + place[3]) *
               shape->width;
}

static double *result_at(const struct truth *truth, double *result, long sample, long t,
                         long head)
{
    const struct shape *shape = &truth->shape;

    return result + ((sample * shape->length + t) * shape->heads + head) * shape->width;
}

static double dot(const double *a, const double *b, long count)
{
    double sum = 0;

    for (long i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The share of each position that t sees; returns the logarithm of the sum. */
static double shares_of(struct truth *truth, long sample, long t, long head, double *ret_shares)
{
    double *query = input_at(truth, truth->inputs, (const long[]){sample, t, 0, head}), sum = 0;

    for (long s = 0; s <= t; s++) {
        double *key = input_at(truth, truth->inputs, (const long[]){sample, s, 1, head});

        ret_shares[s] =
            exp(dot(query, key, truth->shape.width) / sqrt((double)truth->shape.width));
        sum += ret_shares[s];
    }
    for (long s = 0; s <= t; s++)
        ret_shares[s] /= sum;
    return log(sum);
}

/* The result of one row, and what its gradient does to the gradients of the inputs. */
static void true_row(struct truth *truth, long sample, long t, long head)
{
    long width = truth->shape.width;
    double shares[128], *row = result_at(truth, truth->result, sample, t, head);
    double *slope = result_at(truth, truth->gradient, sample, t, head), common = 0;
    double root = sqrt((double)width);

    shares_of(truth, sample, t, head, shares);
    for (long s = 0; s <= t; s++)
        for (long c = 0; c < width; c++)
            row[c] +=
                shares[s] * input_at(truth, truth->inputs, (const long[]){sample, s, 2, head})[c];
    common = dot(row, slope, width);
    for (long s = 0; s <= t; s++) {
        double *value = input_at(truth, truth->inputs, (const long[]){sample, s, 2, head});
        double of_score = shares[s] * (dot(value, slope, width) - common) / root;

        for (long c = 0; c < width; c++) {
            input_at(truth, truth->slopes, (const long[]){sample, s, 2, head})[c] +=
                shares[s] * slope[c];
            input_at(truth, truth->slopes, (const long[]){sample, t, 0, head})[c] +=
                of_score * input_at(truth, truth->inputs, (const long[]){sample, s, 1, head})[c];
            input_at(truth, truth->slopes, (const long[]){sample, s, 1, head})[c] +=
                of_score * input_at(truth, truth->inputs, (const long[]){sample, t, 0, head})[c];
        }
    }
}

struct trial {
    struct attention attention;
    struct truth truth;
    long units, results, inputs; /* how many */
    void *input, *result, *gradient, *slopes;
};

static void trial_make(struct trial *trial, const struct text_kernels *kernels,
                       const struct shape *shape)
{
    struct truth *truth = &trial->truth;

    trial->units = shape->samples * shape->heads;
    trial->results = trial->units * shape->length * shape->width;
    trial->inputs = 3 * trial->results;
    trial->input = trial_numbers(trial->inputs, 2);
    trial->gradient = trial_numbers(trial->results, 1);
    trial->result = trial_memory((size_t)trial->results * trial_size());
    trial->slopes = trial_memory((size_t)trial->inputs * trial_size());
    trial->attention = (struct attention){
        .samples = shape->samples,
        .length = shape->length,
        .heads = shape->heads,
        .width = shape->width,
        .inputs = trial->input,
        .result = trial->result,
        .log_sums = trial_floats(trial->units * shape->length, 1),
    };
    trial->attention.scratch = trial_memory(kernels->attention->scratch_bytes(&trial->attention));
    *truth = (struct truth){
        .shape = *shape,
        .inputs = trial_memory((size_t)trial->inputs * sizeof(double)),
        .result = trial_memory((size_t)trial->results * sizeof(double)),
        .gradient = trial_memory((size_t)trial->results * sizeof(double)),
        .slopes = trial_memory((size_t)trial->inputs * sizeof(double)),
    };
    for (long i = 0; i < trial->inputs; i++)
        truth->inputs[i] = trial_get(trial->input, i);
    for (long i = 0; i < trial->results; i++)
        truth->gradient[i] = trial_get(trial->gradient, i);
}

static void trial_free(struct trial *trial)
{
    void *const all[] = {trial->input,        trial->gradient,           trial->result,
                         trial->slopes,       trial->attention.log_sums, trial->attention.scratch,
                         trial->truth.inputs, trial->truth.result,       trial->truth.gradient,
                         trial->truth.slopes};

    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}

static void compute_truth(struct truth *truth)
{
    for (long sample = 0; sample < truth->shape.samples; sample++)
        for (long head = 0; head < truth->shape.heads; head++)
            for (long t = 0; t < truth->shape.length; t++)
                true_row(truth, sample, t, head);
}

/* Forward and backward, `step` units at a time. */
static void trial_run(struct trial *trial, const struct text_kernels *kernels, long step)
{
    const struct attention_back back = {trial->gradient, trial->slopes};

    for (long unit = 0; unit < trial->units; unit += step) {
        long end = unit + step < trial->units ? unit + step : trial->units;

        kernels->attention->forward(&trial->attention, unit, end);
        kernels->attention->backward(&trial->attention, &back, unit, end);
    }
}

static void check_definition(const struct text_kernels *kernels)
{
    for (size_t s = 0; s < COUNT(shapes); s++) {
        struct trial trial;

        trial_make(&trial, kernels, &shapes[s]);
        trial_run(&trial, kernels, trial.units);
        compute_truth(&trial.truth);
        for (long i = 0; i < trial.results; i++)
            TRIAL_NEAR(trial_get(trial.result, i), trial.truth.result[i], 4e-6);
        for (long i = 0; i < trial.inputs; i++)
            TRIAL_NEAR(trial_get(trial.slopes, i), trial.truth.slopes[i],
                       trial_bf16 ? 2e-2 : 1e-5);
        trial_free(&trial);
    }
}

static void attention_and_its_gradient_are_what_the_definition_says(void)
{
    trial_each(check_definition);
}

/* The sum of results times their gradients, whose gradient is that of the definition. */
static double whole_at(struct truth *truth, long i, double change)
{
    long count =
        truth->shape.samples * truth->shape.heads * truth->shape.length * truth->shape.width;
    double kept = truth->inputs[i], sum;

    truth->inputs[i] += change;
    memset(truth->result, 0, (size_t)count * sizeof *truth->result);
    compute_truth(truth);
    sum = dot(truth->result, truth->gradient, count);
    truth->inputs[i] = kept;
    return sum;
}

static void the_gradient_is_the_difference_that_a_small_change_makes(void)
{
    const struct text_kernels *kernels = text_kernels_for(CPU_BASE, DNN_F32);
    struct trial trial;

    trial_bf16 = false;
    trial_make(&trial, kernels, &(struct shape){1, 5, 2, 3});
    trial_run(&trial, kernels, 1);
    for (long i = 0; i < trial.inputs; i++)
        EXPECT_NEAR(trial_get(trial.slopes, i),
                    (whole_at(&trial.truth, i, 1e-4) - whole_at(&trial.truth, i, -1e-4)) / 2e-4,
                    2e-6);
    trial_free(&trial);
}

static void check_cuts(const struct text_kernels *kernels)
{
    struct trial whole, cut;

    noise_state = 3;
    trial_make(&whole, kernels, &shapes[1]);
    noise_state = 3;
    trial_make(&cut, kernels, &shapes[1]);
    trial_run(&whole, kernels, whole.units);
    trial_run(&cut, kernels, 1);
    EXPECT(memcmp(whole.result, cut.result, (size_t)whole.results * trial_size()) == 0);
    EXPECT(memcmp(whole.slopes, cut.slopes, (size_t)whole.inputs * trial_size()) == 0);
    trial_free(&whole);
    trial_free(&cut);
}

static void any_cut_gives_the_same_bits(void)
{
    trial_each(check_cuts);
}

static void check_causality(const struct text_kernels *kernels)
{
    const struct shape shape = {1, 20, 1, 8};
    struct trial before, after;

    noise_state = 3;
    trial_make(&before, kernels, &shape);
    noise_state = 3;
    trial_make(&after, kernels, &shape);
    for (long i = 15 * 24; i < after.inputs; i++)
        trial_put(after.input, i, 90);
    trial_run(&before, kernels, 1);
    trial_run(&after, kernels, 1);
    EXPECT(memcmp(before.result, after.result, 15 * 8 * trial_size()) == 0);
    EXPECT(memcmp(before.result, after.result, (size_t)after.results * trial_size()) != 0);
    trial_free(&before);
    trial_free(&after);
}

static void a_position_sees_nothing_behind_itself(void)
{
    trial_each(check_causality);
}

int main(void)
{
    RUN(attention_and_its_gradient_are_what_the_definition_says);
    RUN(the_gradient_is_the_difference_that_a_small_change_makes);
    RUN(any_cut_gives_the_same_bits);
    RUN(a_position_sees_nothing_behind_itself);
    return test_result();
}
