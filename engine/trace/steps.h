/* The measured steps of a run, in order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* How the nanoseconds of a step divide; all 0 if not measured. Communication is with other ranks;
 * 0 for engines without ranks. */
struct step_split {
    long long input, forward, backward, update, communication;
};

struct step {
    long long nanoseconds;
    double loss;
    struct step_split split;
};

struct steps {
    struct step *items;
    size_t count, size;
};

static inline bool step_split_is_known(const struct step_split *split)
{
    return split->input || split->forward || split->backward || split->update ||
           split->communication;
}

void steps_add(struct steps *steps, struct step step);

/* Frees the items; zeroed steps are fine. */
void steps_free(struct steps *steps);
