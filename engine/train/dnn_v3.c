#include "engine/train/dnn_api.h"

static dnnl_status_t describe(struct dnn_shape shape, dnnl_memory_desc_t *ret_description)
{
    const dnnl_dims_t sizes = {shape.rows, shape.columns};
    const dnnl_dims_t plain = {shape.columns, 1}, transposed = {1, shape.rows};

    return dnnl_memory_desc_create_with_strides(ret_description, 2, sizes, dnnl_f32,
                                                shape.transposed ? transposed : plain);
}

dnnl_status_t dnn_api_product(dnnl_engine_t engine, struct dnn_shape left, struct dnn_shape right,
                              dnnl_primitive_desc_t *ret_description)
{
    const struct dnn_shape result = {.rows = left.rows, .columns = right.columns};
    dnnl_memory_desc_t a = NULL, b = NULL, c = NULL;
    dnnl_status_t status = describe(left, &a);

    if (status == dnnl_success)
        status = describe(right, &b);
    if (status == dnnl_success)
        status = describe(result, &c);
    if (status == dnnl_success)
        status = dnnl_matmul_primitive_desc_create(ret_description, engine, a, b, NULL, c, NULL);
    dnnl_memory_desc_destroy(a);
    dnnl_memory_desc_destroy(b);
    dnnl_memory_desc_destroy(c);
    return status;
}

dnnl_status_t dnn_api_matrix(dnnl_engine_t engine, struct dnn_shape shape,
                             dnnl_memory_t *ret_memory)
{
    dnnl_memory_desc_t description;
    dnnl_status_t status = describe(shape, &description);

    if (status != dnnl_success)
        return status;
    status = dnnl_memory_create(ret_memory, description, engine, DNNL_MEMORY_NONE);
    dnnl_memory_desc_destroy(description);
    return status;
}
