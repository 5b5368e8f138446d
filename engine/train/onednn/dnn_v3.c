/* Tested by tests/engine/train/onednn/dnn_test.c. */
#include "engine/train/onednn/dnn_api.h"

#include <string.h>

typedef dnnl_memory_desc_t desc; /* a handle here: made, used, destroyed */

static dnnl_status_t dnn_describe_matrix(struct dnn_matrix shape, desc *ret)
{
    const dnnl_dims_t sizes = {shape.rows, shape.columns};
    const long stride = shape.stride       ? shape.stride
                        : shape.transposed ? shape.rows
                                           : shape.columns;
    const dnnl_dims_t plain = {stride, 1}, transposed = {1, stride};

    return dnnl_memory_desc_create_with_strides(ret, 2, sizes, dnn_api_type(shape.type),
                                                shape.transposed ? transposed : plain);
}

static dnnl_status_t dnn_describe_like(dnnl_memory_t memory, desc *ret)
{
    const_dnnl_memory_desc_t description;
    dnnl_status_t status = dnnl_memory_get_memory_desc(memory, &description);

    return status == dnnl_success ? dnnl_memory_desc_clone(ret, description) : status;
}

static dnnl_status_t dnn_describe_images(struct dnn_images shape, desc *ret)
{
    static const dnnl_format_tag_t tags[] = {
        [DNN_NHWC] = dnnl_nhwc, [DNN_NCHW] = dnnl_nchw, [DNN_FREE] = dnnl_format_tag_any};
    const dnnl_dims_t sizes = {shape.batch, shape.channels, shape.height, shape.width};

    if (shape.order == DNN_LIKE)
        return dnn_describe_like(shape.like, ret);
    return dnnl_memory_desc_create_with_tag(ret, 4, sizes, dnn_api_type(shape.type),
                                            tags[shape.order]);
}

static dnnl_status_t dnn_describe_weights(const struct dnn_convolution *shape,
                                          dnnl_data_type_t type, dnnl_format_tag_t tag, desc *ret)
{
    const dnnl_dims_t sizes = {shape->output.channels, shape->input.channels, shape->kernel,
                               shape->kernel};

    return dnnl_memory_desc_create_with_tag(ret, 4, sizes, type, tag);
}

/* Destroys what a function has described; NULL handles are fine. */
static void dnn_forget(desc a, desc b, desc c)
{
    if (a)
        dnnl_memory_desc_destroy(a);
    if (b)
        dnnl_memory_desc_destroy(b);
    if (c)
        dnnl_memory_desc_destroy(c);
}

/* A memory object without data; takes over the description. */
static dnnl_status_t dnn_memory(dnnl_status_t status, desc description, dnnl_engine_t engine,
                                dnnl_memory_t *ret)
{
    if (status == dnnl_success)
        status = dnnl_memory_create(ret, description, engine, DNNL_MEMORY_NONE);
    dnn_forget(description, NULL, NULL);
    return status;
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
        status = dnnl_post_ops_append_sum(after, 1, 0, dnnl_data_type_undef);
    if (status == dnnl_success && adds)
        status = dnnl_primitive_attr_set_post_ops(*ret, after);
    if (after)
        dnnl_post_ops_destroy(after);
    return status;
}

/* Numbers that lie apart, one to a stored row. */
static bool is_thin(struct dnn_matrix matrix)
{
    long stored_columns = matrix.transposed ? matrix.rows : matrix.columns;

    return stored_columns == 1 && matrix.stride > 1;
}

/* The "brg" implementation of 3.7 takes such numbers for neighbours: it reads or writes wrong
 * ones. The next one does not. */
static dnnl_status_t avoid_wrong_product(const struct dnn_product *product,
                                         struct dnn_matrix result, dnnl_primitive_desc_t made)
{
    const char *name = "";
    dnnl_status_t status = dnnl_success;

    if (!is_thin(product->left) && !is_thin(product->right) && !is_thin(result))
        return status;
    while (status == dnnl_success &&
           dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name) == dnnl_success &&
           strncmp(name, "brg", 3) == 0)
        status = dnnl_primitive_desc_next_impl(made);
    return status;
}

dnnl_status_t dnn_api_product(dnnl_engine_t engine, const struct dnn_product *product,
                              dnnl_primitive_desc_t *ret)
{
    const struct dnn_matrix result = {.rows = product->left.rows,
                                      .columns = product->right.columns,
                                      .stride = product->result_stride};
    dnnl_primitive_attr_t attributes = NULL;
    desc a = NULL, b = NULL, c = NULL;
    dnnl_status_t status = dnn_describe_matrix(product->left, &a);

    if (status == dnnl_success)
        status = dnn_describe_matrix(product->right, &b);
    if (status == dnnl_success)
        status = dnn_describe_matrix(result, &c);
    if (status == dnnl_success)
        status = product_attributes(product->adds, &attributes);
    if (status == dnnl_success)
        status = dnnl_matmul_primitive_desc_create(ret, engine, a, b, NULL, c, attributes);
    if (status == dnnl_success && avoid_wrong_product(product, result, *ret) != dnnl_success) {
        dnnl_primitive_desc_destroy(*ret);
        *ret = NULL;
        status = dnnl_unimplemented;
    }
    if (attributes)
        dnnl_primitive_attr_destroy(attributes);
    dnn_forget(a, b, c);
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
    desc x = NULL, w = NULL, y = NULL;
    dnnl_status_t status = dnn_describe_images(shape->input, &x);

    if (status == dnnl_success)
        status = dnn_describe_images(shape->output, &y);
    if (status == dnnl_success)
        status = request->like ? dnn_describe_like(request->like, &w)
                               : dnn_describe_weights(shape, type, dnnl_format_tag_any, &w);
    if (status == dnnl_success && pass == DNN_FORWARD)
        status = dnnl_convolution_forward_primitive_desc_create(
            ret, engine, dnnl_forward_training, direct, x, w, NULL, y, at.strides, at.dilation,
            at.before, at.after, request->attributes);
    else if (status == dnnl_success && pass == DNN_BACKWARD_DATA)
        status = dnnl_convolution_backward_data_primitive_desc_create(
            ret, engine, direct, x, w, y, at.strides, at.dilation, at.before, at.after, hint,
            request->attributes);
    else if (status == dnnl_success)
        status = dnnl_convolution_backward_weights_primitive_desc_create(
            ret, engine, direct, x, w, NULL, y, at.strides, at.dilation, at.before, at.after,
            hint, request->attributes);
    dnn_forget(x, w, y);
    return status;
}

dnnl_status_t dnn_api_norm(dnnl_engine_t engine, enum dnn_pass pass, const struct dnn_norm *shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    unsigned flags = dnnl_use_scale | dnnl_use_shift | (shape->relu ? dnnl_fuse_norm_relu : 0u);
    desc x = NULL;
    dnnl_status_t status = dnn_describe_images(shape->images, &x);

    if (status == dnnl_success && pass == DNN_FORWARD)
        status = dnnl_batch_normalization_forward_primitive_desc_create(
            ret, engine, dnnl_forward_training, x, x, shape->epsilon, flags, NULL);
    else if (status == dnnl_success)
        status = dnnl_batch_normalization_backward_primitive_desc_create(
            ret, engine, dnnl_backward, x, x, x, shape->epsilon, flags, hint, NULL);
    dnn_forget(x, NULL, NULL);
    return status;
}

dnnl_status_t dnn_api_pool(dnnl_engine_t engine, enum dnn_pass pass, const struct dnn_pool *shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    const struct dnn_window at = dnn_window_of_pool(shape);
    dnnl_alg_kind_t kind = shape->mean ? dnnl_pooling_avg_exclude_padding : dnnl_pooling_max;
    desc x = NULL, y = NULL;
    dnnl_status_t status = dnn_describe_images(shape->input, &x);

    if (status == dnnl_success)
        status = dnn_describe_images(shape->output, &y);
    if (status == dnnl_success && pass == DNN_FORWARD)
        status = dnnl_pooling_forward_primitive_desc_create(
            ret, engine, dnnl_forward_training, kind, x, y, at.strides, at.kernel, at.dilation,
            at.before, at.after, NULL);
    else if (status == dnnl_success)
        status = dnnl_pooling_backward_primitive_desc_create(ret, engine, kind, x, y, at.strides,
                                                             at.kernel, at.dilation, at.before,
                                                             at.after, hint, NULL);
    dnn_forget(x, y, NULL);
    return status;
}

dnnl_status_t dnn_api_add(dnnl_engine_t engine, struct dnn_images shape, bool relu,
                          dnnl_primitive_desc_t *ret)
{
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t after = NULL;
    desc x = NULL;
    dnnl_status_t status = dnn_describe_images(shape, &x);

    if (status == dnnl_success)
        status = dnnl_primitive_attr_create(&attributes);
    if (status == dnnl_success)
        status = dnnl_post_ops_create(&after);
    if (status == dnnl_success && relu)
        status = dnnl_post_ops_append_eltwise(after, dnnl_eltwise_relu, 0, 0);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_post_ops(attributes, after);
    if (status == dnnl_success)
        status =
            dnnl_binary_primitive_desc_create(ret, engine, dnnl_binary_add, x, x, x, attributes);
    if (after)
        dnnl_post_ops_destroy(after);
    if (attributes)
        dnnl_primitive_attr_destroy(attributes);
    dnn_forget(x, NULL, NULL);
    return status;
}

dnnl_status_t dnn_api_relu(dnnl_engine_t engine, enum dnn_pass pass, struct dnn_images shape,
                           dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *ret)
{
    dnnl_alg_kind_t kind = dnnl_eltwise_relu_use_dst_for_bwd;
    desc x = NULL;
    dnnl_status_t status = dnn_describe_images(shape, &x);

    if (status == dnnl_success && pass == DNN_FORWARD)
        status = dnnl_eltwise_forward_primitive_desc_create(ret, engine, dnnl_forward_training,
                                                            kind, x, x, 0, 0, NULL);
    else if (status == dnnl_success)
        status = dnnl_eltwise_backward_primitive_desc_create(ret, engine, kind, x, x, x, 0, 0,
                                                             hint, NULL);
    dnn_forget(x, NULL, NULL);
    return status;
}

dnnl_status_t dnn_api_images(dnnl_engine_t engine, struct dnn_images shape, dnnl_memory_t *ret)
{
    desc x = NULL;

    dnnl_status_t status = dnn_describe_images(shape, &x);

    return dnn_memory(status, x, engine, ret);
}

dnnl_status_t dnn_api_plain_weights(dnnl_engine_t engine, const struct dnn_convolution *shape,
                                    const long *strides, dnnl_memory_t *ret)
{
    const dnnl_dims_t sizes = {shape->output.channels, shape->input.channels, shape->kernel,
                               shape->kernel};
    desc w = NULL;
    dnnl_status_t status =
        strides ? dnnl_memory_desc_create_with_strides(&w, 4, sizes, dnnl_f32, strides)
                : dnnl_memory_desc_create_with_tag(&w, 4, sizes, dnnl_f32, dnnl_oihw);

    return dnn_memory(status, w, engine, ret);
}

dnnl_status_t dnn_api_vector(dnnl_engine_t engine, long channels, dnnl_memory_t *ret)
{
    const dnnl_dims_t sizes = {channels};
    desc v = NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_tag(&v, 1, sizes, dnnl_f32, dnnl_a);

    return dnn_memory(status, v, engine, ret);
}

size_t dnn_api_memory_size(dnnl_memory_t memory)
{
    const_dnnl_memory_desc_t description;

    dnnl_memory_get_memory_desc(memory, &description);
    return dnnl_memory_desc_get_size(description);
}

dnnl_status_t dnn_api_reorder(dnnl_engine_t engine, dnnl_memory_t from, dnnl_memory_t to,
                              dnnl_primitive_attr_t attributes, dnnl_primitive_desc_t *ret)
{
    const_dnnl_memory_desc_t a, b;
    dnnl_status_t status = dnnl_memory_get_memory_desc(from, &a);

    if (status == dnnl_success)
        status = dnnl_memory_get_memory_desc(to, &b);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(ret, a, engine, b, engine, attributes);
    return status;
}

bool dnn_api_norm_backward_takes_shift(void)
{
    return false;
}

bool dnn_images_lie_alike(const struct dnn_images *a, const struct dnn_images *b)
{
    desc x = NULL, y = NULL;
    bool alike = dnn_describe_images(*a, &x) == dnnl_success &&
                 dnn_describe_images(*b, &y) == dnnl_success && dnnl_memory_desc_equal(x, y);

    dnn_forget(x, y, NULL);
    return alike;
}
