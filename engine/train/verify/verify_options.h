/* The options of `pennyworth-worker verify`. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

#define ORDERINGS_MAX 12

struct verify_options {
    long long batch, seed, steps, threads;
    long long orderings; /* 0: see orderings_count(); at most ORDERINGS_MAX */
    double lr, momentum, weight_decay;
    const char *precision, *plan, *layout, *isa;
    const char *against; /* a file with the numbers of another implementation, or NULL */
    bool help;
};

extern const char verify_usage[];

bool verify_options_read(int argc, char *const argv[], struct verify_options *ret_options,
                         struct error *err) __attribute__((warn_unused_result));
