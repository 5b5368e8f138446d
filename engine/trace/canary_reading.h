/* A small piece of work whose true cost is known, done before, between and after the steps: when
 * it takes longer, it was the machine that changed, not the training. */
#pragma once

struct canary {
    double hertz;                 /* of a loop of dependent additions: the effective clock */
    double copy_bytes_per_second; /* of a copy larger than the caches */
};
