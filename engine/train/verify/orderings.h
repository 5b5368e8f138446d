/* The orders of sums that `verify` tries. How many threads share a batch, and how many images
 * make a chunk, decides in which order numbers are added; the mathematics stays the same. So
 * several orderings tell what rounding does from what an error does. */
#pragma once

#include "engine/train/net/net.h"
#include "engine/train/verify/verify_options.h"

struct ordering {
    int threads;
    enum net_plan plan;
    long chunk_kilobytes; /* of NET_FIXED, see net_options; 0: the usual */
};

/* How many orderings to try: as the options say; by default DEFAULT_ORDERINGS where bf16 is
 * judged, otherwise one. */
#define DEFAULT_ORDERINGS 5
int orderings_count(const struct verify_options *options);

/* Number `index` below ORDERINGS_MAX. 0 is what the options ask for. The others differ from it
 * and from each other: the plain plan with other threads, the depth-first plan with other threads
 * and chunks. */
struct ordering orderings_at(const struct verify_options *options, int index);

/* "2 threads, plan fixed, 300 KB chunks". */
#define ORDERING_NAME_MAX 80
void ordering_name(const struct ordering *ordering, char ret[ORDERING_NAME_MAX]);
