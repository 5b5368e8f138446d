/* Sums of weight gradients: one for each thread, or one for each group of threads.
 *
 * In a group each thread still owns its images, but of the weights it owns a slice of the output
 * channels, and computes that slice from the chunks of the whole group. Groups need kernels that
 * compute slices: wgrad.h. Elsewhere, also where Winograd's transform sums, each thread has its
 * own sum.
 *
 * Why (arithmetic; no such machine has been measured): ResNet-50 has 25.6 M weights, 102 MB. With
 * a sum for each thread a step writes and reads 2 x 102 MB on 2 cores, but 4.9 GB on 48 and 9.8
 * GB on 96. At 400 GB/s these are 12 and 25 ms, of a step of 70 ms with one image a core. Above
 * 16 threads there are therefore at most 16 groups (of 3 threads on 48 cores, of 6 on 96), and
 * only the stages with many weights share: a step then reads 1.8 and 2.1 GB, 5 ms, and the sums
 * of two stages take the memory of 16 threads, not of 96. Stages with few weights and large
 * images do not share: there a thread would read more of its neighbours' chunks than it saves. */
#pragma once

#include "engine/train/depth_first/depth_first_chunks.h"

/* How many threads share a sum; `wanted` 0: chosen here. */
int depth_first_group_size(int threads, int wanted);

/* Whether a stage's sums are shared; the same on every call once the filters are there. */
bool depth_first_grouped(const struct depth_first *depth_first, const struct stage *stage);

/* The first thread of the group, which has the group's sums and barrier. */
struct lane *depth_first_leader(const struct lane *lane);

/* The sum of weight gradients of the stage's filter number `which`, in the thread's memory:
 * filter_weights() floats. `stage` is one of depth_first->stages.list, or depth_first->head. Two
 * stages that follow each other have different memory, so that one stage's update may read while
 * the next stage's gradients are written; the stage after that takes the first one's again. */
float *depth_first_sum(const struct lane *lane, const struct stage *stage, int which);

/* Floats from the start of one filter's sum to the start of the next: a multiple of 64 bytes. */
size_t depth_first_sum_room(const struct filter *filter);

/* Like depth_first_chunks(), in step with the group; `work` calls depth_first_share() for each of
 * the stage's filters, from the last to the first. Every thread of the group must call it, also
 * one that has failed. */
bool depth_first_rounds(struct lane *lane, int stage,
                        bool (*work)(const struct chunk *chunk, struct error *err));

/* Publishes `share` to the group and adds the thread's slice of all published shares. The caller
 * may overwrite its share when this returns. */
bool depth_first_share(struct lane *lane, const struct stage *stage, struct share share,
                       struct error *err);
