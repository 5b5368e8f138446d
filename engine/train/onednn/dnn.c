#include "engine/train/onednn/dnn.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/onednn/dnn_op.h"

#include <assert.h>

bool dnn_failed(struct error *err, dnnl_status_t status, const char *doing)
{
    return error_set(err, ERROR_INTERNAL, NULL, "oneDNN cannot %s: status %d", doing,
                     (int)status);
}

struct dnn *dnn_open(int lanes, struct error *err)
{
    struct dnn *dnn = xcalloc(1, sizeof *dnn);
    dnnl_status_t status;

    dnn->lanes = xcalloc((size_t)lanes, sizeof *dnn->lanes);
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
        dnn_failed(err, status, "make an engine");
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
    if (images->order == DNN_LIKE)
        return dnn_api_memory_size(images->like);
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

    assert(place < SLOTS_MAX);
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

struct dnn_op *dnn_op_new(struct dnn *dnn, dnnl_status_t status,
                          dnnl_primitive_desc_t description, const struct op_signature *signature,
                          struct error *err)
{
    struct dnn_op *op;

    if (status != dnnl_success) {
        dnn_failed(err, status, signature->name);
        return NULL;
    }
    op = xcalloc(1, sizeof *op);
    op->dnn = dnn;
    op->description = description;
    op->ends = xcalloc((size_t)dnn->lane_count, sizeof *op->ends);
    status = dnnl_primitive_create(&op->primitive, description);
    for (int i = 0; i < signature->count && status == dnnl_success; i++)
        status = add_slot(op, &signature->slots[i], signature->channels);
    for (int i = 0; i < dnn->lane_count && status == dnnl_success; i++)
        status = ask_memory(op, dnnl_query_scratchpad_md, 0, &op->ends[i].scratch);
    if (status != dnnl_success) {
        dnn_failed(err, status, signature->name);
        dnn_op_free(op);
        return NULL;
    }
    return op;
}

static bool make_room(struct dnn_lane *lane, size_t size, struct error *err)
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
    struct dnn_lane *lane = &op->dnn->lanes[index];
    const struct ends *ends = &op->ends[index];
    dnnl_status_t status;
    int count = 0;

    assert(index >= 0 && index < op->dnn->lane_count);
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
    return status == dnnl_success || dnn_failed(err, status, "execute a primitive");
}

bool dnn_op_run(struct dnn_op *op, void *const memory[], struct error *err)
{
    return dnn_op_run_on(op, 0, memory, err);
}

size_t dnn_op_size(const struct dnn_op *op, int place)
{
    const dnnl_memory_t memory = op->ends[0].memory[place];

    assert(place >= 0 && place < op->count);
    return memory ? dnn_api_memory_size(memory) : 0;
}

struct dnn_images dnn_op_images(const struct dnn_op *op, int place, struct dnn_images shape)
{
    assert(place >= 0 && place < op->count);
    shape.order = DNN_LIKE;
    shape.like = op->ends[0].memory[place];
    return shape;
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
    for (int lane = 0; lane < op->dnn->lane_count; lane++) {
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
