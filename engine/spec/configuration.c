#include "engine/spec/configuration.h"

#include "common/cleanup.h"
#include "common/json_text.h"

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

static bool value_equal(const struct field *field, const struct run_spec *left,
                        const struct run_spec *right)
{
    const void *a = (const char *)left + field->offset, *b = (const char *)right + field->offset;

    switch (field->type) {
    case FIELD_CHOICE: /* a word of one table: the same word is the same address */
        return memcmp(a, b, sizeof(const char *)) == 0;
    case FIELD_TEXT:
        return strcmp(a, b) == 0;
    case FIELD_NUMBER:
    case FIELD_AMOUNT:
    case FIELD_LIMIT:
        return memcmp(a, b, sizeof(double)) == 0;
    default:
        return memcmp(a, b, sizeof(long long)) == 0;
    }
}

bool configuration_equal(const struct run_spec *left, const struct run_spec *right)
{
    if (left->workload != right->workload || strcmp(left->engine, right->engine) != 0)
        return false;
    for (size_t i = 0; i < run_spec_field_count; i++)
        if (configuration_has(run_spec_fields[i].name) &&
            !value_equal(&run_spec_fields[i], left, right))
            return false;
    return true;
}
