/* A small piece of work of known cost, done before, between and after the steps: if it takes
 * longer, the machine changed, not the training. */
#pragma once

struct canary {
    double hertz;                 /* of a loop of dependent additions: the effective clock */
    double copy_bytes_per_second; /* of a copy larger than the caches */
};
