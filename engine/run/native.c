#include "engine/run/native.h"

#include <string.h>

static bool is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static bool can_train_mlp(const struct run_spec *spec, struct error *err)
{
    if (!is(spec->precision, "f32"))
        return error_set(err, ERROR_UNABLE, "precision", "mlp is trained in f32 only");
    if (!is(spec->layout, "auto"))
        return error_set(err, ERROR_UNABLE, "layout", "mlp has no images, so only auto");
    if (spec->input_workers > 0)
        return error_set(err, ERROR_UNABLE, "input_workers", "mlp has no input to make");
    return true;
}

static bool can_train_resnet50(const struct run_spec *spec, struct error *err)
{
    if (spec->batch_size < 2) /* one image leaves the last batch-norms little to normalise */
        return error_set(err, ERROR_UNABLE, "batch_size", "must be at least 2 for resnet50");
    if (!is(spec->plan, "plain") && (is(spec->layout, "nchw") || is(spec->layout, "blocked")))
        return error_set(err, ERROR_UNABLE, "layout",
                         "nchw and blocked are layouts of the plain plan");
    return true;
}

bool native_can_train(const struct run_spec *spec, struct error *err)
{
    if (is(spec->precision, "f16"))
        return error_set(err, ERROR_UNABLE, "precision",
                         "f16 training is not implemented by the engine " ENGINE_NATIVE
                         ": use bf16 or f32, or a registered engine that has f16");
    if (is(spec->workload, "mlp"))
        return can_train_mlp(spec, err);
    if (is(spec->workload, "resnet50"))
        return can_train_resnet50(spec, err);
    return error_set(err, ERROR_UNABLE, "workload", "this engine does not know '%.32s'",
                     spec->workload);
}
