/* Products of every set against sums in double, whatever the shapes and the cuts. */
#include "engine/train/kernels/text/product.h"

#include "tests/engine/train/kernels/text/text_trial.h"

struct shape {
    long m, n, k;
};

/* Odd ones, ones of a single row, column or number, and ones beyond a block. */
static const struct shape shapes[] = {{1, 1, 1},    {3, 10, 57},  {12, 32, 16}, {13, 33, 17},
                                      {29, 57, 31}, {7, 70, 129}, {200, 5, 64}, {25, 40, 2500}};

/* A product, its matrices as they lie, and the right one packed. */
struct trial {
    struct shape shape;
    struct product product;
    struct product_right right;
    void *left, *numbers, *packed, *add, *kept, *result, *scratch;
    float *bias;
};

static void trial_make(struct trial *trial, const struct text_kernels *kernels,
                       const struct shape *shape, bool left, bool right)
{
    long stride = shape->n + 3, panels = product_panels(kernels->product, shape->n);

    *trial = (struct trial){
        .shape = *shape,
        .left = trial_numbers((shape->m + 2) * (shape->k + 2), 1),
        .numbers = trial_numbers((shape->n + 1) * (shape->k + 1), 1),
        .packed = trial_memory(kernels->product->right_bytes(shape->k, shape->n)),
        .add = trial_numbers(shape->m * stride, 1),
        .kept = trial_numbers(shape->m * stride, 2),
        .result = trial_memory((size_t)(shape->m * stride) * sizeof(float)),
        .bias = trial_floats(shape->n, 1),
    };
    trial->right = (struct product_right){.numbers = trial->numbers,
                                          .transposed = right,
                                          .stride = right ? shape->k + 1 : shape->n,
                                          .k = shape->k,
                                          .n = shape->n};
    trial->product = (struct product){.m = shape->m,
                                      .n = shape->n,
                                      .k = shape->k,
                                      .left = trial->left,
                                      .transposed = left,
                                      .left_stride = left ? shape->m + 1 : shape->k + 1,
                                      .right = trial->packed,
                                      .result = trial->result,
                                      .result_stride = stride};
    trial->scratch = trial_memory(kernels->product->scratch_bytes(&trial->product));
    trial->product.scratch = trial->scratch;
    kernels->product->pack(&trial->right, 0, panels / 2, trial->packed);
    kernels->product->pack(&trial->right, panels / 2, panels, trial->packed);
}

static void trial_free(struct trial *trial)
{
    void *const all[] = {trial->left, trial->numbers, trial->packed,  trial->add,
                         trial->kept, trial->result,  trial->scratch, trial->bias};

    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}

static void trial_run(struct trial *trial, const struct text_kernels *kernels)
{
    struct product_part all = {0, trial->shape.m, 0,
                               product_panels(kernels->product, trial->shape.n)};

    kernels->product->run(&trial->product, all);
}

/* The sum of products, and with `sizes` that of their sizes. */
static double trial_sum(const struct trial *trial, long row, long column, bool sizes)
{
    const struct product *product = &trial->product;
    const struct product_right *right = &trial->right;
    double sum = 0;

    for (long k = 0; k < product->k; k++) {
        long l =
            product->transposed ? k * product->left_stride + row : row * product->left_stride + k;
        long r = right->transposed ? column * right->stride + k : k * right->stride + column;
        double term = trial_get(trial->left, l) * trial_get(trial->numbers, r);

        sum += sizes ? fabs(term) : term;
    }
    return sum;
}

static double trial_result(const struct trial *trial, long i)
{
    return trial->product.result_is_float ? (double)((const float *)trial->result)[i]
                                          : trial_get(trial->result, i);
}

static void check_sums(const struct text_kernels *kernels)
{
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int way = 0; way < 8; way++) {
            struct trial trial;

            trial_make(&trial, kernels, &shapes[s], way & 1, way & 2);
            trial.product.result_is_float = way & 4;
            trial_run(&trial, kernels);
            for (long m = 0; m < shapes[s].m; m++)
                for (long n = 0; n < shapes[s].n; n++) {
                    double size = trial_sum(&trial, m, n, true);
                    double rounding = way & 4 ? 0 : trial_rounding() * size;

                    EXPECT_NEAR(trial_result(&trial, m * trial.product.result_stride + n),
                                trial_sum(&trial, m, n, false), rounding + 3e-7 * size + 1e-30);
                }
            trial_free(&trial);
        }
}

static void sums_are_those_of_the_products(void)
{
    trial_each(check_sums);
}

static double gelu(double z)
{
    return z / 2 * (1 + tanh(sqrt(2 / M_PI) * (z + 0.044715 * z * z * z)));
}

static double ended(const struct trial *trial, double z, double kept)
{
    switch (trial->product.end) {
    case PRODUCT_RELU:
        return z > 0 ? z : 0;
    case PRODUCT_GELU:
        return gelu(trial_bf16 ? kept : z);
    case PRODUCT_RELU_BACK:
        return kept > 0 ? z : 0;
    case PRODUCT_GELU_BACK:
        return z * (gelu(kept + 1e-5) - gelu(kept - 1e-5)) / 2e-5;
    default:
        return z;
    }
}

static void check_ends(const struct text_kernels *kernels)
{
    for (int end = PRODUCT_PLAIN; end <= PRODUCT_GELU_BACK; end++) {
        const struct shape shape = {17, 45, 9};
        struct trial trial;

        trial_make(&trial, kernels, &shape, false, true);
        trial.product.bias = trial.bias;
        trial.product.add = trial.add;
        trial.product.end = (enum product_end)end;
        trial.product.kept = trial.kept;
        trial_run(&trial, kernels);
        for (long m = 0; m < shape.m; m++)
            for (long n = 0; n < shape.n; n++) {
                long at = m * trial.product.result_stride + n;
                double kept = trial_get(trial.kept, at);
                double z = trial_sum(&trial, m, n, false) + (double)trial.bias[n] +
                           trial_get(trial.add, at);

                if (end == PRODUCT_GELU)
                    TRIAL_NEAR(kept, z, 2e-6);
                TRIAL_NEAR(trial_result(&trial, at), ended(&trial, z, kept), 8e-6);
            }
        trial_free(&trial);
    }
}

static void what_follows_a_layer_is_fused_behind_its_product(void)
{
    trial_each(check_ends);
}

static void check_residual(const struct text_kernels *kernels)
{
    const struct shape shape = {5, 40, 33};
    struct trial trial;
    long size;

    trial_make(&trial, kernels, &shape, false, false);
    size = shape.m * trial.product.result_stride;
    for (long i = 0; i < size; i++)
        ((float *)trial.result)[i] = (float)i;
    trial.product.result_is_float = true;
    trial.product.add = trial.result;
    trial_run(&trial, kernels);
    for (long i = 0; i < size; i++) {
        long m = i / trial.product.result_stride, n = i % trial.product.result_stride;

        EXPECT_NEAR(trial_result(&trial, i),
                    (double)i + (n < shape.n ? trial_sum(&trial, m, n, false) : 0), 4e-5);
    }
    trial_free(&trial);
}

static void a_product_is_added_to_what_is_there_and_touches_nothing_else(void)
{
    trial_each(check_residual);
}

static void check_cuts(const struct text_kernels *kernels)
{
    for (int way = 0; way < 2; way++) {
        const struct shape shape = {211, 100, 1100};
        struct trial whole, cut;
        long panels = product_panels(kernels->product, shape.n);

        noise_state = 7;
        trial_make(&whole, kernels, &shape, way, true);
        noise_state = 7;
        trial_make(&cut, kernels, &shape, way, true);
        trial_run(&whole, kernels);
        for (long row = 0; row < shape.m; row += 37)
            for (long panel = 0; panel < panels; panel++)
                kernels->product->run(&cut.product, (struct product_part){
                                                        row,
                                                        row + 37 < shape.m ? row + 37 : shape.m,
                                                        panel,
                                                        panel + 1,
                                                    });
        EXPECT(memcmp(whole.result, cut.result,
                      (size_t)(shape.m * whole.product.result_stride) * sizeof(float)) == 0);
        trial_free(&whole);
        trial_free(&cut);
    }
}

static void any_cut_gives_the_same_bits(void)
{
    trial_each(check_cuts);
}

static void check_floats(const struct text_kernels *kernels)
{
    const struct shape shape = {4, 35, 19};

    for (int transposed = 0; transposed < 2; transposed++) {
        long lines = transposed ? shape.n : shape.k, length = transposed ? shape.k : shape.n;
        size_t bytes = kernels->product->right_bytes(shape.k, shape.n);
        float *floats = trial_floats(lines * length, 1);
        void *stored = trial_memory((size_t)(lines * length) * sizeof(float));
        void *packed[2] = {trial_memory(bytes), trial_memory(bytes)};
        struct product_right right = {floats, true, transposed, length, shape.k, shape.n};

        for (long i = 0; i < lines * length; i++)
            trial_put(stored, i, floats[i]);
        kernels->product->pack(&right, 0, product_panels(kernels->product, shape.n), packed[0]);
        right.numbers = stored;
        right.is_float = false;
        kernels->product->pack(&right, 0, product_panels(kernels->product, shape.n), packed[1]);
        EXPECT(memcmp(packed[0], packed[1], bytes) == 0);
        free(floats);
        free(stored);
        free(packed[0]);
        free(packed[1]);
    }
}

static void weights_of_f32_are_packed_as_the_set_stores_them(void)
{
    trial_each(check_floats);
}

int main(void)
{
    RUN(sums_are_those_of_the_products);
    RUN(what_follows_a_layer_is_fused_behind_its_product);
    RUN(a_product_is_added_to_what_is_there_and_touches_nothing_else);
    RUN(any_cut_gives_the_same_bits);
    RUN(weights_of_f32_are_packed_as_the_set_stores_them);
    return test_result();
}
