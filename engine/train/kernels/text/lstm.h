/* One step of an LSTM for many rows: from the sums of its four gates, [input, forget, candidate,
 * output], to the next state and output, and back. The products are the caller's: one for the
 * inputs of all steps of a sequence, and one a step for the output of the step before, which
 * adds to it (product.h). */
#pragma once

struct lstm_step {
    long cells;
    long gates_stride, cells_stride, output_stride; /* numbers from row to row */
    const float *sums;         /* (rows, gates_stride), 4 x cells used: biases included */
    float *gates;              /* (rows, gates_stride): kept for the way back; may be `sums` */
    const float *state_before; /* (rows, cells_stride), or NULL: zeros */
    float *state;              /* (rows, cells_stride) */
    void *output;              /* (rows, output_stride): stored numbers */
};

/* The way back through a step whose gates and states were kept. */
struct lstm_step_back {
    const struct lstm_step *step;
    const float *gradient; /* of the output, (rows, cells_stride): all that reads it added */
    float *state_gradient; /* (rows, cells_stride): of the state, then of that before */
    void *sums_gradient;   /* (rows, gates_stride): stored numbers */
};

struct lstm_kernel {
    void (*forward)(const struct lstm_step *step, long begin, long end);
    void (*backward)(const struct lstm_step_back *back, long begin, long end);
};
