/* Property: steps and evidence that read are within their limits, and what is written of them
 * reads back to the last bit; what does not read names the field, and leaves the caller's alone.
 */
#include "common/cleanup.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

static void every_step_is_within_its_limits(const struct steps *steps)
{
    ALWAYS(steps->count <= RUN_STEPS_MAX);
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = &steps->items[i];
        const struct step_split *split = &step->split;

        ALWAYS(step->nanoseconds >= 1 && step->nanoseconds <= 1000000000000000);
        ALWAYS(fabs(step->loss) <= 1e300);
        ALWAYS(split->input >= 0 && split->forward >= 0 && split->backward >= 0 &&
               split->update >= 0 && split->communication >= 0);
        ALWAYS(split->input + split->forward + split->backward + split->update +
                   split->communication <=
               step->nanoseconds);
    }
}

static void try_steps(const char *text, size_t size)
{
    AUTO(bytes_free) struct bytes written = {.limit = 64 << 20};
    AUTO(steps_free) struct steps steps = {0}, again = {0};
    struct error err = {0};

    if (!trace_read_steps(text, size, &steps, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(strncmp(err.field, "steps", 5) == 0);
        ALWAYS(!steps.items && steps.count == 0);
        return;
    }
    every_step_is_within_its_limits(&steps);
    ALWAYS(trace_write_steps(&written, &steps) && !strchr(written.data, '\n'));
    ALWAYS(trace_read_steps(written.data, written.used, &again, NULL));
    ALWAYS(again.count == steps.count);
    for (size_t i = 0; i < steps.count; i++)
        ALWAYS(memcmp(&steps.items[i], &again.items[i], sizeof *steps.items) == 0);
}

static void try_evidence(const char *text, size_t size)
{
    AUTO(bytes_free) struct bytes written = {.limit = 64 << 20};
    AUTO(evidence_free) struct evidence evidence = {0}, again = {0};
    struct error err = {0};

    if (!trace_read_evidence(text, size, &evidence, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(strncmp(err.field, "evidence", 8) == 0);
        ALWAYS(!evidence.observations && !evidence.readings);
        return;
    }
    ALWAYS(trace_write_evidence(&written, &evidence) && !strchr(written.data, '\n'));
    ALWAYS(trace_read_evidence(written.data, written.used, &again, NULL));
    ALWAYS(again.observation_count == evidence.observation_count);
    ALWAYS(again.reading_count == evidence.reading_count);
    for (size_t i = 0; i < again.observation_count; i++)
        ALWAYS(memcmp(&again.observations[i], &evidence.observations[i],
                      sizeof *again.observations) == 0);
    for (size_t i = 0; i < again.reading_count; i++) {
        const struct canary_reading *reading = &again.readings[i];

        ALWAYS(memcmp(reading, &evidence.readings[i], sizeof *reading) == 0);
        ALWAYS(reading->canary.hertz > 0 && reading->canary.copy_bytes_per_second > 0);
    }
}

FUZZ(data, size)
{
    try_steps((const char *)data, size);
    try_evidence((const char *)data, size);
}
