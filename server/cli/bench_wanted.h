/* What a bench measures where the hub says what it wants (--wanted). */
#pragma once

#include "server/base/config.h"
#include "server/base/this_machine.h"

struct bench_wanted {
    bool found; /* else there is nothing to measure */
    struct run_spec spec;
    char words[512]; /* what is wanted and why, or why nothing is measured */
};

/* Asks the hub, and takes the first of its wishes that this machine can run. ERROR_UNABLE where
 * the type of this machine is not known. */
MUST_USE bool bench_wanted_choose(const struct config *config, struct this_machine *machine,
                                  struct bench_wanted *ret_wanted, struct error *err);
