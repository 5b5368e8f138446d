#include "engine/train/dnn_api.h"

static dnnl_status_t describe(struct dnn_shape shape, dnnl_memory_desc_t *ret_description)
{
    const dnnl_dims_t sizes = {shape.rows, shape.columns};
    const dnnl_dims_t plain = {shape.columns, 1}, transposed = {1, shape.rows};

    return dnnl_memory_desc_init_by_strides(ret_description, 2, sizes, dnnl_f32,
                                            shape.transposed ? transposed : plain);
}

dnnl_status_t dnn_api_product(dnnl_engine_t engine, struct dnn_shape left, struct dnn_shape right,
                              dnnl_primitive_desc_t *ret_description)
{
    const struct dnn_shape result = {.rows = left.rows, .columns = right.columns};
    dnnl_memory_desc_t a, b, c;
    dnnl_matmul_desc_t operation;
    dnnl_status_t status = describe(left, &a);

    if (status == dnnl_success)
        status = describe(right, &b);
    if (status == dnnl_success)
        status = describe(result, &c);
    if (status == dnnl_success)
        status = dnnl_matmul_desc_init(&operation, &a, &b, NULL, &c);
    if (status == dnnl_success)
        status = dnnl_primitive_desc_create(ret_description, &operation, NULL, engine, NULL);
    return status;
}

dnnl_status_t dnn_api_matrix(dnnl_engine_t engine, struct dnn_shape shape,
                             dnnl_memory_t *ret_memory)
{
    dnnl_memory_desc_t description;
    dnnl_status_t status = describe(shape, &description);

    if (status == dnnl_success)
        status = dnnl_memory_create(ret_memory, &description, engine, DNNL_MEMORY_NONE);
    return status;
}
