/* What operations work on, and what they are asked for: no library here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum dnn_type { DNN_F32, DNN_BF16 };

size_t dnn_type_size(enum dnn_type type);

/* A matrix of rows x columns, stored row by row; or the transpose of one that is stored so. */
struct dnn_matrix {
    long rows, columns;
    bool transposed; /* it is stored as columns x rows */
    long stride;     /* numbers from one stored row to the next; 0: there is nothing in between */
    enum dnn_type type;
};

/* left x right, of one type, to a result of f32. */
struct dnn_product {
    struct dnn_matrix left, right;
    long result_stride; /* as in a matrix */
    bool adds;          /* to what is in the result */
};

/* How images lie in memory. */
enum dnn_order {
    DNN_NHWC, /* batch, height, width, channels */
    DNN_NCHW,
    DNN_FREE, /* as the operation likes best: dnn_op_images() says how that is */
    DNN_LIKE, /* as an operation wants them */
};

struct dnn_op;      /* see dnn.h */
struct dnnl_memory; /* the library's */

struct dnn_images {
    long batch, channels, height, width;
    enum dnn_type type;
    enum dnn_order order;
    struct dnnl_memory *like; /* of DNN_LIKE: belongs to the operation */
};

/* Of images that are not DNN_FREE. */
size_t dnn_images_bytes(const struct dnn_images *images);
bool dnn_images_lie_alike(const struct dnn_images *a, const struct dnn_images *b);

struct dnn_convolution {
    struct dnn_images input, output;
    long kernel, stride, padding;
};

/* Batch-norm over images, with scale and shift, and a ReLU behind it if asked for. */
struct dnn_norm {
    struct dnn_images images;
    float epsilon;
    bool relu;
};

struct dnn_pool {
    struct dnn_images input, output;
    long kernel, stride, padding;
    bool mean; /* else the maximum */
};

enum dnn_pass { DNN_FORWARD, DNN_BACKWARD_DATA, DNN_BACKWARD_WEIGHTS };

/* How weights lie in memory. */
struct dnn_layout {
    const struct dnn_op *of; /* as this convolution wants them */
    /* Or f32, with so many numbers from one o, i, h, w to the next; without either: OIHW. */
    const long *strides;
};
