/* Tested by tests/engine/train/onednn/dnn_test.c. */
#include "engine/train/onednn/dnn_api.h"

typedef dnnl_memory_desc_t desc;

static dnnl_status_t dnn_describe_matrix(struct dnn_matrix shape, desc *ret)
{
    const dnnl_dims_t sizes = {shape.rows, shape.columns};
    const long stride = shape.stride       ? shape.stride
                        : shape.transposed ? shape.rows
                                           : shape.columns;
    const dnnl_dims_t plain = {stride, 1}, transposed = {1, stride};

    return dnnl_memory_desc_init_by_strides(ret, 2, sizes, dnn_api_type(shape.type),
                                            shape.transposed ? transposed : plain);
}

static dnnl_status_t dnn_describe_like(dnnl_memory_t memory, desc *ret)
{
    const desc *description;
    dnnl_status_t status = dnnl_memory_get_memory_desc(memory, &description);

    if (status == dnnl_success)
        *ret = *description;
    return status;
}

static dnnl_status_t dnn_describe_images(struct dnn_images shape, desc *ret)
{
    static const dnnl_format_tag_t tags[] = {
        [DNN_NHWC] = dnnl_nhwc, [DNN_NCHW] = dnnl_nchw, [DNN_FREE] = dnnl_format_tag_any};
    const dnnl_dims_t sizes = {shape.batch, shape.channels, shape.height, shape.width};

    if (shape.order == DNN_LIKE)
        return dnn_describe_like(shape.like, ret);
    return dnnl_memory_desc_init_by_tag(ret, 4, sizes, dnn_api_type(shape.type),
                                        tags[shape.order]);
}

static dnnl_status_t dnn_describe_weights(const struct dnn_convolution *shape,
                                          dnnl_data_type_t type, dnnl_format_tag_t tag, desc *ret)
{
    const dnnl_dims_t sizes = {shape->output.channels, shape->input.channels, shape->kernel,
                               shape->kernel};

    return dnnl_memory_desc_init_by_tag(ret, 4, sizes, type, tag);
}

static dnnl_status_t dnn_make_primitive(const void *operation, dnnl_primitive_attr_t attributes,
                                        dnnl_engine_t engine, dnnl_primitive_desc_t hint,
                                        dnnl_primitive_desc_t *ret)
{
    return dnnl_primitive_desc_create(ret, operation, attributes, engine, hint);
}

/* Scratch memory of the caller, and a sum with what is there where asked for. */
static dnnl_status_t product_attributes(bool adds, dnnl_primitive_attr_t *ret)
{
    dnnl_post_ops_t after = NULL;
    dnnl_status_t status = dnnl_primitive_attr_create(ret);

    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_scratchpad_mode(*ret, dnnl_scratchpad_mode_user);
    if (status == dnnl_success && adds)
        status = dnnl_post_ops_create(&after);
    if (status == dnnl_success && adds)
        status = dnnl_post_ops_append_sum(after, 1);
    if (status == dnnl_success && adds)
        status = dnnl_primitive_attr_set_post_ops(*ret, after);
    if (after)
        dnnl_post_ops_destroy(after);
    return status;
}

dnnl_status_t dnn_api_product(dnnl_engine_t engine, const struct dnn_product *product,
                              dnnl_primitive_desc_t *ret)
{
    const struct dnn_matrix result = {.rows = product->left.rows,
                                      .columns = product->right.columns,
                                      .stride = product->result_stride};
    dnnl_primitive_attr_t attributes = NULL;
    desc a, b, c;
    dnnl_matmul_desc_t operation;
    dnnl_status_t status = dnn_describe_matrix(product->left, &a);

    if (status == dnnl_success)
        status = dnn_describe_matrix(product->right, &b);
    if (status == dnnl_success)
        status = dnn_describe_matrix(result, &c);
    if (status == dnnl_success)
        status = dnnl_matmul_desc_init(&operation, &a, &b, NULL, &c);
    if (status == dnnl_success)
        status = product_attributes(product->adds, &attributes);
    if (status == dnnl_success)
        status = dnn_make_primitive(&operation, attributes, engine, NULL, ret);
    if (attributes)
        dnnl_primitive_attr_destroy(attributes);
    return status;
}

dnnl_status_t dnn_api_convolution(dnnl_engine_t engine, const struct dnn_request *request,
                                  dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    const struct dnn_convolution *shape = request->shape;
    const struct dnn_window at = dnn_window_of(shape);
    enum dnn_pass pass = request->pass;
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    /* The gradient of the weights is summed in f32, also of bf16 images. */
    dnnl_data_type_t type =
        pass == DNN_BACKWARD_WEIGHTS ? dnnl_f32 : dnn_api_type(shape->input.type);
    dnnl_convolution_desc_t operation;
    desc x, w, y;
    dnnl_status_t status = dnn_describe_images(shape->input, &x);

    if (status == dnnl_success)
        status = dnn_describe_images(shape->output, &y);
    if (status == dnnl_success)
        status = request->like ? dnn_describe_like(request->like, &w)
                               : dnn_describe_weights(shape, type, dnnl_format_tag_any, &w);
    if (status != dnnl_success)
        return status;
    if (pass == DNN_FORWARD)
        status =
            dnnl_convolution_forward_desc_init(&operation, dnnl_forward_training, direct, &x, &w,
                                               NULL, &y, at.strides, at.before, at.after);
    else if (pass == DNN_BACKWARD_DATA)
        status = dnnl_convolution_backward_data_desc_init(&operation, direct, &x, &w, &y,
                                                          at.strides, at.before, at.after);
    else
        status = dnnl_convolution_backward_weights_desc_init(&operation, direct, &x, &w, NULL, &y,
                                                             at.strides, at.before, at.after);
    return status == dnnl_success
               ? dnn_make_primitive(&operation, request->attributes, engine, hint, ret)
               : status;
}

dnnl_status_t dnn_api_norm(dnnl_engine_t engine, enum dnn_pass pass, const struct dnn_norm *shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    unsigned flags = dnnl_use_scale | dnnl_use_shift | (shape->relu ? dnnl_fuse_norm_relu : 0u);
    dnnl_batch_normalization_desc_t operation;
    desc x;
    dnnl_status_t status = dnn_describe_images(shape->images, &x);

    if (status != dnnl_success)
        return status;
    if (pass == DNN_FORWARD)
        status = dnnl_batch_normalization_forward_desc_init(&operation, dnnl_forward_training, &x,
                                                            shape->epsilon, flags);
    else
        status = dnnl_batch_normalization_backward_desc_init(&operation, dnnl_backward, &x, &x,
                                                             shape->epsilon, flags);
    return status == dnnl_success ? dnn_make_primitive(&operation, NULL, engine, hint, ret)
                                  : status;
}

dnnl_status_t dnn_api_pool(dnnl_engine_t engine, enum dnn_pass pass, const struct dnn_pool *shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    const struct dnn_window at = dnn_window_of_pool(shape);
    dnnl_alg_kind_t kind = shape->mean ? dnnl_pooling_avg_exclude_padding : dnnl_pooling_max;
    dnnl_pooling_desc_t operation;
    desc x, y;
    dnnl_status_t status = dnn_describe_images(shape->input, &x);

    if (status == dnnl_success)
        status = dnn_describe_images(shape->output, &y);
    if (status != dnnl_success)
        return status;
    if (pass == DNN_FORWARD)
        status = dnnl_pooling_forward_desc_init(&operation, dnnl_forward_training, kind, &x, &y,
                                                at.strides, at.kernel, at.before, at.after);
    else
        status = dnnl_pooling_backward_desc_init(&operation, kind, &x, &y, at.strides, at.kernel,
                                                 at.before, at.after);
    return status == dnnl_success ? dnn_make_primitive(&operation, NULL, engine, hint, ret)
                                  : status;
}

dnnl_status_t dnn_api_add(dnnl_engine_t engine, struct dnn_images shape, bool relu,
                          dnnl_primitive_desc_t *ret)
{
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t after = NULL;
    dnnl_binary_desc_t operation;
    desc x;
    dnnl_status_t status = dnn_describe_images(shape, &x);

    if (status == dnnl_success)
        status = dnnl_binary_desc_init(&operation, dnnl_binary_add, &x, &x, &x);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_create(&attributes);
    if (status == dnnl_success)
        status = dnnl_post_ops_create(&after);
    if (status == dnnl_success && relu)
        status = dnnl_post_ops_append_eltwise(after, 1, dnnl_eltwise_relu, 0, 0);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_post_ops(attributes, after);
    if (status == dnnl_success)
        status = dnn_make_primitive(&operation, attributes, engine, NULL, ret);
    if (after)
        dnnl_post_ops_destroy(after);
    if (attributes)
        dnnl_primitive_attr_destroy(attributes);
    return status;
}

dnnl_status_t dnn_api_relu(dnnl_engine_t engine, enum dnn_pass pass, struct dnn_images shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    dnnl_alg_kind_t kind = dnnl_eltwise_relu_use_dst_for_bwd;
    dnnl_eltwise_desc_t operation;
    desc x;
    dnnl_status_t status = dnn_describe_images(shape, &x);

    if (status != dnnl_success)
        return status;
    if (pass == DNN_FORWARD)
        status =
            dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_training, kind, &x, 0, 0);
    else
        status = dnnl_eltwise_backward_desc_init(&operation, kind, &x, &x, 0, 0);
    return status == dnnl_success ? dnn_make_primitive(&operation, NULL, engine, hint, ret)
                                  : status;
}

dnnl_status_t dnn_api_images(dnnl_engine_t engine, struct dnn_images shape, dnnl_memory_t *ret)
{
    desc x;
    dnnl_status_t status = dnn_describe_images(shape, &x);

    return status == dnnl_success ? dnnl_memory_create(ret, &x, engine, DNNL_MEMORY_NONE)
                                  : status;
}

dnnl_status_t dnn_api_plain_weights(dnnl_engine_t engine, const struct dnn_convolution *shape,
                                    const long *strides, dnnl_memory_t *ret)
{
    const dnnl_dims_t sizes = {shape->output.channels, shape->input.channels, shape->kernel,
                               shape->kernel};
    desc w;
    dnnl_status_t status = strides
                               ? dnnl_memory_desc_init_by_strides(&w, 4, sizes, dnnl_f32, strides)
                               : dnnl_memory_desc_init_by_tag(&w, 4, sizes, dnnl_f32, dnnl_oihw);

    return status == dnnl_success ? dnnl_memory_create(ret, &w, engine, DNNL_MEMORY_NONE)
                                  : status;
}

dnnl_status_t dnn_api_vector(dnnl_engine_t engine, long channels, dnnl_memory_t *ret)
{
    const dnnl_dims_t sizes = {channels};
    desc v;
    dnnl_status_t status = dnnl_memory_desc_init_by_tag(&v, 1, sizes, dnnl_f32, dnnl_a);

    return status == dnnl_success ? dnnl_memory_create(ret, &v, engine, DNNL_MEMORY_NONE)
                                  : status;
}

size_t dnn_api_memory_size(dnnl_memory_t memory)
{
    const desc *description;

    dnnl_memory_get_memory_desc(memory, &description);
    return dnnl_memory_desc_get_size(description);
}

dnnl_status_t dnn_api_reorder(dnnl_engine_t engine, dnnl_memory_t from, dnnl_memory_t to,
                              dnnl_primitive_attr_t attributes, dnnl_primitive_desc_t *ret)
{
    const desc *a, *b;
    dnnl_status_t status = dnnl_memory_get_memory_desc(from, &a);

    if (status == dnnl_success)
        status = dnnl_memory_get_memory_desc(to, &b);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(ret, a, engine, b, engine, attributes);
    return status;
}

bool dnn_api_norm_backward_takes_shift(void)
{
    return true;
}

bool dnn_images_lie_alike(const struct dnn_images *a, const struct dnn_images *b)
{
    desc x, y;

    return dnn_describe_images(*a, &x) == dnnl_success &&
           dnn_describe_images(*b, &y) == dnnl_success && dnnl_memory_desc_equal(&x, &y);
}
