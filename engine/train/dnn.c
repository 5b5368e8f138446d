#include "engine/train/dnn.h"

#include "common/cleanup.h"
#include "engine/train/dnn_api.h"

#define SLOTS_MAX 10

struct dnn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};

struct dnn_op {
    struct dnn *dnn;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    int count;
    int arguments[SLOTS_MAX];
    dnnl_memory_t memory[SLOTS_MAX]; /* NULL where the primitive needs none */
};

/* What one argument of a primitive is. */
struct slot {
    int argument;       /* 0: this place of the list is not for this library */
    dnnl_query_t query; /* where its layout is told; dnnl_query_undef: f32, one a channel */
    int index;
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

size_t dnn_type_size(enum dnn_type type)
{
    return type == DNN_BF16 ? 2 : 4;
}

static dnnl_status_t add_slot(struct dnn_op *op, const struct slot *slot, long channels)
{
    dnnl_engine_t engine = op->dnn->engine;
    dnnl_memory_t *memory = &op->memory[op->count];
    size_t size;

    op->arguments[op->count++] = slot->argument;
    if (slot->argument == 0)
        return dnnl_success;
    if (slot->query == dnnl_query_undef)
        return dnn_api_vector(engine, channels, memory);
    size = dnnl_memory_desc_get_size(
        dnnl_primitive_desc_query_md(op->description, slot->query, slot->index));
    if (size == 0) /* a workspace that this implementation does without */
        return dnnl_success;
    return dnnl_memory_create(
        memory, dnnl_primitive_desc_query_md(op->description, slot->query, slot->index), engine,
        DNNL_MEMORY_NONE);
}

/* What an operation is made of, besides its description. */
struct recipe {
    const char *name; /* for errors: "cannot ..." */
    const struct slot *slots;
    int count;
    long channels;
};

/* Takes over `description` if `status` says that there is one. */
static struct dnn_op *op_new(struct dnn *dnn, dnnl_status_t status,
                             dnnl_primitive_desc_t description, const struct recipe *recipe,
                             struct error *err)
{
    struct dnn_op *op;

    if (status != dnnl_success) {
        failed(err, status, recipe->name);
        return NULL;
    }
    op = calloc(1, sizeof *op);
    if (!op) {
        dnnl_primitive_desc_destroy(description);
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    op->dnn = dnn;
    op->description = description;
    status = dnnl_primitive_create(&op->primitive, description);
    for (int i = 0; i < recipe->count && status == dnnl_success; i++)
        status = add_slot(op, &recipe->slots[i], recipe->channels);
    if (status != dnnl_success) {
        failed(err, status, recipe->name);
        dnn_op_free(op);
        return NULL;
    }
    return op;
}

struct dnn_op *dnn_product(struct dnn *dnn, struct dnn_matrix left, struct dnn_matrix right,
                           struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                        {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const struct recipe recipe = {"multiply such matrices", slots, COUNT(slots), 0};
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnn_api_product(dnn->engine, left, right, &description);

    return op_new(dnn, status, description, &recipe, err);
}

struct dnn_op *dnn_convolution(struct dnn *dnn, enum dnn_pass pass,
                               const struct dnn_convolution *shape, struct error *err)
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
    const struct recipe recipe = {"convolve such images", slots[pass], 3, 0};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_convolution(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (pass == DNN_FORWARD)
        return op_new(dnn, status, hint, &recipe, err);
    if (status == dnnl_success) {
        status = dnn_api_convolution(dnn->engine, pass, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return op_new(dnn, status, description, &recipe, err);
}

/* From one memory's layout to another's; takes over neither. */
static struct dnn_op *reorder(struct dnn *dnn, dnnl_memory_t from, dnnl_memory_t to,
                              struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const struct recipe recipe = {"reorder such memory", slots, COUNT(slots), 0};
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnn_api_reorder(dnn->engine, from, to, &description);

    return op_new(dnn, status, description, &recipe, err);
}

struct dnn_op *dnn_weight_reorder(struct dnn *dnn, enum dnn_pass pass,
                                  const struct dnn_convolution *shape,
                                  const struct dnn_op *convolution, struct error *err)
{
    bool gradient = pass == DNN_BACKWARD_WEIGHTS;
    dnnl_memory_t own = convolution->memory[gradient ? 2 : 1], plain = NULL;
    dnnl_status_t status = dnn_api_plain_weights(dnn->engine, shape, &plain);
    struct dnn_op *op;

    if (status != dnnl_success) {
        failed(err, status, "describe weights");
        return NULL;
    }
    op = gradient ? reorder(dnn, own, plain, err) : reorder(dnn, plain, own, err);
    dnnl_memory_destroy(plain);
    return op;
}

struct dnn_op *dnn_take_images(struct dnn *dnn, struct dnn_images shape, struct error *err)
{
    dnnl_memory_t from = NULL, to = NULL;
    dnnl_status_t status = dnn_api_plain_images(dnn->engine, shape, &from);
    struct dnn_op *op = NULL;

    if (status == dnnl_success)
        status = dnn_api_images(dnn->engine, shape, &to);
    if (status == dnnl_success)
        op = reorder(dnn, from, to, err);
    else
        failed(err, status, "describe images");
    if (from)
        dnnl_memory_destroy(from);
    if (to)
        dnnl_memory_destroy(to);
    return op;
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
    struct recipe recipe = {"normalise such images", forward, COUNT(forward),
                            shape->images.channels};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_norm(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (pass == DNN_FORWARD)
        return op_new(dnn, status, hint, &recipe, err);
    if (!dnn_api_norm_backward_takes_shift())
        backward[5].argument = 0;
    recipe.slots = backward;
    recipe.count = COUNT(backward);
    if (status == dnnl_success) {
        status = dnn_api_norm(dnn->engine, pass, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return op_new(dnn, status, description, &recipe, err);
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
    const struct recipe recipe = {"pool such images", slots[pass], 3, 0};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_pool(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (pass == DNN_FORWARD)
        return op_new(dnn, status, hint, &recipe, err);
    if (status == dnnl_success) {
        status = dnn_api_pool(dnn->engine, pass, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return op_new(dnn, status, description, &recipe, err);
}

struct dnn_op *dnn_add(struct dnn *dnn, struct dnn_images shape, bool relu, struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_SRC_0, dnnl_query_src_md, 0},
                                        {DNNL_ARG_SRC_1, dnnl_query_src_md, 1},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const struct recipe recipe = {"add such images", slots, COUNT(slots), 0};
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnn_api_add(dnn->engine, shape, relu, &description);

    return op_new(dnn, status, description, &recipe, err);
}

struct dnn_op *dnn_relu_backward(struct dnn *dnn, struct dnn_images shape, struct error *err)
{
    static const struct slot slots[] = {{DNNL_ARG_DST, dnnl_query_dst_md, 0},
                                        {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                                        {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0}};
    static const struct recipe recipe = {"take a ReLU's gradient", slots, COUNT(slots), 0};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status = dnn_api_relu(dnn->engine, DNN_FORWARD, shape, NULL, &hint);

    if (status == dnnl_success) {
        status = dnn_api_relu(dnn->engine, DNN_BACKWARD_DATA, shape, hint, &description);
        dnnl_primitive_desc_destroy(hint);
    }
    return op_new(dnn, status, description, &recipe, err);
}

bool dnn_op_run(struct dnn_op *op, void *const memory[], struct error *err)
{
    dnnl_exec_arg_t arguments[SLOTS_MAX];
    dnnl_stream_t stream = op->dnn->stream;
    dnnl_status_t status;
    int count = 0;

    for (int i = 0; i < op->count; i++) {
        if (!op->memory[i])
            continue;
        dnnl_memory_set_data_handle(op->memory[i], memory[i]);
        arguments[count++] = (dnnl_exec_arg_t){op->arguments[i], op->memory[i]};
    }
    status = dnnl_primitive_execute(op->primitive, stream, count, arguments);
    /* Without this we would be timing how fast work can be queued. */
    if (status == dnnl_success)
        status = dnnl_stream_wait(stream);
    return status == dnnl_success || failed(err, status, "execute a primitive");
}

size_t dnn_op_size(const struct dnn_op *op, int place)
{
    return op->memory[place] ? dnn_api_memory_size(op->memory[place]) : 0;
}

const char *dnn_op_name(const struct dnn_op *op)
{
    const char *name = NULL;

    dnnl_primitive_desc_query(op->description, dnnl_query_impl_info_str, 0, &name);
    return name ? name : "unknown";
}

void dnn_op_free(struct dnn_op *op)
{
    if (!op)
        return;
    for (int i = 0; i < op->count; i++)
        if (op->memory[i])
            dnnl_memory_destroy(op->memory[i]);
    if (op->primitive)
        dnnl_primitive_destroy(op->primitive);
    dnnl_primitive_desc_destroy(op->description);
    free(op);
}
