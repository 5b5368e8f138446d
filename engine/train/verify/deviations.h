/* How far one result of `verify` is from another implementation's. */
#pragma once

#include <jansson.h>

/* The largest of many deviations, and of what it is. */
struct worst {
    double value;
    char name[80];
};

/* A single element that is off by more than the limit, and within it where ReLUs near zero are
 * decided otherwise (near_zero.h). */
struct excuse {
    char name[80];
    double before, after; /* relative as all elements are */
    int units;
};

#define EXCUSES_MAX 16

/* All relative: a loss to itself, a norm to itself, an element to the root mean square of its
 * tensor; of a graph, whose embeddings are mostly zero, to the largest that is listed. What is
 * missing is infinitely far off, what is not a number is the worst of all. */
struct deviations {
    struct worst loss;
    struct worst gradient, update, running; /* norms */
    struct worst element;                   /* of a gradient; after excuses */
    double gradient_median, update_median;  /* of the norms of all gradients, of all updates */
    struct worst dot;                       /* of a gradient with noise, to its norm */
    int excuse_count;                       /* may be more than there is room for */
    struct excuse excuses[EXCUSES_MAX];
};

/* Compares `ours` with the reference `theirs`. An element of a gradient that is off by more than
 * `element_limit` is compared once more, with the ReLUs that the reference lists as near zero: it
 * counts as what is left then, if that is within the limit, and otherwise as it was. */
void deviations_find(const json_t *ours, const json_t *theirs, double element_limit,
                     struct deviations *ret);

/* The middle one, the upper of two, of what is then in ascending order; infinity of none. */
double deviations_median(double *values, size_t count);
