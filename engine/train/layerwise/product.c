/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/product.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/kernels/products/product_panels.h"
#include "engine/train/kernels/products/product_tiles.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/onednn/dnn_make.h"

#define GRAIN 16
#define LINE 16 /* floats of a cache line, which two threads must not share */

struct product_alone {
    struct product_alone *next;  /* of the net */
    struct dnn_op *op;           /* NULL: by the net's kernel */
    struct matrix_product shape; /* without memory */
    void *right;                 /* that is kept; NULL: none */
    void *packed;                /* the same, for the kernel; or NULL */
};

const struct product_kernel *product_kernel_for(enum cpu_isa isa, enum dnn_type type)
{
    if (isa >= CPU_AMX)
        return &product_tiles;
    return isa == CPU_AVX2 && type == DNN_F32 ? &product_panels : NULL;
}

static long stride_of(const struct dnn_matrix *matrix)
{
    if (matrix->stride)
        return matrix->stride;
    return matrix->transposed ? matrix->rows : matrix->columns;
}

static struct matrix_operand operand_of(const struct dnn_matrix *matrix)
{
    return (struct matrix_operand){.transposed = matrix->transposed, .stride = stride_of(matrix)};
}

static struct matrix_product product_of(const struct dnn_product *shape)
{
    return (struct matrix_product){.m = shape->left.rows,
                                   .n = shape->right.columns,
                                   .k = shape->left.columns,
                                   .is_f32 = shape->left.type == DNN_F32,
                                   .left = operand_of(&shape->left),
                                   .right = operand_of(&shape->right),
                                   .result_stride = shape->result_stride ? shape->result_stride
                                                                         : shape->right.columns,
                                   .adds = shape->adds};
}

/* `packed`: the right operand is kept. */
static bool by_kernel(const struct layerwise *net, const struct dnn_product *shape, bool packed)
{
    struct matrix_product product = product_of(shape);

    product.is_f32 = net->type == DNN_F32;
    return net->kernel && net->kernel->is_faster(&product, packed);
}

static struct product_alone *new_product(struct layerwise *net, struct dnn_product shape,
                                         bool packed, struct error *err)
{
    struct product_alone *product = xcalloc(1, sizeof *product);

    product->next = net->products;
    net->products = product;
    shape.left.type = shape.right.type = net->type;
    product->shape = product_of(&shape);
    if (by_kernel(net, &shape, packed))
        return product;
    product->op = dnn_product(net->dnn, &shape, err);
    return product->op ? product : NULL;
}

struct product_alone *product_alone(struct layerwise *net, struct dnn_product shape,
                                    struct error *err)
{
    return new_product(net, shape, false, err);
}

void products_free(struct layerwise *net)
{
    while (net->products) {
        struct product_alone *product = net->products;

        net->products = product->next;
        dnn_op_free(product->op);
        free(product);
    }
}

struct product_alone *product_kept(struct layerwise *net, struct dnn_product shape,
                                   struct error *err)
{
    struct product_alone *product = new_product(net, shape, true, err);
    size_t bytes = product && !product->op ? net->kernel->packed_bytes(&product->shape) : 0;

    if (bytes == 0)
        return product;
    product->packed = layerwise_take(net, bytes, err);
    return product->packed ? product : NULL;
}

void product_keep_right(const struct layerwise *net, struct product_alone *product, void *right)
{
    product->right = right;
    product->shape.right.numbers = right;
    if (product->packed)
        net->kernel->pack(&product->shape, product->packed);
}

/* A callback, the part whose rows and columns it gets, and where the part's result begins. */
struct part_callback {
    const struct product_callback *callback;
    const struct product_part *part;
    const float *result;
};

static void part_ready(void *user, struct matrix_part part)
{
    const struct part_callback *call = user;
    long row = call->part->rows.begin + part.row;
    long column = call->part->columns.begin + part.column;
    long line = call->callback->passes ? 0 : part.row;
    long stride = call->part->product->shape.result_stride;
    const struct product_done done = {.rows = {row, row + part.rows},
                                      .columns = {column, column + part.columns},
                                      .numbers = call->result + line * stride + part.column,
                                      .stride = stride};

    call->callback->ready(call->callback->user, &done);
}

/* Of left, right and result; a right operand of NULL is the kept one. */
static void run_product(struct layerwise *net, const struct product_alone *product, int thread,
                        void *const operands[3], struct part_callback *call)
{
    void *const memory[] = {operands[0], operands[1] ? operands[1] : product->right, operands[2]};
    struct matrix_product whole = product->shape;
    struct error *kept = &net->errors[thread];

    if (!product->op) {
        whole.left.numbers = memory[0];
        whole.right.numbers = memory[1];
        whole.packed = operands[1] ? NULL : product->packed;
        whole.result = memory[2];
        whole.scratch = net->scratch + (size_t)thread * net->kernel->scratch_bytes;
        whole.ready = call ? part_ready : NULL;
        whole.user = call;
        whole.passes = call && call->callback->passes;
        net->kernel->run(&whole);
        return;
    }
    if (kept->kind == ERROR_NONE && !dnn_op_run_on(product->op, thread, memory, kept) &&
        kept->kind == ERROR_NONE)
        kept->kind = ERROR_INTERNAL;
    if (call)
        part_ready(call,
                   (struct matrix_part){.rows = product->shape.m, .columns = product->shape.n});
}

void product_run_alone(struct layerwise *net, const struct product_alone *product, int thread,
                       void *left, void *right, float *result)
{
    run_product(net, product, thread, (void *const[]){left, right, result}, NULL);
}

#define SHARED_MAX (256L << 10) /* numbers that all threads may read of one operand */

/* The rows or columns of one thread. What all threads read, and pack, is the smaller of the
 * operands; but the library is faster with whole rows while the other one is small. */
static void lay_out(struct product_part *part, const struct layerwise *net,
                    const struct dnn_product *shape, int thread)
{
    long rows = shape->left.rows, columns = shape->right.columns;
    bool is_small = columns * shape->right.rows <= SHARED_MAX;
    bool by_rows = rows >= columns ||
                   (!by_kernel(net, shape, false) && is_small && rows >= GRAIN * net->threads);
    long count = by_rows ? rows : columns;
    long grain = count >= 4 * GRAIN * net->threads ? GRAIN : 1;
    const struct share share = share_of(count, grain, thread, net->threads);

    part->rows = by_rows ? share : (struct share){0, rows};
    part->columns = by_rows ? (struct share){0, columns} : share;
    part->left = part->rows.begin * (shape->left.transposed ? 1 : stride_of(&shape->left));
    part->right = part->columns.begin * (shape->right.transposed ? stride_of(&shape->right) : 1);
    part->result = part->rows.begin * (shape->result_stride ? shape->result_stride : columns) +
                   part->columns.begin;
}

static bool same_size(const struct product_part *a, const struct product_part *b)
{
    return a->rows.end - a->rows.begin == b->rows.end - b->rows.begin &&
           a->columns.end - a->columns.begin == b->columns.end - b->columns.begin;
}

static bool make_part(struct product *product, int thread, const struct dnn_product *whole,
                      struct error *err)
{
    struct product_part *part = &product->parts[thread];
    struct dnn_product shape = *whole;

    lay_out(part, product->net, whole, thread);
    if (part->rows.begin == part->rows.end || part->columns.begin == part->columns.end)
        return true;
    for (int i = 0; i < thread && !part->product; i++)
        if (same_size(&product->parts[i], part))
            part->product = product->parts[i].product;
    shape.left.stride = stride_of(&whole->left);
    shape.right.stride = stride_of(&whole->right);
    shape.result_stride = whole->result_stride ? whole->result_stride : whole->right.columns;
    shape.left.rows = part->rows.end - part->rows.begin;
    shape.right.columns = part->columns.end - part->columns.begin;
    if (!part->product)
        part->product = product_alone(product->net, shape, err);
    return part->product != NULL;
}

bool product_make(struct product *product, struct layerwise *net, struct dnn_product shape,
                  struct error *err)
{
    product->net = net;
    product->parts = layerwise_take(net, (size_t)net->threads * sizeof *product->parts, err);
    for (int i = 0; product->parts && i < net->threads; i++)
        if (!make_part(product, i, &shape, err))
            return false;
    return product->parts != NULL;
}

void product_run_calling(const struct product *product, int thread, void *left, void *right,
                         float *result, const struct product_callback *callback)
{
    const struct product_part *part = &product->parts[thread];
    struct layerwise *net = product->net;
    bool passes = callback && callback->passes;
    float *begin = result + (passes ? 0 : part->result);
    void *const operands[] = {operand_at(net, left, part->left),
                              operand_at(net, right, part->right), begin};
    struct part_callback call = {callback, part, begin};

    if (part->product)
        run_product(net, part->product, thread, operands, callback ? &call : NULL);
}

size_t product_passed(const struct product *product)
{
    const struct product_kernel *kernel = product->net->kernel;
    size_t most = 0;

    for (int i = 0; i < product->net->threads; i++) {
        const struct product_alone *part = product->parts[i].product;
        size_t numbers;

        if (!part)
            continue;
        if (part->op || kernel->rows_passed(&part->shape) == 0)
            return 0;
        numbers = (size_t)(kernel->rows_passed(&part->shape) * part->shape.result_stride);
        most = numbers > most ? numbers : most;
    }
    return (most + LINE - 1) / LINE * LINE;
}

void product_run(const struct product *product, int thread, void *left, void *right,
                 float *result)
{
    product_run_calling(product, thread, left, right, result, NULL);
}
