/* Between two operations that want the same images in two orders: a reorder, and room for its
 * result. Where both want the same order there is none, and nothing is copied. */
#pragma once

#include "engine/train/onednn/dnn.h"

/* Memory that all reorders share, because only one operation runs at a time: one piece for its
 * first input, one for its second input or its output. */
#define REORDER_ROOMS 2

struct reorder_rooms {
    struct dnn *dnn;
    size_t bytes[REORDER_ROOMS]; /* what the largest of them needs */
    void *memory[REORDER_ROOMS];
};

struct reorder {
    struct dnn_op *op; /* NULL: both orders are the same */
    void *const *room; /* the result of a reorder for reading, the source of one for writing */
};

/* For an operation that reads images as `to`, where they lie as `from`. The rooms stay the
 * caller's; the caller allocates them when all reorders are made. */
MUST_USE bool reorder_make_in(struct reorder *reorder, const struct dnn_images *from,
                              const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                              struct error *err);

/* For one that writes them as `from` where they are wanted as `to`. */
MUST_USE bool reorder_make_out(struct reorder *reorder, const struct dnn_images *from,
                               const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                               struct error *err);

/* Returns what the operation must read instead of `images`; NULL with the reason when the reorder
 * fails. */
void *reorder_in(const struct reorder *reorder, void *images, struct error *err);

/* Where the operation must write; reorder_out() then brings it to `images`.
 */
void *reorder_place(const struct reorder *reorder, void *images);
MUST_USE bool reorder_out(const struct reorder *reorder, void *images, struct error *err);

/* A zeroed one is fine. */
void reorder_free(struct reorder *reorder);
