/* The measured steps of a run, in order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct step {
    long long nanoseconds;
    double loss;
};

struct steps {
    struct step *items;
    size_t count, size;
};

/* False when memory ends. */
bool steps_add(struct steps *steps, struct step step) __attribute__((warn_unused_result));

/* Frees the items; zeroed steps are fine. */
void steps_free(struct steps *steps);
