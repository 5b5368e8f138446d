/* Property: a spec that reads has every field within its limits, and what it writes reads back to
 * the same JSON; a spec that does not read leaves the caller's alone and says why. */
#include "common/cleanup.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/run_spec_text.h"
#include "tests/fuzz/fuzz.h"

static void every_field_is_within_its_limits(const struct run_spec *spec)
{
    for (size_t i = 0; i < run_spec_field_count; i++) {
        const struct field *field = &run_spec_fields[i];
        const char *address = (const char *)spec + field->offset;
        long long number;
        double real;

        if (field->type == FIELD_TEXT) {
            ALWAYS(strlen(address) >= (size_t)field->min);
            ALWAYS(strlen(address) <= (size_t)field->max);
        } else if (field->type == FIELD_NUMBER || field->type == FIELD_LIMIT) {
            memcpy(&real, address, sizeof real);
            ALWAYS((real > (double)field->min && real <= (double)field->max) ||
                   (field->type == FIELD_LIMIT && !(real > 0)));
        } else if (field->type != FIELD_CHOICE) {
            memcpy(&number, address, sizeof number);
            ALWAYS((field->type == FIELD_AUTO && number == FIELD_IS_AUTO) ||
                   (number >= field->min && number <= field->max));
        }
    }
    ALWAYS(spec->label_count >= 0 && spec->label_count <= RUN_LABELS_MAX);
    for (int i = 1; i < spec->label_count; i++)
        ALWAYS(strcmp(spec->labels[i - 1].key, spec->labels[i].key) < 0);
}

FUZZ(data, size)
{
    struct run_spec spec, again;
    struct error err = {0};

    memset(&spec, 0x5a, sizeof spec);
    again = spec;
    if (!run_spec_from_text((const char *)data, size, &spec, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(memcmp(&spec, &again, sizeof spec) == 0);
        return;
    }
    every_field_is_within_its_limits(&spec);

    AUTO(freep) char *text = run_spec_to_text(&spec);
    ALWAYS(text && !strchr(text, '\n'));
    ALWAYS(run_spec_from_text(text, strlen(text), &again, &err));
    AUTO(json_decrefp) json_t *first = run_spec_to_json(&spec);
    AUTO(json_decrefp) json_t *second = run_spec_to_json(&again);
    ALWAYS(json_equal(first, second));
}
