#include "engine/trace/evidence.h"

#include <stdlib.h>

const char *const provenance_names[] = {"measured", "imported", NULL};

/* Makes room for one more item; false when memory ends. */
static bool grow(void **items, size_t count, size_t *size, size_t item_size)
{
    size_t wanted = *size ? *size * 2 : 16;
    void *grown;

    if (count < *size)
        return true;
    grown = reallocarray(*items, wanted, item_size);
    if (!grown)
        return false;
    *items = grown;
    *size = wanted;
    return true;
}

bool evidence_observe(struct evidence *evidence, const struct observation *observation)
{
    void *items = evidence->observations;
    bool ok = grow(&items, evidence->observation_count, &evidence->observation_size,
                   sizeof *observation);

    evidence->observations = items;
    if (ok)
        evidence->observations[evidence->observation_count++] = *observation;
    return ok;
}

bool evidence_add_reading(struct evidence *evidence, const struct canary_reading *reading)
{
    void *items = evidence->readings;
    bool ok = grow(&items, evidence->reading_count, &evidence->reading_size, sizeof *reading);

    evidence->readings = items;
    if (ok)
        evidence->readings[evidence->reading_count++] = *reading;
    return ok;
}

void evidence_free(struct evidence *evidence)
{
    free(evidence->observations);
    free(evidence->readings);
    *evidence = (struct evidence){0};
}
