/* One product that all threads of a net compute together, each a part of the result: some of its
 * rows, or of its columns where there are few rows. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/layerwise/share.h"

struct product_part {
    struct dnn_op *op; /* NULL: this thread has no part */
    bool owned;        /* other parts of the same size use it, too */
    struct share rows, columns;
    long left, right, result; /* where its operands and its result begin */
};

struct product {
    struct layerwise *net;
    struct product_part *parts; /* (threads) */
};

/* Operands have the net's type, whatever the shape says. product_free() frees also what was made
 * half-way. */
bool product_make(struct product *product, struct layerwise *net, struct dnn_product shape,
                  struct error *err) __attribute__((warn_unused_result));
void product_free(struct product *product);

/* Computes the part of this thread. A failure is kept in the net's errors. */
void product_run(const struct product *product, int thread, void *left, void *right,
                 float *result);

/* Runs a product of one thread's own, with the same care for failures. */
void product_run_alone(struct layerwise *net, struct dnn_op *op, int thread, void *left,
                       void *right, float *result);

/* An operation for product_run_alone(): its operands have the net's type. NULL with the reason.
 */
struct dnn_op *product_alone(struct layerwise *net, struct dnn_product shape, struct error *err)
    __attribute__((warn_unused_result));
