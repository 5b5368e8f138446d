#include "engine/run/run_roofline.h"

#include "engine/stats/summary_text.h"

bool run_roofline(const struct run *run, bool *ret_known, struct engine_details *ret_details,
                  struct roofline *ret_roofline, struct error *err)
{
    struct roofline_inputs inputs = {0};

    *ret_known = run->state == RUN_FINISHED && run->summary_text &&
                 run->summary.measured_steps > 0 && run->summary.measured_seconds > 0;
    if (!*ret_known)
        return true;
    if (!engine_details_from_text(run->engine_details, &inputs.details, err) ||
        !summary_split_from_text(run->summary_text, &inputs.split_known, &inputs.split, err))
        return false;
    inputs.batch_size = run->spec.batch_size;
    inputs.step_seconds = run->summary.measured_seconds / (double)run->summary.measured_steps;
    *ret_details = inputs.details;
    roofline_compute(&inputs, ret_roofline);
    return true;
}
