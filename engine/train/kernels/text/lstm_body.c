/* Steps of an LSTM of one set, lstm.h.
 * Tested by tests/engine/train/kernels/text/lstm_test.c. */
#include "engine/train/kernels/text/lstm.h"
#include "engine/train/kernels/text/text_vec.h"

enum gate { INPUT, FORGET, CANDIDATE, OUTPUT, GATES };

static void forward(const struct lstm_step *step, long begin, long end)
{
    for (long row = begin; row < end; row++)
        for (long c = 0; c < step->cells; c += LANES) {
            long count = step->cells - c, at = row * step->cells_stride + c;
            vec gate[GATES], state = {0};

            for (int g = 0; g < GATES; g++) {
                long from = row * step->gates_stride + g * step->cells + c;

                vec_load(step->sums + from, count, &gate[g]);
                gate[g] = g == CANDIDATE ? vec_tanh(gate[g]) : vec_sigmoid(gate[g]);
                vec_store(step->gates + from, count, &gate[g]);
            }
            if (step->state_before)
                vec_load(step->state_before + at, count, &state);
            state = VEC_FMA(gate[FORGET], state, gate[INPUT] * gate[CANDIDATE]);
            vec_store(step->state + at, count, &state);
            state = gate[OUTPUT] * vec_tanh(state);
            stored_store((stored *)step->output + row * step->output_stride + c, count, &state);
        }
}

/* From the gradients of a state and its output to those of the sums, and of the state before. */
CONV_INLINE void back(const vec gate[GATES], const vec state[2], const vec gradient[2],
                      vec ret_sums[GATES], vec *ret_before)
{
    const vec one = VEC_ALL(1.f);
    vec bent = vec_tanh(state[1]), candidate = gate[CANDIDATE];
    vec of_state = VEC_FMA(gradient[0] * gate[OUTPUT], one - bent * bent, gradient[1]);

    ret_sums[OUTPUT] = gradient[0] * bent;
    ret_sums[INPUT] = of_state * candidate;
    ret_sums[FORGET] = of_state * state[0];
    for (int g = 0; g < GATES; g++)
        if (g != CANDIDATE)
            ret_sums[g] *= gate[g] * (one - gate[g]);
    ret_sums[CANDIDATE] = of_state * gate[INPUT] * (one - candidate * candidate);
    *ret_before = of_state * gate[FORGET];
}

static void backward(const struct lstm_step_back *work, long begin, long end)
{
    const struct lstm_step *step = work->step;

    for (long row = begin; row < end; row++)
        for (long c = 0; c < step->cells; c += LANES) {
            long count = step->cells - c, at = row * step->cells_stride + c;
            long gates = row * step->gates_stride + c;
            vec gate[GATES], sums[GATES], state[2] = {{0}, {0}}, gradient[2], before;

            for (int g = 0; g < GATES; g++)
                vec_load(step->gates + gates + g * step->cells, count, &gate[g]);
            if (step->state_before)
                vec_load(step->state_before + at, count, &state[0]);
            vec_load(step->state + at, count, &state[1]);
            vec_load(work->gradient + at, count, &gradient[0]);
            vec_load(work->state_gradient + at, count, &gradient[1]);
            back(gate, state, gradient, sums, &before);
            vec_store(work->state_gradient + at, count, &before);
            for (int g = 0; g < GATES; g++)
                stored_store((stored *)work->sums_gradient + gates + g * step->cells, count,
                             &sums[g]);
        }
}

extern const struct lstm_kernel TEXT_NAME(lstm);
const struct lstm_kernel TEXT_NAME(lstm) = {
    .forward = forward,
    .backward = backward,
};
