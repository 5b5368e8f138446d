#include "engine/stats/roofline.h"

#include <assert.h>

/* Up to this share of a step, what its parts leave over is writing a line and reading clocks. */
#define REST_MIN 1e-3

static void roofline_lacks(struct roofline *roofline, const char *sentence)
{
    assert(roofline->missing_count < ROOFLINE_MISSING_MAX);
    roofline->missing[roofline->missing_count++] = sentence;
}

static struct roofline_part roofline_part_of(const struct roofline *roofline, const char *name,
                                             double seconds, double multiply_adds)
{
    struct roofline_part part = {.name = name, .seconds = seconds};

    if (!(seconds > 0) || !(multiply_adds > 0))
        return part;
    part.multiply_adds = multiply_adds;
    part.multiply_adds_per_second = multiply_adds / seconds;
    if (roofline->peak_multiply_adds_per_second > 0)
        part.share = part.multiply_adds_per_second / roofline->peak_multiply_adds_per_second;
    return part;
}

static void add_phase(struct roofline *roofline, const char *name, double seconds,
                      double multiply_adds)
{
    assert(roofline->phase_count < ROOFLINE_PHASES_MAX);
    roofline->phases[roofline->phase_count++] =
        roofline_part_of(roofline, name, seconds, multiply_adds);
}

static void add_phases(const struct roofline_inputs *inputs, double forward, double backward,
                       struct roofline *roofline)
{
    const struct split_seconds *split = &inputs->split;
    double rest = inputs->step_seconds - split->input - split->forward - split->backward -
                  split->update - split->communication;

    if (!inputs->split_known) {
        roofline_lacks(roofline, "the engine does not report where the time of a step goes");
        return;
    }
    add_phase(roofline, "input", split->input, 0);
    add_phase(roofline, "forward", split->forward, forward);
    add_phase(roofline, "backward", split->backward, backward);
    add_phase(roofline, "update", split->update, 0);
    if (split->communication > 0)
        add_phase(roofline, "communication", split->communication, 0);
    if (rest > REST_MIN * inputs->step_seconds)
        add_phase(roofline, "other", rest, 0);
}

static void add_bytes(const struct roofline_inputs *inputs, struct roofline *roofline)
{
    double bytes = (double)inputs->details.step_bytes;

    if (!(bytes > 0)) {
        roofline_lacks(roofline,
                       "the engine does not report how many bytes a step moves at least, or a "
                       "cache could hold them");
        return;
    }
    roofline->step_bytes = bytes;
    roofline->step_bytes_per_second = bytes / inputs->step_seconds;
    if (roofline->peak_read_bytes_per_second > 0)
        roofline->memory_share =
            roofline->step_bytes_per_second / roofline->peak_read_bytes_per_second;
    else
        roofline_lacks(roofline,
                       "the engine did not measure how fast this machine reads its memory");
}

void roofline_compute(const struct roofline_inputs *inputs, struct roofline *ret_roofline)
{
    const struct engine_details *details = &inputs->details;
    struct roofline roofline = {
        .peak_multiply_adds_per_second = (double)details->peak_multiply_adds_per_second,
        .peak_read_bytes_per_second = (double)details->peak_read_bytes_per_second};
    double batch = (double)inputs->batch_size, forward = batch * (double)details->multiply_adds,
           backward = batch * (double)details->backward_multiply_adds;

    if (details->peak_multiply_adds_per_second <= 0)
        roofline_lacks(&roofline, "the engine did not measure how fast this machine multiplies");
    if (!(forward > 0) || !(backward > 0))
        roofline_lacks(&roofline,
                       "the engine does not report the multiply-adds of a sample, forward and "
                       "backward");
    add_phases(inputs, forward, backward, &roofline);
    roofline.step = roofline_part_of(&roofline, "step", inputs->step_seconds,
                                     forward > 0 && backward > 0 ? forward + backward : 0);
    add_bytes(inputs, &roofline);
    *ret_roofline = roofline;
}
