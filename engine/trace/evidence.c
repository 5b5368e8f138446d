#include "engine/trace/evidence.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const provenance_names[] = {"measured", "imported", NULL};

enum provenance provenance_from_name(const char *name)
{
    return strcmp(name, provenance_names[PROVENANCE_IMPORTED]) == 0 ? PROVENANCE_IMPORTED
                                                                    : PROVENANCE_MEASURED;
}

void evidence_observe(struct evidence *evidence, const struct observation *observation)
{
    evidence->observations = xgrow(evidence->observations, evidence->observation_count,
                                   &evidence->observation_size, sizeof *observation);
    evidence->observations[evidence->observation_count++] = *observation;
}

void evidence_add_reading(struct evidence *evidence, const struct canary_reading *reading)
{
    evidence->readings = xgrow(evidence->readings, evidence->reading_count,
                               &evidence->reading_size, sizeof *reading);
    evidence->readings[evidence->reading_count++] = *reading;
}

void evidence_free(struct evidence *evidence)
{
    free(evidence->observations);
    free(evidence->readings);
    *evidence = (struct evidence){0};
}
