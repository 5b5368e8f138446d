/* Products of matrices, of one thread's own or of all threads together. They are computed
 * by the net's kernel (tiles of AMX; vectors of AVX2 in f32) where that is faster, else by the
 * library. All belong to the net. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/layerwise/share.h"

struct product_alone;

/* NULL: the library multiplies everything. */
const struct product_kernel *product_kernel_for(enum cpu_isa isa, enum dnn_type type);

/* Operands have the net's type, whatever the shape says. NULL with the reason. */
MUST_USE struct product_alone *product_alone(struct layerwise *net, struct dnn_product shape,
                                             struct error *err);
/* A failure is kept in the net's errors. */
void product_run_alone(struct layerwise *net, const struct product_alone *product, int thread,
                       void *left, void *right, float *result);

/* A product whose right operand product_keep_right() packs once, for all runs that give NULL for
 * it. */
MUST_USE struct product_alone *product_kept(struct layerwise *net, struct dnn_product shape,
                                            struct error *err);
void product_keep_right(const struct layerwise *net, struct product_alone *product, void *right);

struct product_part {
    const struct product_alone *product; /* NULL: this thread has no part */
    struct share rows, columns;
    long left, right, result; /* where its operands and its result begin */
};

/* One product that all threads of a net compute, each a part of the result: some of its rows or
 * of its columns. */
struct product {
    struct layerwise *net;
    struct product_part *parts; /* (threads) */
};

MUST_USE bool product_make(struct product *product, struct layerwise *net,
                           struct dnn_product shape, struct error *err);
/* Computes the part of this thread. */
void product_run(const struct product *product, int thread, void *left, void *right,
                 float *result);

/* Rows and columns of the result that are complete. */
struct product_done {
    struct share rows, columns;
    const float *numbers; /* where they begin */
    long stride;          /* from a row to the next */
};

/* Numbers of a place for the rows of a thread's part that are complete at a time; 0: the result
 * must be a place for all of it. */
size_t product_passed(const struct product *product);

/* As product_run(); calls back, unless that is NULL, with all rows and columns of the part, each
 * once, when they are complete. */
struct product_callback {
    void (*ready)(void *user, const struct product_done *done);
    void *user;
    bool passes; /* the result is the thread's own place, of product_passed() */
};
void product_run_calling(const struct product *product, int thread, void *left, void *right,
                         float *result, const struct product_callback *callback);

/* All of a net; also of one that was made half-way. */
void products_free(struct layerwise *net);
