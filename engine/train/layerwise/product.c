/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/product.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/onednn/dnn_make.h"

#define GRAIN 16

static long stride_of(const struct dnn_matrix *matrix)
{
    if (matrix->stride)
        return matrix->stride;
    return matrix->transposed ? matrix->rows : matrix->columns;
}

struct dnn_op *product_alone(struct layerwise *net, struct dnn_product shape, struct error *err)
{
    shape.left.type = shape.right.type = net->type;
    return dnn_product(net->dnn, &shape, err);
}

/* The rows or columns of one thread. */
static void lay_out(struct product_part *part, const struct dnn_product *shape, int thread,
                    int threads)
{
    long rows = shape->left.rows, columns = shape->right.columns;
    bool by_rows = rows >= GRAIN * threads || rows >= columns;
    long count = by_rows ? rows : columns;
    long grain = count >= 4 * GRAIN * threads ? GRAIN : 1;
    const struct share share = share_of(count, grain, thread, threads);

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

    lay_out(part, whole, thread, product->net->threads);
    if (part->rows.begin == part->rows.end || part->columns.begin == part->columns.end)
        return true;
    for (int i = 0; i < thread; i++)
        if (product->parts[i].op && same_size(&product->parts[i], part)) {
            part->op = product->parts[i].op;
            return true;
        }
    shape.left.stride = stride_of(&whole->left);
    shape.right.stride = stride_of(&whole->right);
    shape.result_stride = whole->result_stride ? whole->result_stride : whole->right.columns;
    shape.left.rows = part->rows.end - part->rows.begin;
    shape.right.columns = part->columns.end - part->columns.begin;
    part->op = product_alone(product->net, shape, err);
    part->owned = true;
    return part->op != NULL;
}

bool product_make(struct product *product, struct layerwise *net, struct dnn_product shape,
                  struct error *err)
{
    product->net = net;
    product->parts = xcalloc((size_t)net->threads, sizeof *product->parts);
    for (int i = 0; i < net->threads; i++)
        if (!make_part(product, i, &shape, err))
            return false;
    return true;
}

void product_free(struct product *product)
{
    for (int i = 0; product->parts && i < product->net->threads; i++)
        if (product->parts[i].owned)
            dnn_op_free(product->parts[i].op);
    freep(&product->parts);
}

void product_run_alone(struct layerwise *net, struct dnn_op *op, int thread, void *left,
                       void *right, float *result)
{
    void *const memory[] = {left, right, result};
    struct error *kept = &net->errors[thread];

    if (kept->kind == ERROR_NONE && !dnn_op_run_on(op, thread, memory, kept) &&
        kept->kind == ERROR_NONE)
        kept->kind = ERROR_INTERNAL;
}

void product_run(const struct product *product, int thread, void *left, void *right,
                 float *result)
{
    const struct product_part *part = &product->parts[thread];
    struct layerwise *net = product->net;

    if (part->op)
        product_run_alone(net, part->op, thread, operand_at(net, left, part->left),
                          operand_at(net, right, part->right), result + part->result);
}
