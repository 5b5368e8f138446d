#include "engine/trace/steps.h"

#include <stdlib.h>

bool steps_add(struct steps *steps, struct step step)
{
    if (steps->count == steps->size) {
        size_t size = steps->size ? steps->size * 2 : 128;
        struct step *items = reallocarray(steps->items, size, sizeof *items);

        if (!items)
            return false;
        steps->items = items;
        steps->size = size;
    }
    steps->items[steps->count++] = step;
    return true;
}

void steps_free(struct steps *steps)
{
    free(steps->items);
    *steps = (struct steps){0};
}
