/* Measures what the threads of a run could do at most on this machine, by work that does nothing
 * else. The shares of a roofline are of these (engine/stats/roofline.h). A canary measures
 * neither: it tells by one thread whether the machine has changed since (canary_run.h). */
#pragma once

#include "engine/train/kernels/peak_loop.h"

struct peaks {
    const char *unit;                /* of the processor, that multiplied (peak_loop.h) */
    double multiply_adds_per_second; /* of all threads together; 0: not measured */
    double read_bytes_per_second;    /* likewise */
};

/* Takes about a fifth of a second, with a team of so many threads, each at its place; call it
 * before a net has threads of its own. Of several slices the best counts: others who use the
 * machine can only lower it. Where no threads can be had, nothing is measured.
 *
 * What is read is the memory of the canaries, canary_room(), after it was put out of all caches.
 * Where we know no instruction for that, or the threads may use several nodes while that memory
 * lies on one, nothing is read. */
struct peaks peaks_measure(int threads, enum cpu_isa isa, enum dnn_type type);
