/* The options of `pennyworth-worker verify`. */
#pragma once

#include "common/error.h"
#include "engine/train/net/joiner.h"
#include "engine/train/networks/optimizer.h"
#include "engine/train/onednn/dnn.h"

#include <stdbool.h>

#define ORDERINGS_MAX 12

struct verify_options {
    long long batch, seed, steps, threads;
    long long orderings;        /* 0: see orderings_count(); at most ORDERINGS_MAX */
    long long length;           /* of a sample of tokens; 0: the workload's own */
    struct optimizer optimizer; /* lr, momentum and weight_decay are options */
    const char *workload;
    const char *precision, *plan, *layout, *isa;
    const char *against;   /* a file with the numbers of another implementation, or NULL */
    struct joiner *joiner; /* of the ranks, or NULL; no option */
    bool help;
};

extern const char verify_usage[];

extern const struct verify_options verify_defaults;

/* The numbers that the precision means. */
enum dnn_type verify_type(const struct verify_options *options);

/* What the arguments leave open is as in `defaults`. */
MUST_USE bool verify_options_read(int argc, char *const argv[],
                                  const struct verify_options *defaults,
                                  struct verify_options *ret_options, struct error *err);
