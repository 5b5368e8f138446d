/* The rows of an embedding's table that no token of a step names have no gradient, but momentum
 * moves them all the same. They take these steps later, up to LATE_STEPS in a row, while they are
 * in a cache: at once when a token names them, else when the sweep reaches them, which goes
 * through the table once in LATE_STEPS steps. Each number goes through the same operations in the
 * same order as without delay, so it has the same bits; and from step LATE_STEPS on, each step
 * does the work of one. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

#define LATE_STEPS 16

struct late_rows;

/* Of the table `parameter`, at step 0. */
MUST_USE struct late_rows *late_rows_new(struct layerwise *net, int parameter, struct error *err);

/* Once a step, before the rest; other threads may call late_rows_read() meanwhile. */
void late_rows_begin(struct late_rows *late);

/* Brings a row to the state before this step. */
void late_rows_read(struct late_rows *late, long row);

/* The step of a row that was read, and has a gradient. */
void late_rows_learn(struct late_rows *late, long row, const float *gradient);

/* The thread's share of the sweep, after all that learn. */
void late_rows_sweep(struct late_rows *late, int thread);

/* Between steps: brings the whole table up to date. */
void late_rows_finish(struct late_rows *late);
