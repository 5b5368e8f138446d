#include "engine/run/native.h"

#include <string.h>

static bool native_is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static bool can_train_resnet50(const struct run_spec *spec, struct error *err)
{
    if (spec->batch_size != FIELD_IS_AUTO &&
        spec->batch_size < 2) /* one image leaves the last batch-norms little to normalise */
        return error_set(err, ERROR_UNABLE, "batch_size", "must be at least 2 for resnet50");
    if (!native_is(spec->plan, "plain") &&
        (native_is(spec->layout, "nchw") || native_is(spec->layout, "blocked")))
        return error_set(err, ERROR_UNABLE, "layout",
                         "nchw and blocked are layouts of the plain plan");
    return true;
}

/* The networks of 2017 and GPT-2: one plan, which makes its batches itself. */
static bool can_train_graph(const struct run_spec *spec, struct error *err)
{
    if (!native_is(spec->layout, "auto"))
        return error_set(err, ERROR_UNABLE, "layout", "%.32s has one layout, so only auto",
                         spec->workload);
    if (native_is(spec->plan, "plain"))
        return error_set(err, ERROR_UNABLE, "plan", "%.32s has one plan: auto or fixed",
                         spec->workload);
    if (spec->input_workers > 0)
        return error_set(err, ERROR_UNABLE, "input_workers",
                         "%.32s makes its batch inside the step, so only 0", spec->workload);
    return true;
}

static bool is_known(const char *workload)
{
    for (const char *const *name = run_spec_workloads; *name; name++)
        if (native_is(*name, workload))
            return true;
    return false;
}

bool native_can_train(const struct run_spec *spec, struct error *err)
{
    if (native_is(spec->precision, "f16"))
        return error_set(err, ERROR_UNABLE, "precision",
                         "f16 training is not implemented by the engine " ENGINE_NATIVE
                         ": use bf16 or f32, or a registered engine that has f16");
    if (native_is(spec->workload, "resnet50"))
        return can_train_resnet50(spec, err);
    if (is_known(spec->workload))
        return can_train_graph(spec, err);
    return error_set(err, ERROR_UNABLE, "workload", "'%.32s' is not trained by this engine",
                     spec->workload);
}
