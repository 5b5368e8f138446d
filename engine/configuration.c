#include "engine/configuration.h"

#include "common/cleanup.h"
#include "engine/json_text.h"

/* db/schema.c leaves out the same when it brings old runs up to date. */
static const char *const left_out[] = {
    "workload",    "engine", "warmup_steps", "steps",          "seed", "max_seconds",
    "min_seconds", "labels", "max_dollars",  "target_percent", NULL};

bool configuration_has(const char *field)
{
    for (const char *const *name = left_out; *name; name++)
        if (strcmp(*name, field) == 0)
            return false;
    return fields_find(run_spec_fields, run_spec_field_count, field) != NULL;
}

char *configuration_of_spec(const struct run_spec *spec)
{
    AUTO(json_decrefp) json_t *json = run_spec_to_json(spec);

    for (const char *const *name = left_out; json && *name; name++)
        json_object_del(json, *name);
    return json_text(json);
}
