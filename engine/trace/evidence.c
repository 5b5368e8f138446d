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

bool evidence_sing(struct evidence *evidence, const struct song *song)
{
    void *items = evidence->songs;
    bool ok = grow(&items, evidence->song_count, &evidence->song_size, sizeof *song);

    evidence->songs = items;
    if (ok)
        evidence->songs[evidence->song_count++] = *song;
    return ok;
}

void evidence_free(struct evidence *evidence)
{
    free(evidence->observations);
    free(evidence->songs);
    *evidence = (struct evidence){0};
}
