/* The kernels of networks for text but products (text_products.c), beside what the memory moves
 * at most: GB/s of what each must read and write, and the time of a number. Attention: GFLOP/s of
 * the products that the positions up to each one's own need. bench/text_kernels.sh builds
 * and runs it. */
#include "engine/train/kernels/text/attention.h"
#include "engine/train/kernels/text/cross_entropy.h"
#include "engine/train/kernels/text/dropout.h"
#include "engine/train/kernels/text/embedding.h"
#include "engine/train/kernels/text/lstm.h"
#include "engine/train/kernels/text/rows.h"

#include "bench/text_bench.h"

#define FAR ((size_t)256 << 20) /* bytes: behind every cache */

static double time_of(void (*run)(void *user), void *user)
{
    double seconds;

    run(user);
    compete(&run, user, 1, &seconds);
    return seconds;
}

static void report(const char *name, double seconds, double bytes, double elements)
{
    printf("%-32s %8.3f ms, %5.1f GB/s, %6.2f ns a number\n", name, 1e3 * seconds,
           1e-9 * bytes / seconds, 1e9 * seconds / elements);
}

static void copy_far(void *user)
{
    memcpy((char *)user, (char *)user + FAR / 2, FAR / 2);
}

static void run_forward(void *user)
{
    const struct attention *attention = user;

    kernels->attention->forward(attention, 0, attention->samples * attention->heads);
}

static void run_backward(void *user)
{
    const struct attention *attention = user;
    const struct attention_back back = {attention->result, (void *)(uintptr_t)attention->inputs};

    kernels->attention->backward(attention, &back, 0, attention->samples * attention->heads);
}

static void measure_attention(void)
{
    for (long length = 64; length <= 1024; length *= 4) {
        struct attention attention = {
            256 / length > 0 ? 256 / length : 1, length, 12, 64, NULL, NULL, NULL, NULL};
        long rows = attention.samples * length;
        double pairs = (double)attention.samples * 12 * (double)length * (double)(length + 1) / 2;
        double gflop = 4e-9 * 64 * pairs, seconds;

        attention.inputs = numbers(rows * 3 * 768, false);
        attention.result = numbers(rows * 768, false);
        attention.log_sums = pages((size_t)(rows * 12) * sizeof(float));
        attention.scratch = pages(kernels->attention->scratch_bytes(&attention));
        seconds = time_of(run_forward, &attention);
        printf("attention %4ld x %2ld forward      %8.3f ms, %6.1f GFLOP/s of what is needed\n",
               length, attention.samples, 1e3 * seconds, gflop / seconds);
        seconds = time_of(run_backward, &attention);
        printf("attention %4ld x %2ld backward     %8.3f ms, %6.1f GFLOP/s of what is needed\n",
               length, attention.samples, 1e3 * seconds, 2.5 * gflop / seconds);
        free((void *)(uintptr_t)attention.inputs);
        free(attention.result);
        free(attention.log_sums);
        free(attention.scratch);
    }
}

static void run_softmax(void *user)
{
    kernels->loss->softmax(user, 0, 256);
}

static void measure_loss(void)
{
    static int32_t labels[256];
    static float losses[256];
    void *logits = numbers(256 * 50304, false);
    struct cross_entropy loss = {50257, 50304, logits, labels, losses, logits, 1.f / 256};
    double elements = 256.0 * 50257;

    report("cross-entropy 256 x 50257", time_of(run_softmax, &loss), 2 * elements * (double)size,
           elements);
    free(logits);
}

struct norm_work {
    struct layer_norm norm;
    void *stored;
    float *slopes;
};

static void run_norm(void *user)
{
    struct norm_work *work = user;

    kernels->rows->layer_norm(&work->norm, 0, work->norm.rows, work->stored);
}

static void run_norm_backward(void *user)
{
    struct norm_work *work = user;

    kernels->rows->layer_norm_backward(&work->norm, work->stored, 0, work->norm.rows,
                                       work->slopes);
}

static void run_norm_weights(void *user)
{
    struct norm_work *work = user;
    float *gradients[2] = {work->slopes, work->slopes + 768};

    kernels->rows->layer_norm_weights(&work->norm, work->stored, 0, 768, gradients);
}

static void measure_rows(void)
{
    long count = 4096 * 768;
    float *values = numbers(count, true), *few = numbers(4 * 4096, true);
    struct norm_work work = {
        {4096, 768, values, few, few + 768, 1e-5f, few + 4096, few + 2 * 4096},
        numbers(count, false),
        numbers(count, true)};
    double elements = (double)count;

    report("layer norm 4096 x 768", time_of(run_norm, &work), elements * (4 + (double)size),
           elements);
    report("layer norm backward", time_of(run_norm_backward, &work),
           elements * (12 + (double)size), elements);
    report("layer norm weights", time_of(run_norm_weights, &work), elements * (4 + (double)size),
           elements);
    free(values);
    free(few);
    free(work.stored);
    free(work.slopes);
}

static void run_step(void *user)
{
    kernels->lstm->forward(user, 0, 128);
}

static void run_step_back(void *user)
{
    kernels->lstm->backward(user, 0, 128);
}

static void measure_lstm(void)
{
    float *gates = numbers(2 * 128 * 512, true), *cells = numbers(4 * 128 * 128, true);
    void *output = numbers(128 * 512, false);
    struct lstm_step step = {.cells = 128,
                             .gates_stride = 512,
                             .cells_stride = 128,
                             .output_stride = 128,
                             .sums = gates,
                             .gates = gates + 128 * 512,
                             .state_before = cells,
                             .state = cells + 128 * 128,
                             .output = output};
    struct lstm_step_back back = {&step, cells + 2 * 128 * 128, cells + 3 * 128 * 128, output};
    double elements = 128 * 128;

    report("lstm step 128 x 128 (in cache)", time_of(run_step, &step),
           elements * (40 + (double)size), elements);
    report("lstm step backward", time_of(run_step_back, &back),
           elements * (36 + 4 * (double)size), elements);
    free(gates);
    free(cells);
    free(output);
}

static void run_dropout(void *user)
{
    const struct dropout dropout = {12345, 3355443, 1.25f, true};

    kernels->dropout->forward(&dropout, user, 0, 1 << 18, user);
}

static void measure_dropout(void)
{
    void *values = numbers(1 << 18, false);

    report("relu and dropout (in cache)", time_of(run_dropout, values),
           2.0 * (1 << 18) * (double)size, 1 << 18);
    free(values);
}

#define LEARNED (12L << 20)

static struct learn_rule rule = {.rate = 1e-3f,
                                 .momentum = 0.9f,
                                 .rho = 0.9f,
                                 .beta1 = 0.9f,
                                 .beta2 = 0.999f,
                                 .eps = 1e-8f,
                                 .first_scale = 2,
                                 .second_scale = 10};

static void run_learn(void *user)
{
    kernels->learn->run(&rule, user, 0, LEARNED);
}

static void measure_learn(void)
{
    static const char *const names[] = {"sgd", "rmsprop", "adadelta", "adam", "adamw"};
    struct learn_arrays arrays = {numbers(LEARNED, true), numbers(LEARNED, true),
                                  numbers(LEARNED, true), numbers(LEARNED, true),
                                  kernels->type == DNN_BF16 ? numbers(LEARNED, false) : NULL};

    for (int kind = LEARN_SGD; kind <= LEARN_ADAMW; kind++) {
        double bytes = (kind >= LEARN_ADADELTA ? 28 : 20) + (arrays.copy ? 2 : 0);

        memset(arrays.second, 0, (size_t)LEARNED * sizeof(float));
        memset(arrays.first, 0, (size_t)LEARNED * sizeof(float));
        rule.kind = (enum learn_kind)kind;
        report(names[kind], time_of(run_learn, &arrays), bytes * (double)LEARNED,
               (double)LEARNED);
    }
    free(arrays.weights);
    free((void *)(uintptr_t)arrays.gradient);
    free(arrays.first);
    free(arrays.second);
    free(arrays.copy);
}

struct table_work {
    struct embedding embedding;
    struct embedding_order order;
    struct embedding_learn learn;
    float *rows;
};

static void run_look_up(void *user)
{
    struct table_work *work = user;

    kernels->embedding->look_up(&work->embedding, work->learn.arrays.weights, 0,
                                work->embedding.count / work->embedding.each, work->rows);
}

static void run_table(void *user)
{
    struct table_work *work = user;

    kernels->embedding->sort(&work->embedding, &work->order);
    kernels->embedding->learn(&work->embedding, &work->order, work->rows,
                              (const long[]){0, work->embedding.rows}, &work->learn);
}

/* fasttext2017: what a step costs whose tokens alone move, and one where every row does. */
static void measure_embedding(void)
{
    enum { ROWS = 1200000, WIDTH = 50, TOKENS = 12800 };
    int32_t *memory = pages(3 * TOKENS * sizeof *memory);
    uint8_t *reached = pages(ROWS);
    struct table_work work = {{ROWS, WIDTH, TOKENS, memory, 400, NULL, 0},
                              {memory + TOKENS, memory + 2 * TOKENS},
                              {&rule,
                               {numbers(ROWS * WIDTH, true), NULL, numbers(ROWS * WIDTH, true),
                                numbers(ROWS * WIDTH, true), NULL},
                               reached},
                              numbers(TOKENS / 400 * WIDTH, true)};

    for (long i = 0; i < TOKENS; i++)
        memory[i] = (int32_t)((uint64_t)i * 2654435761 % ROWS);
    memset(work.learn.arrays.first, 0, sizeof(float) * ROWS * WIDTH);
    memset(work.learn.arrays.second, 0, sizeof(float) * ROWS * WIDTH);
    rule.kind = LEARN_ADAM;
    report("mean of 32 x 400 rows of 50", time_of(run_look_up, &work), 4.0 * TOKENS * WIDTH,
           TOKENS * WIDTH);
    report("step of a table, 1 % reached", time_of(run_table, &work), 24.0 * TOKENS * WIDTH,
           TOKENS * WIDTH);
    memset(reached, 1, ROWS);
    report("step of a table, all reached", time_of(run_table, &work), 24.0 * ROWS * WIDTH,
           (double)ROWS * WIDTH);
    free(memory);
    free(reached);
    free(work.learn.arrays.weights);
    free(work.learn.arrays.first);
    free(work.learn.arrays.second);
    free(work.rows);
}

static void measure_copy(void)
{
    char *far = pages(FAR);

    report("copy", time_of(copy_far, far), (double)FAR, (double)FAR / 8);
    free(far);
}

static void measure(void)
{
    measure_copy();
    measure_attention();
    measure_loss();
    measure_rows();
    measure_lstm();
    measure_dropout();
    measure_learn();
    measure_embedding();
}

int main(int argc, char **argv)
{
    return bench_each(argc, argv, measure);
}
