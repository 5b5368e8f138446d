#include "engine/train/dnn.h"

#include "common/cleanup.h"
#include "engine/train/dnn_api.h"

#define SLOTS_MAX 10

/* What one thread needs to run any operation. */
struct lane {
    dnnl_stream_t stream;
    void *scratch; /* grows to what the neediest operation wants */
    size_t scratch_size;
};

struct dnn {
    dnnl_engine_t engine;
    /* Scratch memory is the lane's: the library's own belongs to the thread that makes an
     * operation, and another may not run it. */
    dnnl_primitive_attr_t attributes;
    int lane_count;
    struct lane *lanes;
};

/* The plain memory that an operation works on, in one lane: the library keeps a pointer in it. */
struct ends {
    dnnl_memory_t memory[SLOTS_MAX]; /* NULL where the primitive needs none */
    dnnl_memory_t scratch;           /* or NULL */
};

struct dnn_op {
    struct dnn *dnn;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    int count;
    int arguments[SLOTS_MAX];
    struct ends *ends; /* one a lane */
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

struct dnn *dnn_open(int lanes, struct error *err)
{
    struct dnn *dnn = calloc(1, sizeof *dnn);
    dnnl_status_t status;

    if (dnn)
        dnn->lanes = calloc((size_t)lanes, sizeof *dnn->lanes);
    if (!dnn || !dnn->lanes) {
        free(dnn);
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    dnn->lane_count = lanes;
    status = dnnl_engine_create(&dnn->engine, dnnl_cpu, 0);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_create(&dnn->attributes);
    if (status == dnnl_success)
        status =
            dnnl_primitive_attr_set_scratchpad_mode(dnn->attributes, dnnl_scratchpad_mode_user);
    for (int i = 0; i < lanes && status == dnnl_success; i++)
        status =
            dnnl_stream_create(&dnn->lanes[i].stream, dnn->engine, dnnl_stream_default_flags);
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
    for (int i = 0; i < dnn->lane_count; i++) {
        if (dnn->lanes[i].stream)
            dnnl_stream_destroy(dnn->lanes[i].stream);
        free(dnn->lanes[i].scratch);
    }
    if (dnn->attributes)
        dnnl_primitive_attr_destroy(dnn->attributes);
    if (dnn->engine)
        dnnl_engine_destroy(dnn->engine);
    free(dnn->lanes);
    free(dnn);
}

bool dnn_use_isa(const char *name, enum cpu_isa *ret_isa, struct error *err)
{
    static const dnnl_cpu_isa_t library_names[] = {
        [CPU_SSE41] = dnnl_cpu_isa_sse41,
        [CPU_AVX2] = dnnl_cpu_isa_avx2,
        [CPU_AVX512] = dnnl_cpu_isa_avx512_core,
        [CPU_AVX512_BF16] = dnnl_cpu_isa_avx512_core_bf16,
        [CPU_AMX] = dnnl_cpu_isa_avx512_core_amx,
    };
    enum cpu_isa has = cpu_probe(), cap;

    if (!cpu_isa_from_name(name, &cap))
        return error_set(err, ERROR_INVALID, "isa", "'%.32s' is not known", name);
    *ret_isa = cap < has ? cap : has;
    if (cap >= has || cap == CPU_BASE)
        return true;
    if (dnnl_set_max_cpu_isa(library_names[cap]) != dnnl_success)
        return error_set(err, ERROR_INTERNAL, "isa", "oneDNN cannot be held to %s", name);
    return true;
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

size_t dnn_images_bytes(const struct dnn_images *images)
{
    return (size_t)(images->batch * images->channels * images->height * images->width) *
           dnn_type_size(images->type);
}

/* Memory as the description wants it; none where it wants none. */
static dnnl_status_t ask_memory(const struct dnn_op *op, dnnl_query_t query, int index,
                                dnnl_memory_t *ret)
{
    size_t size =
        dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(op->description, query, index));

    if (size == 0)
        return dnnl_success;
    return dnnl_memory_create(ret, dnnl_primitive_desc_query_md(op->description, query, index),
                              op->dnn->engine, DNNL_MEMORY_NONE);
}

static dnnl_status_t add_slot(struct dnn_op *op, const struct slot *slot, long channels)
{
    int place = op->count++;
    dnnl_status_t status = dnnl_success;

    op->arguments[place] = slot->argument;
    if (slot->argument == 0)
        return dnnl_success;
    for (int i = 0; i < op->dnn->lane_count && status == dnnl_success; i++) {
        dnnl_memory_t *memory = &op->ends[i].memory[place];

        status = slot->query == dnnl_query_undef
                     ? dnn_api_vector(op->dnn->engine, channels, memory)
                     : ask_memory(op, slot->query, slot->index, memory);
    }
    return status;
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
    op->ends = calloc((size_t)dnn->lane_count, sizeof *op->ends);
    status = op->ends ? dnnl_primitive_create(&op->primitive, description) : dnnl_out_of_memory;
    for (int i = 0; i < recipe->count && status == dnnl_success; i++)
        status = add_slot(op, &recipe->slots[i], recipe->channels);
    for (int i = 0; i < dnn->lane_count && status == dnnl_success; i++)
        status = ask_memory(op, dnnl_query_scratchpad_md, 0, &op->ends[i].scratch);
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
    const struct recipe recipe = {"convolve such images", slots[pass], 3, 0};
    struct dnn_request request = {DNN_FORWARD, shape, NULL, dnn->attributes};
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    dnnl_status_t status;

    if (pass == DNN_FORWARD && like)
        request.like = weights_of(like);
    status = dnn_api_convolution(dnn->engine, &request, NULL, &hint);
    if (pass == DNN_FORWARD)
        return op_new(dnn, status, hint, &recipe, err);
    if (status == dnnl_success) {
        request.pass = pass;
        request.like = like ? weights_of(like) : NULL;
        status = dnn_api_convolution(dnn->engine, &request, hint, &description);
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
    dnnl_status_t status = dnn_api_reorder(dnn->engine, from, to, dnn->attributes, &description);

    return op_new(dnn, status, description, &recipe, err);
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
        op = reorder(dnn, from.of ? weights_of(from.of) : left, to.of ? weights_of(to.of) : right,
                     err);
    else
        failed(err, status, "describe weights");
    if (left)
        dnnl_memory_destroy(left);
    if (right)
        dnnl_memory_destroy(right);
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

static bool make_room(struct lane *lane, size_t size, struct error *err)
{
    if (size <= lane->scratch_size)
        return true;
    free(lane->scratch);
    lane->scratch_size = (size + 4095) & ~(size_t)4095;
    lane->scratch = aligned_alloc(4096, lane->scratch_size);
    if (lane->scratch)
        return true;
    lane->scratch_size = 0;
    return error_set(err, ERROR_INTERNAL, NULL, "no memory for %zu bytes of scratch", size);
}

bool dnn_op_run_on(struct dnn_op *op, int index, void *const memory[], struct error *err)
{
    dnnl_exec_arg_t arguments[SLOTS_MAX + 1];
    struct lane *lane = &op->dnn->lanes[index];
    const struct ends *ends = &op->ends[index];
    dnnl_status_t status;
    int count = 0;

    for (int i = 0; i < op->count; i++) {
        if (!ends->memory[i])
            continue;
        dnnl_memory_set_data_handle(ends->memory[i], memory[i]);
        arguments[count++] = (dnnl_exec_arg_t){op->arguments[i], ends->memory[i]};
    }
    if (ends->scratch) {
        if (!make_room(lane, dnn_api_memory_size(ends->scratch), err))
            return false;
        dnnl_memory_set_data_handle(ends->scratch, lane->scratch);
        arguments[count++] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, ends->scratch};
    }
    status = dnnl_primitive_execute(op->primitive, lane->stream, count, arguments);
    /* Without this we would be timing how fast work can be queued. */
    if (status == dnnl_success)
        status = dnnl_stream_wait(lane->stream);
    return status == dnnl_success || failed(err, status, "execute a primitive");
}

bool dnn_op_run(struct dnn_op *op, void *const memory[], struct error *err)
{
    return dnn_op_run_on(op, 0, memory, err);
}

size_t dnn_op_size(const struct dnn_op *op, int place)
{
    const dnnl_memory_t memory = op->ends[0].memory[place];

    return memory ? dnn_api_memory_size(memory) : 0;
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
    for (int lane = 0; op->ends && lane < op->dnn->lane_count; lane++) {
        for (int i = 0; i < op->count; i++)
            if (op->ends[lane].memory[i])
                dnnl_memory_destroy(op->ends[lane].memory[i]);
        if (op->ends[lane].scratch)
            dnnl_memory_destroy(op->ends[lane].scratch);
    }
    free(op->ends);
    if (op->primitive)
        dnnl_primitive_destroy(op->primitive);
    dnnl_primitive_desc_destroy(op->description);
    free(op);
}
