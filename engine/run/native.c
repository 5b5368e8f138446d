#include "engine/run/native.h"

#include "common/text.h"

#include <string.h>

static bool can_train_resnet50(const struct run_spec *spec, struct error *err)
{
    if (spec->batch_size != FIELD_IS_AUTO &&
        spec->batch_size < 2) /* one image leaves the last batch-norms little to normalise */
        return error_set(err, ERROR_UNABLE, "batch_size", "must be at least 2 for resnet50");
    if (strcmp(spec->plan, "plain") != 0 &&
        (strcmp(spec->layout, "nchw") == 0 || strcmp(spec->layout, "blocked") == 0))
        return error_set(err, ERROR_UNABLE, "layout",
                         "nchw and blocked are layouts of the plain plan");
    return true;
}

/* The networks of 2017 and GPT-2: one plan, which makes its batches itself. */
static bool can_train_graph(const struct run_spec *spec, struct error *err)
{
    if (strcmp(spec->layout, "auto") != 0)
        return error_set(err, ERROR_UNABLE, "layout", "%.32s has one layout, so only auto",
                         spec->workload);
    if (strcmp(spec->plan, "plain") == 0)
        return error_set(err, ERROR_UNABLE, "plan", "%.32s has one plan: auto or fixed",
                         spec->workload);
    if (spec->input_workers > 0)
        return error_set(err, ERROR_UNABLE, "input_workers",
                         "%.32s makes its batch inside the step, so only 0", spec->workload);
    return true;
}

bool native_can_train(const struct run_spec *spec, struct error *err)
{
    if (strcmp(spec->precision, "f16") == 0)
        return error_set(err, ERROR_UNABLE, "precision",
                         "f16 training is not implemented by the engine " ENGINE_NATIVE
                         ": use bf16 or f32, or a registered engine that has f16");
    if (strcmp(spec->workload, "resnet50") == 0)
        return can_train_resnet50(spec, err);
    if (text_is_listed(run_spec_workloads, spec->workload))
        return can_train_graph(spec, err);
    return error_set(err, ERROR_UNABLE, "workload", "'%.32s' is not trained by this engine",
                     spec->workload);
}
