/* Between two operations that want the same images in two orders: a reorder, and room for its
 * result. Where both want the same there is nothing to cross, and nothing is copied. */
#pragma once

#include "engine/train/onednn/dnn.h"

/* Memory that all reorders share, because only one operation runs at a time: one piece for what
 * it reads, one for what it reads besides or writes. */
#define REORDER_ROOMS 2

struct reorder_rooms {
    struct dnn *dnn;
    size_t bytes[REORDER_ROOMS]; /* what the largest of them needs */
    void *memory[REORDER_ROOMS];
};

struct reorder {
    struct dnn_op *reorder; /* NULL: both orders are the same */
    void *const *room;
};

/* For an operation that reads images as `to` and is given them as `from`. The rooms stay the
 * caller's, who takes their memory when all reorders are made. */
bool reorder_make_in(struct reorder *bridge, const struct dnn_images *from,
                     const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                     struct error *err) __attribute__((warn_unused_result));

/* For one that writes them as `from` where they are wanted as `to`. */
bool reorder_make_out(struct reorder *bridge, const struct dnn_images *from,
                      const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                      struct error *err) __attribute__((warn_unused_result));

/* What the operation is to read instead of `images`; NULL, and err saying why, when they could
 * not be brought there. */
void *reorder_in(const struct reorder *bridge, void *images, struct error *err);

/* Where the operation is to write what is wanted at `images`; then reorder_out() brings it there.
 */
void *reorder_place(const struct reorder *bridge, void *images);
bool reorder_out(const struct reorder *bridge, void *images, struct error *err)
    __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void reorder_free(struct reorder *bridge);
