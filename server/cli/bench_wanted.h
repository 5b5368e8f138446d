/* Lets the hub choose what a bench measures (--wanted). */
#pragma once

#include "server/base/config.h"
#include "server/base/this_machine.h"

struct bench_wanted {
    bool found; /* else there is nothing to measure */
    struct run_spec spec;
    char words[512]; /* what is wanted and why, or why nothing is measured */
};

/* Asks the hub and takes the first spec that this machine can run. ERROR_UNABLE if this machine's
 * type is unknown. */
MUST_USE bool bench_wanted_choose(const struct config *config, struct this_machine *machine,
                                  struct bench_wanted *ret_wanted, struct error *err);
