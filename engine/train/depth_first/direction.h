/* One direction of a filter, forward or backward to the data: the kernel or the operations that
 * compute it, and the weights as these read them. With the library, what a conv_end asks for is
 * done by passes behind the operation; with our kernels, inside of it. */
#pragma once

#include "engine/train/depth_first/filter_shape.h"
#include "engine/train/kernels/passes.h"

struct direction;

/* `shape` stays the caller's and outlives the direction. */
struct direction_context {
    struct dnn *dnn;
    const struct passes *passes;
    const struct filter_shape *shape;
    enum conv_direction direction;
};

MUST_USE struct direction *direction_new(const struct direction_context *context,
                                         struct error *err);

/* NULL is fine. */
void direction_free(struct direction *direction);

/* Whether the library computes it: then direction_layout() gives the layout of the `own` weights
 * for direction_load(). */
bool direction_by_library(const struct direction *direction);
MUST_USE bool direction_layout(struct direction *direction, const struct dnn_layout *own,
                               struct error *err);

/* The library's: copies new weights, `own` in the layout of direction_layout(), to where run()
 * reads them. */
MUST_USE bool direction_load(struct direction *direction, int lane, void *own, struct error *err);

/* Our kernel's: bytes of packed weights, for which the caller gives memory at 64 bytes; 0 for the
 * library. */
size_t direction_packed_size(const struct direction *direction);
void direction_place(struct direction *direction, void *memory);

/* Packs part `index` of `of` of the weights into that memory. All parts are complete before
 * run().
 */
void direction_pack(struct direction *direction, const struct conv_weights *strided, int index,
                    int of);

/* Bytes of scratch memory, enough for every call. */
size_t direction_scratch(const struct direction *direction);

/* Computes a chunk of `input`, and ends it as `end` says. An end of the kinds CONV_INNER and up
 * has `active` too, for the library. */
MUST_USE bool direction_run(struct direction *direction, const struct filter_call *call,
                            void *input, const struct conv_end *end, struct error *err);

/* The part of run() after an operation of the library: ends `result`, (rows) stored, as `end`
 * says. */
void direction_end(const struct passes *passes, const struct conv_end *end, struct rows rows,
                   const void *result);

/* The implementation. */
const char *direction_name(const struct direction *direction);
