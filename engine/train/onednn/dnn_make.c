/* Tested by tests/engine/train/onednn/dnn_test.c. */
#include "engine/train/onednn/dnn_make.h"

#include "common/cleanup.h"
#include "engine/train/onednn/dnn_op.h"

struct dnn_op *dnn_product(struct dnn *dnn, const struct dnn_product *product, struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                        {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const struct op_signature signature = {"multiply such matrices", slots, COUNT(slots),
                                                  0};
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnn_api_product(dnn->engine, product, &description);

    return dnn_op_new(dnn, status, description, &signature, err);
}

/* Where an operation's weights are in its list. */
static dnnl_memory_t weights_of(const struct dnn_op *convolution)
{
    return convolution->ends[0]
        .memory[convolution->arguments[2] == DNNL_ARG_DIFF_WEIGHTS ? 2 : 1];
}

struct dnn_op *dnn_convolution(struct dnn *dnn, enum dnn_pass pass,
                               const struct dnn_convolution *shape, const struct dnn_op *like,
                               struct error *err)
{
    static const struct slot slots[][3] = {
        [DNN_FORWARD] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                         {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                         {DNNL_ARG_DST, dnnl_query_dst_md, 0}},
        [DNN_BACKWARD_DATA] = {{DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                               {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                               {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0}},
        [DNN_BACKWARD_WEIGHTS] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                  {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                                  {DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md, 0}},
    };
    const struct op_signature signature = {"convolve such images", slots[pass], 3, 0};
    struct dnn_request request = {DNN_FORWARD, shape, NULL, dnn->attributes};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status;

    if (pass == DNN_FORWARD && like)
        request.like = weights_of(like);
    status = dnn_api_convolution(dnn->engine, &request, NULL, &hint);
    if (pass == DNN_FORWARD)
        return dnn_op_new(dnn, status, hint, &signature, err);
    if (status == dnnl_success) {
        request.pass = pass;
        request.like = like ? weights_of(like) : NULL;
        status = dnn_api_convolution(dnn->engine, &request, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return dnn_op_new(dnn, status, description, &signature, err);
}

/* From one memory's layout to another's; takes over neither. */
static struct dnn_op *dnn_reorder(struct dnn *dnn, dnnl_memory_t from, dnnl_memory_t to,
                                  struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const struct op_signature signature = {"reorder such memory", slots, COUNT(slots), 0};
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnn_api_reorder(dnn->engine, from, to, dnn->attributes, &description);

    return dnn_op_new(dnn, status, description, &signature, err);
}

struct dnn_op *dnn_weight_reorder(struct dnn *dnn, const struct dnn_convolution *shape,
                                  struct dnn_layout from, struct dnn_layout to, struct error *err)
{
    dnnl_memory_t left = NULL, right = NULL;
    dnnl_status_t status = dnn_api_plain_weights(dnn->engine, shape, from.strides, &left);
    struct dnn_op *op = NULL;

    if (status == dnnl_success)
        status = dnn_api_plain_weights(dnn->engine, shape, to.strides, &right);
    if (status == dnnl_success)
        op = dnn_reorder(dnn, from.of ? weights_of(from.of) : left,
                         to.of ? weights_of(to.of) : right, err);
    else
        dnn_failed(err, status, "describe weights");
    if (left)
        dnnl_memory_destroy(left);
    if (right)
        dnnl_memory_destroy(right);
    return op;
}

struct dnn_op *dnn_image_reorder(struct dnn *dnn, struct dnn_images from, struct dnn_images to,
                                 struct error *err)
{
    dnnl_memory_t left = NULL, right = NULL;
    dnnl_status_t status = dnn_api_images(dnn->engine, from, &left);
    struct dnn_op *op = NULL;

    if (status == dnnl_success)
        status = dnn_api_images(dnn->engine, to, &right);
    if (status == dnnl_success)
        op = dnn_reorder(dnn, left, right, err);
    else
        dnn_failed(err, status, "describe images");
    if (left)
        dnnl_memory_destroy(left);
    if (right)
        dnnl_memory_destroy(right);
    return op;
}

struct dnn_op *dnn_take_images(struct dnn *dnn, struct dnn_images shape, struct error *err)
{
    struct dnn_images plain = shape;

    plain.type = DNN_F32;
    plain.order = DNN_NCHW;
    return dnn_image_reorder(dnn, plain, shape, err);
}

struct dnn_op *dnn_norm(struct dnn *dnn, enum dnn_pass pass, const struct dnn_norm *shape,
                        struct error *err)
{
    static const struct slot forward[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                          {DNNL_ARG_SCALE, dnnl_query_undef, 0},
                                          {DNNL_ARG_SHIFT, dnnl_query_undef, 0},
                                          {DNNL_ARG_MEAN, dnnl_query_undef, 0},
                                          {DNNL_ARG_VARIANCE, dnnl_query_undef, 0},
                                          {DNNL_ARG_DST, dnnl_query_dst_md, 0},
                                          {DNNL_ARG_WORKSPACE, dnnl_query_workspace_md, 0}};
    struct slot backward[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                              {DNNL_ARG_MEAN, dnnl_query_undef, 0},
                              {DNNL_ARG_VARIANCE, dnnl_query_undef, 0},
                              {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                              {DNNL_ARG_SCALE, dnnl_query_undef, 0},
                              {DNNL_ARG_SHIFT, dnnl_query_undef, 0},
                              {DNNL_ARG_WORKSPACE, dnnl_query_workspace_md, 0},
                              {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0},
                              {DNNL_ARG_DIFF_SCALE, dnnl_query_undef, 0},
                              {DNNL_ARG_DIFF_SHIFT, dnnl_query_undef, 0}};
    struct op_signature signature = {"normalise such images", forward, COUNT(forward),
                                     shape->images.channels};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_norm(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (pass == DNN_FORWARD)
        return dnn_op_new(dnn, status, hint, &signature, err);
    if (!dnn_api_norm_backward_takes_shift())
        backward[5].argument = 0;
    signature.slots = backward;
    signature.count = COUNT(backward);
    if (status == dnnl_success) {
        status = dnn_api_norm(dnn->engine, pass, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return dnn_op_new(dnn, status, description, &signature, err);
}

struct dnn_op *dnn_pool(struct dnn *dnn, enum dnn_pass pass, const struct dnn_pool *shape,
                        struct error *err)
{
    static const struct slot slots[][3] = {
        [DNN_FORWARD] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                         {DNNL_ARG_DST, dnnl_query_dst_md, 0},
                         {DNNL_ARG_WORKSPACE, dnnl_query_workspace_md, 0}},
        [DNN_BACKWARD_DATA] = {{DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                               {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0},
                               {DNNL_ARG_WORKSPACE, dnnl_query_workspace_md, 0}},
    };
    const struct op_signature signature = {"pool such images", slots[pass], 3, 0};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_pool(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (pass == DNN_FORWARD)
        return dnn_op_new(dnn, status, hint, &signature, err);
    if (status == dnnl_success) {
        status = dnn_api_pool(dnn->engine, pass, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return dnn_op_new(dnn, status, description, &signature, err);
}

struct dnn_op *dnn_add(struct dnn *dnn, struct dnn_images shape, bool relu, struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_SRC_0, dnnl_query_src_md, 0},
                                        {DNNL_ARG_SRC_1, dnnl_query_src_md, 1},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const struct op_signature signature = {"add such images", slots, COUNT(slots), 0};
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnn_api_add(dnn->engine, shape, relu, &description);

    return dnn_op_new(dnn, status, description, &signature, err);
}

struct dnn_op *dnn_relu_backward(struct dnn *dnn, struct dnn_images shape, struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_DST, dnnl_query_dst_md, 0},
                                        {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                                        {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0}};
    static const struct op_signature signature = {"take a ReLU's gradient", slots, COUNT(slots),
                                                  0};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_relu(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (status == dnnl_success) {
        status = dnn_api_relu(dnn->engine, DNN_BACKWARD_DATA, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return dnn_op_new(dnn, status, description, &signature, err);
}
