#include "engine/run/run_request.h"

#include "common/cleanup.h"

#include <string.h>

const char *run_request_precision(const json_t *json, const struct place *place)
{
    const char *name = json_string_value(json_object_get(json, "isa"));
    enum cpu_isa most = place ? place->isa : cpu_probe(), cap;
    char vendor[CPU_VENDOR_SIZE];

    if (name && strcmp(name, "auto") != 0 && cpu_isa_from_name(name, &cap) && cap < most)
        most = cap;
    cpu_vendor(vendor);
    return cpu_bf16_pays(most, vendor) ? "bf16" : "f32";
}

bool run_request_from_text(const char *text, size_t length, const struct place *place,
                           struct run_spec *ret_spec, struct error *err)
{
    AUTO(json_decrefp) json_t *json = run_spec_parse(text, length, err);
    struct run_spec spec;

    if (!json || !run_spec_from_json(json, &spec, err))
        return false;
    /* In the complete spec that a worker gets, the least is often a default. */
    if (place && json_object_get(json, "min_seconds") && json_object_get(json, "max_seconds") &&
        spec.min_seconds > spec.max_seconds)
        return error_set(err, ERROR_INVALID, "min_seconds",
                         "must be at most max_seconds, %lld, got %lld", spec.max_seconds,
                         spec.min_seconds);
    if (place && !json_object_get(json, "batch_size") && strcmp(spec.engine, ENGINE_NATIVE) == 0)
        spec.batch_size = FIELD_IS_AUTO;
    if (!json_object_get(json, "precision"))
        spec.precision = run_request_precision(json, place);
    *ret_spec = spec;
    return true;
}
