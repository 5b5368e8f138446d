#include "engine/trace/steps.h"

#include "common/memory.h"

#include <stdlib.h>

void steps_add(struct steps *steps, struct step step)
{
    steps->items = xgrow(steps->items, steps->count, &steps->size, sizeof *steps->items);
    steps->items[steps->count++] = step;
}

void steps_free(struct steps *steps)
{
    free(steps->items);
    *steps = (struct steps){0};
}
