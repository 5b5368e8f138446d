/* What the engine needs of oneDNN: primitives that are made once and run on plain memory. The two
 * generations of its API differ in how a primitive is described; dnn_api.h and the file behind it
 * (dnn_v2.c or dnn_v3.c) hold all of that. */
#pragma once

#include "common/error.h"
#include "engine/machine/cpu.h"

#include <stdbool.h>
#include <stddef.h>

struct dnn;
struct dnn_op;

enum dnn_type { DNN_F32, DNN_BF16 };

/* A lane is what one thread runs operations on; operations may run on several lanes at once. */
struct dnn *dnn_open(int lanes, struct error *err) __attribute__((warn_unused_result));
void dnn_close(struct dnn *dnn);

/* Limits the library to the instruction set of the spec's field `isa` ("auto", "avx2", ...), or
 * to what the processor has if that is less; *ret_isa is the result. Only the first call has an
 * effect on the library. */
bool dnn_use_isa(const char *name, enum cpu_isa *ret_isa, struct error *err)
    __attribute__((warn_unused_result));

/* "oneDNN 2.6.3". */
void dnn_version(char *ret_text, size_t size);

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

/* Each returns an operation that the caller gives back to dnn_op_free(), or NULL. dnn_op_run()
 * wants the memory in the order that stands behind each. */

/* left, right, result */
struct dnn_op *dnn_product(struct dnn *dnn, const struct dnn_product *product, struct error *err);

/* forward: input, weights, output. data: output gradient, weights, input gradient.
 * weights: input, output gradient, weight gradient. Weights are in the operation's own layout. */
/* With `like`, an operation of the same pass, the weights have the layout that it has. */
struct dnn_op *dnn_convolution(struct dnn *dnn, enum dnn_pass pass,
                               const struct dnn_convolution *shape, const struct dnn_op *like,
                               struct error *err);

/* How weights lie in memory. */
struct dnn_layout {
    const struct dnn_op *of; /* as this convolution wants them */
    /* Or f32, with so many numbers from one o, i, h, w to the next; without either: OIHW. */
    const long *strides;
};

/* Moves weights from one layout to another: from, to. */
struct dnn_op *dnn_weight_reorder(struct dnn *dnn, const struct dnn_convolution *shape,
                                  struct dnn_layout from, struct dnn_layout to,
                                  struct error *err);

/* forward: input, scale, shift, mean, variance, output, workspace.
 * data: input, mean, variance, output gradient, scale, shift, workspace, input gradient, scale
 * gradient, shift gradient. */
struct dnn_op *dnn_norm(struct dnn *dnn, enum dnn_pass pass, const struct dnn_norm *shape,
                        struct error *err);

/* forward: input, output, workspace. data: output gradient, input gradient, workspace. */
struct dnn_op *dnn_pool(struct dnn *dnn, enum dnn_pass pass, const struct dnn_pool *shape,
                        struct error *err);

/* left + right -> result, with a ReLU behind it if asked for: left, right, result. */
struct dnn_op *dnn_add(struct dnn *dnn, struct dnn_images shape, bool relu, struct error *err);

/* The gradient through a ReLU: its output, output gradient, input gradient. */
struct dnn_op *dnn_relu_backward(struct dnn *dnn, struct dnn_images shape, struct error *err);

/* NCHW f32 to what the shape says: from, to. */
struct dnn_op *dnn_take_images(struct dnn *dnn, struct dnn_images shape, struct error *err);

/* The same images from one order to another: from, to. */
struct dnn_op *dnn_image_reorder(struct dnn *dnn, struct dnn_images from, struct dnn_images to,
                                 struct error *err);

/* Runs on lane 0 and waits. `memory` has as many pointers as the list above has words; what the
 * operation turns out not to need (a workspace, say) may be NULL. */
bool dnn_op_run(struct dnn_op *op, void *const memory[], struct error *err)
    __attribute__((warn_unused_result));
bool dnn_op_run_on(struct dnn_op *op, int lane, void *const memory[], struct error *err)
    __attribute__((warn_unused_result));

/* Bytes of the memory at a place of that list; 0 where it needs none. */
size_t dnn_op_size(const struct dnn_op *op, int place);

/* `shape`, in the order that the images at a place of that list have: DNN_LIKE, for as long as
 * the operation lives. */
struct dnn_images dnn_op_images(const struct dnn_op *op, int place, struct dnn_images shape);

/* Which implementation runs: a name with "ref" in it is slow. */
const char *dnn_op_name(const struct dnn_op *op);

/* NULL is fine. */
void dnn_op_free(struct dnn_op *op);
