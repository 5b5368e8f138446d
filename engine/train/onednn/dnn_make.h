/* Makes operations of oneDNN; dnn.h runs them. */
#pragma once

#include "common/error.h"
#include "engine/train/onednn/dnn_shapes.h"

struct dnn;

/* Each returns an operation that the caller gives back to dnn_op_free(), or NULL. dnn_op_run()
 * wants the memory in the order that stands behind each. */

/* left, right, result */
struct dnn_op *dnn_product(struct dnn *dnn, const struct dnn_product *product, struct error *err);

/* forward: input, weights, output. data: output gradient, weights, input gradient.
 * weights: input, output gradient, weight gradient. Weights are in the operation's own layout.
 * With `like`, an operation of the same pass, the weights have the layout that it has. */
struct dnn_op *dnn_convolution(struct dnn *dnn, enum dnn_pass pass,
                               const struct dnn_convolution *shape, const struct dnn_op *like,
                               struct error *err);

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
