/* What the engine needs of oneDNN: primitives that are made once (dnn_make.h) and run on plain
 * memory. The two generations of its API differ in how a primitive is described; dnn_api.h and
 * the file behind it (dnn_v2.c or dnn_v3.c) hold all of that. */
#pragma once

#include "common/error.h"
#include "engine/machine/cpu.h"
#include "engine/train/onednn/dnn_shapes.h"

#include <stdbool.h>
#include <stddef.h>

struct dnn;
struct dnn_op;

/* A lane is what one thread runs operations on; operations may run on several lanes at once. */
MUST_USE struct dnn *dnn_open(int lanes, struct error *err);
void dnn_close(struct dnn *dnn);

/* Limits the library to the instruction set of the spec's field `isa` ("auto", "avx2", ...), or
 * to what the processor has if that is less; *ret_isa is the result. Only the first call has an
 * effect on the library. */
MUST_USE bool dnn_use_isa(const char *name, enum cpu_isa *ret_isa, struct error *err);

/* "oneDNN 2.6.3". */
void dnn_version(char *ret_text, size_t size);

/* Runs on lane 0 and waits. `memory` has as many pointers as the list in dnn_make.h has words;
 * what the operation turns out not to need (a workspace, say) may be NULL. */
MUST_USE bool dnn_op_run(struct dnn_op *op, void *const memory[], struct error *err);
MUST_USE bool dnn_op_run_on(struct dnn_op *op, int lane, void *const memory[], struct error *err);

/* Bytes of the memory at a place of that list; 0 where it needs none. */
size_t dnn_op_size(const struct dnn_op *op, int place);

/* `shape`, in the order that the images at a place of that list have: DNN_LIKE, for as long as
 * the operation lives. */
struct dnn_images dnn_op_images(const struct dnn_op *op, int place, struct dnn_images shape);

/* Which implementation runs: a name with "ref" in it is slow. */
const char *dnn_op_name(const struct dnn_op *op);

/* NULL is fine. */
void dnn_op_free(struct dnn_op *op);
