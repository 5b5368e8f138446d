/* Where oneDNN's generations differ: how primitives and plain memory are described. Implemented
 * by dnn_v2.c or dnn_v3.c, whichever fits the installed library; used by dnn.c alone. `hint` is
 * the description of the forward pass, for backward ones. */
#pragma once

#include "engine/train/onednn/dnn_shapes.h"

#include <dnnl.h>

/* Geometry of a window: what convolutions and pools say in the same words. */
struct dnn_window {
    dnnl_dims_t strides, kernel, dilation, before, after;
};

static inline struct dnn_window dnn_window_of(const struct dnn_convolution *shape)
{
    long reach = shape->kernel - shape->padding;

    return (struct dnn_window){
        .strides = {shape->stride, shape->stride},
        .kernel = {shape->kernel, shape->kernel},
        .before = {shape->padding, shape->padding},
        .after = {(shape->output.height - 1) * shape->stride + reach - shape->input.height,
                  (shape->output.width - 1) * shape->stride + reach - shape->input.width}};
}

static inline struct dnn_window dnn_window_of_pool(const struct dnn_pool *shape)
{
    const struct dnn_convolution same = {shape->input, shape->output, shape->kernel,
                                         shape->stride, shape->padding};

    return dnn_window_of(&same);
}

/* How a convolution is wanted. */
struct dnn_request {
    enum dnn_pass pass;
    const struct dnn_convolution *shape;
    dnnl_memory_t like; /* weights have its layout; NULL: whichever is fastest */
    dnnl_primitive_attr_t attributes;
};

static inline dnnl_data_type_t dnn_api_type(enum dnn_type type)
{
    return type == DNN_BF16 ? dnnl_bf16 : dnnl_f32;
}

/* Scratch memory is the caller's. */
dnnl_status_t dnn_api_product(dnnl_engine_t engine, const struct dnn_product *product,
                              dnnl_primitive_desc_t *ret);
dnnl_status_t dnn_api_convolution(dnnl_engine_t engine, const struct dnn_request *request,
                                  dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret);
dnnl_status_t dnn_api_norm(dnnl_engine_t engine, enum dnn_pass pass, const struct dnn_norm *shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret);
dnnl_status_t dnn_api_pool(dnnl_engine_t engine, enum dnn_pass pass, const struct dnn_pool *shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret);
dnnl_status_t dnn_api_add(dnnl_engine_t engine, struct dnn_images shape, bool relu,
                          dnnl_primitive_desc_t *ret);
dnnl_status_t dnn_api_relu(dnnl_engine_t engine, enum dnn_pass pass, struct dnn_images shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret);

/* Memory without data: images, f32 weights with such strides or OIHW. */
dnnl_status_t dnn_api_images(dnnl_engine_t engine, struct dnn_images shape, dnnl_memory_t *ret);
dnnl_status_t dnn_api_plain_weights(dnnl_engine_t engine, const struct dnn_convolution *shape,
                                    const long *strides, dnnl_memory_t *ret);

/* One f32 number a channel. */
dnnl_status_t dnn_api_vector(dnnl_engine_t engine, long channels, dnnl_memory_t *ret);

size_t dnn_api_memory_size(dnnl_memory_t memory);

dnnl_status_t dnn_api_reorder(dnnl_engine_t engine, dnnl_memory_t from, dnnl_memory_t to,
                              dnnl_primitive_attr_t attributes, dnnl_primitive_desc_t *ret);

/* Batch-norm backward: version 2 insists on an argument that version 3 refuses. */
bool dnn_api_norm_backward_takes_shift(void);
