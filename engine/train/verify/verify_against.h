/* Judges results of `verify` by a reference: whether rounding explains how far they are from it.
 * docs/engine.md says where the limits come from. */
#pragma once

#include "engine/train/verify/deviations.h"
#include "engine/train/verify/orderings.h"

struct verify_limits;

/* What was seen so far. Of the orderings the worst counts; of the medians of the gradient norms
 * their median, and from three orderings on also the median of the largest. */
struct verify_judgement {
    const struct verify_limits *limits;
    json_t *reference;
    double element_limit; /* wider where the reference lists no ReLUs near zero */
    int count;
    struct worst loss, gradient, update, running, element, dot;
    double update_median; /* of any ordering, the largest */
    double medians[ORDERINGS_MAX], largest[ORDERINGS_MAX];
};

/* The limits of the workload in this precision, "f32" or "bf16". The reference must outlive the
 * judgement. */
void verify_judgement_start(struct verify_judgement *judgement, const char *workload,
                            const char *precision, json_t *reference);

/* Compares one ordering's result and prints a line for it, and one for each element that ReLUs
 * near zero excuse. */
void verify_judgement_add(struct verify_judgement *judgement, const json_t *result);

/* Prints the verdict; true when rounding explains what was seen. */
bool verify_judgement_end(struct verify_judgement *judgement);
