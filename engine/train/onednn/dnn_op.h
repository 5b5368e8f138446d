/* Shared by dnn.c, which keeps and runs operations, and dnn_make.c, which describes them. */
#pragma once

#include "common/error.h"
#include "engine/train/onednn/dnn_api.h"

#define SLOTS_MAX 10

/* What one thread needs to run any operation. */
struct dnn_lane {
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
    struct dnn_lane *lanes; /* (lane_count) */
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
    int arguments[SLOTS_MAX]; /* (count) */
    struct ends *ends;        /* (lane_count of dnn) */
};

/* What one argument of a primitive is. */
struct slot {
    int argument; /* 0: this place of the list is not for this library */
    dnnl_query_t
        query; /* the query that returns its layout; dnnl_query_undef: f32, one a channel */
    int index;
};

/* The parts of an operation, in addition to its description. */
struct op_signature {
    const char *name; /* for errors: "cannot ..." */
    const struct slot *slots;
    int count;
    long channels;
};

/* Takes over `description` if `status` says that there is one. */
struct dnn_op *dnn_op_new(struct dnn *dnn, dnnl_status_t status,
                          dnnl_primitive_desc_t description, const struct op_signature *signature,
                          struct error *err);

/* Says so in err, and returns false. */
bool dnn_failed(struct error *err, dnnl_status_t status, const char *doing);
