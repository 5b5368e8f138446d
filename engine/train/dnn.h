/* What the engine needs of oneDNN: products of matrices in f32. oneDNN's two API generations
 * differ in how a primitive is described; dnn_v2.c and dnn_v3.c hold all of that. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct dnn;
struct dnn_product;

struct dnn *dnn_open(struct error *err) __attribute__((warn_unused_result));
void dnn_close(struct dnn *dnn);

/* "oneDNN 2.6.3". */
void dnn_version(char *ret_text, size_t size);

/* A matrix of rows x columns, stored row by row; or the transpose of one that is stored so. */
struct dnn_shape {
    long rows, columns;
    bool transposed; /* it is stored as columns x rows */
};

/* left (m x k) times right (k x n). The caller gives the result back to dnn_product_free(). */
struct dnn_product *dnn_product_new(struct dnn *dnn, struct dnn_shape left,
                                    struct dnn_shape right, struct error *err)
    __attribute__((warn_unused_result));

/* Computes into `result` (m x n, row by row) and waits for it. */
bool dnn_product_run(struct dnn_product *product, float *left, float *right, float *result,
                     struct error *err) __attribute__((warn_unused_result));

/* NULL is fine. */
void dnn_product_free(struct dnn_product *product);
