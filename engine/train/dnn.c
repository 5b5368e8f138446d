#include "engine/train/dnn.h"

#include "common/cleanup.h"
#include "engine/train/dnn_api.h"

struct dnn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};

struct dnn_product {
    struct dnn *dnn;
    dnnl_primitive_t primitive;
    dnnl_memory_t left, right, result;
};

static bool failed(struct error *err, dnnl_status_t status, const char *doing)
{
    return error_set(err, ERROR_INTERNAL, NULL, "oneDNN cannot %s: status %d", doing,
                     (int)status);
}

struct dnn *dnn_open(struct error *err)
{
    struct dnn *dnn = calloc(1, sizeof *dnn);
    dnnl_status_t status;

    if (!dnn) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    status = dnnl_engine_create(&dnn->engine, dnnl_cpu, 0);
    if (status == dnnl_success)
        status = dnnl_stream_create(&dnn->stream, dnn->engine, dnnl_stream_default_flags);
    if (status != dnnl_success) {
        failed(err, status, "make an engine");
        dnn_close(dnn);
        return NULL;
    }
    return dnn;
}

void dnn_close(struct dnn *dnn)
{
    if (!dnn)
        return;
    if (dnn->stream)
        dnnl_stream_destroy(dnn->stream);
    if (dnn->engine)
        dnnl_engine_destroy(dnn->engine);
    free(dnn);
}

void dnn_version(char *ret_text, size_t size)
{
    const dnnl_version_t *version = dnnl_version();

    snprintf(ret_text, size, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
}

static dnnl_status_t build(struct dnn_product *product, struct dnn_shape left,
                           struct dnn_shape right)
{
    const struct dnn_shape result = {.rows = left.rows, .columns = right.columns};
    dnnl_engine_t engine = product->dnn->engine;
    dnnl_primitive_desc_t description;
    dnnl_status_t status = dnn_api_product(engine, left, right, &description);

    if (status != dnnl_success)
        return status;
    status = dnnl_primitive_create(&product->primitive, description);
    dnnl_primitive_desc_destroy(description);
    if (status == dnnl_success)
        status = dnn_api_matrix(engine, left, &product->left);
    if (status == dnnl_success)
        status = dnn_api_matrix(engine, right, &product->right);
    if (status == dnnl_success)
        status = dnn_api_matrix(engine, result, &product->result);
    return status;
}

struct dnn_product *dnn_product_new(struct dnn *dnn, struct dnn_shape left,
                                    struct dnn_shape right, struct error *err)
{
    struct dnn_product *product = calloc(1, sizeof *product);
    dnnl_status_t status;

    if (!product) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    product->dnn = dnn;
    status = build(product, left, right);
    if (status != dnnl_success) {
        failed(err, status, "multiply such matrices");
        dnn_product_free(product);
        return NULL;
    }
    return product;
}

bool dnn_product_run(struct dnn_product *product, float *left, float *right, float *result,
                     struct error *err)
{
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, product->left},
                                         {DNNL_ARG_WEIGHTS, product->right},
                                         {DNNL_ARG_DST, product->result}};
    dnnl_stream_t stream = product->dnn->stream;
    dnnl_status_t status;

    dnnl_memory_set_data_handle(product->left, left);
    dnnl_memory_set_data_handle(product->right, right);
    dnnl_memory_set_data_handle(product->result, result);
    status = dnnl_primitive_execute(product->primitive, stream, (int)COUNT(arguments), arguments);
    if (status == dnnl_success)
        status = dnnl_stream_wait(stream);
    return status == dnnl_success || failed(err, status, "multiply");
}

void dnn_product_free(struct dnn_product *product)
{
    if (!product)
        return;
    if (product->primitive)
        dnnl_primitive_destroy(product->primitive);
    if (product->left)
        dnnl_memory_destroy(product->left);
    if (product->right)
        dnnl_memory_destroy(product->right);
    if (product->result)
        dnnl_memory_destroy(product->result);
    free(product);
}
