/* The matrix products of networks for text, beside what the core multiplies at most and beside
 * oneDNN's: GFLOP/s, two for each multiply-add, with the right matrix packed before; "with
 * packing" packs it each time, as a weight that has just learned. Contestants take turns; the
 * figures are medians of the thread's own time. bench/text_kernels.sh builds and runs it.
 */
#include "engine/train/kernels/text/product.h"
#include "engine/train/onednn/dnn.h"
#include "engine/train/onednn/dnn_make.h"

#include "bench/text_bench.h"
#include "common/cleanup.h"

static struct dnn *dnn;

struct multiply {
    struct product product;
    struct product_right right;
    struct dnn_op *op;
    void *const *memory; /* of the op */
};

static void run_ours(void *user)
{
    struct multiply *work = user;
    struct product_part all = {0, work->product.m, 0,
                               product_panels(kernels->product, work->product.n)};

    kernels->product->run(&work->product, all);
}

static void run_packing(void *user)
{
    struct multiply *work = user;
    void *packed = (void *)(uintptr_t)work->product.right;

    kernels->product->pack(&work->right, 0, product_panels(kernels->product, work->right.n),
                           packed);
    run_ours(user);
}

static void run_onednn(void *user)
{
    struct multiply *work = user;
    struct error err;

    if (!dnn_op_run(work->op, work->memory, &err))
        exit(1);
}

/* In f32 oneDNN's product of plain matrices; in bf16 a 1x1 convolution, whose weights it packs.
 */
static struct dnn_op *onednn_product(const struct multiply *work)
{
    const struct product *p = &work->product;
    struct error err;
    struct dnn_convolution shape = {{1, p->k, p->m, 1, DNN_BF16, DNN_NHWC, NULL},
                                    {1, p->n, p->m, 1, DNN_BF16, DNN_NHWC, NULL},
                                    1,
                                    1,
                                    0};

    if (kernels->type == DNN_BF16)
        return p->transposed ? NULL : dnn_convolution(dnn, DNN_FORWARD, &shape, NULL, &err);
    const struct dnn_product product = {
        .left = {p->m, p->k, p->transposed},
        .right = {p->k, p->n, work->right.transposed},
    };

    return dnn_product(dnn, &product, &err);
}

static void measure_product(const char *name, const long mnk[3], int way)
{
    long m = mnk[0], n = mnk[1], k = mnk[2];
    bool left = way == 2, right = way == 0;
    void *(*const fill)(long, bool) = numbers;
    void *source = fill(n * k, !left), *memory[4] = {fill(m * k, false), NULL, NULL, NULL};
    double gflop = 2e-9 * (double)m * (double)n * (double)k, seconds[3];
    void (*const runs[])(void *) = {run_ours, run_packing, run_onednn};
    struct multiply work = {
        .product = {.m = m,
                    .n = n,
                    .k = k,
                    .left = memory[0],
                    .transposed = left,
                    .left_stride = left ? m : k,
                    .right = pages(kernels->product->right_bytes(k, n)),
                    .result = pages((size_t)(m * n) * sizeof(float)),
                    .result_is_float = left,
                    .result_stride = n},
        .right = {source, !left, right, right ? k : n, k, n},
        .memory = memory,
    };

    work.product.scratch = pages(kernels->product->scratch_bytes(&work.product));
    work.op = onednn_product(&work);
    memory[1] = kernels->type == DNN_F32 ? source : numbers(n * (k + 64), false);
    memory[2] = pages((size_t)(m * n) * sizeof(float));
    run_packing(&work);
    if (work.op)
        run_onednn(&work);
    compete(runs, &work, work.op ? 3 : 2, seconds);
    printf("%-24s %5ld x %5ld x %5ld  %6.1f GFLOP/s, %3.0f %% of the peak; with packing %6.1f",
           name, m, n, k, gflop / seconds[0], 100 * gflop / seconds[0] / peak,
           gflop / seconds[1]);
    if (work.op)
        printf("; oneDNN %6.1f (%s)", gflop / seconds[2], dnn_op_name(work.op));
    printf("\n");
    dnn_op_free(work.op);
    void *const all[] = {source,
                         memory[0],
                         memory[2],
                         (void *)(uintptr_t)work.product.right,
                         work.product.result,
                         work.product.scratch};

    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
    if (kernels->type != DNN_F32)
        free(memory[1]);
}

static void measure_products(void)
{
    static const struct {
        const char *name;
        long m, in, out;
    } layers[] = {
        {"mlp2017 fc1", 128, 784, 512},         {"mlp2017 fc2", 128, 512, 512},
        {"mlp2017 fc3", 128, 512, 10},          {"lstm2017 step", 128, 128, 512},
        {"textgen2017 inputs", 5120, 300, 512}, {"gpt2 c_attn", 256, 768, 2304},
        {"gpt2 c_fc", 256, 768, 3072},          {"gpt2 mlp c_proj", 256, 3072, 768},
        {"gpt2 head", 256, 768, 50257},
    };
    static const char *const ways[] = {"forward", "to data", "weights"};

    for (size_t i = 0; i < COUNT(layers); i++)
        for (int way = 0; way < 3; way++) {
            long m = layers[i].m, in = layers[i].in, out = layers[i].out;
            const long shape[3][3] = {{m, out, in}, {m, in, out}, {out, in, m}};
            char name[64];

            snprintf(name, sizeof name, "%s, %s", layers[i].name, ways[way]);
            measure_product(name, shape[way], way);
        }
}

int main(int argc, char **argv)
{
    struct error err;
    int status;

    dnn = dnn_open(1, &err);
    if (!dnn)
        return 2;
    status = bench_each(argc, argv, measure_products);
    dnn_close(dnn);
    return status;
}
