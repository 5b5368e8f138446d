/* The load of the processors before a bench measures. */
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

/* Measures once. False: try again in *ret_wait_ns, or not at all if that is 0 or less. The first
 * call begins to watch. */
bool bench_load_look(struct bench_load *load, struct this_machine *here, long long *ret_wait_ns);

/* Prints one line, unless the processors are idle or the load is unknown. */
void bench_load_tell(const struct bench_load *load, FILE *out);

/* Writes the member "load_before", as in GET /v1/machine/load; null if unknown. */
void bench_load_present(struct json_writer *out, const struct bench_load *load);
