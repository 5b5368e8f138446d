/* Who uses the processors before a bench measures. */
#pragma once

#include "common/json_writer.h"
#include "server/base/this_machine.h"

#include <stdio.h>

/* Zeroed: not known. */
struct bench_load {
    bool known;
    struct load load;
    int threads; /* of a run that names none */
};

/* Looks once; false: look again in *ret_wait_ns; 0 or less: of no use. The first look
 * begins to watch. */
bool bench_load_look(struct bench_load *load, struct this_machine *here, long long *ret_wait_ns);

/* One line, unless they are idle or that is not known. */
void bench_load_tell(const struct bench_load *load, FILE *out);

/* The member "load_before", as GET /v1/machine/load has it; null where it is not known. */
void bench_load_present(struct json_writer *out, const struct bench_load *load);
