#include "engine/train/plain/reorder.h"

#include "common/cleanup.h"
#include "engine/train/onednn/dnn_make.h"

static bool reorder_make(struct reorder *reorder, struct dnn *dnn, const struct dnn_images *from,
                         const struct dnn_images *to, struct error *err)
{
    if (dnn_images_lie_alike(from, to))
        return true;
    reorder->op = dnn_image_reorder(dnn, *from, *to, err);
    return reorder->op != NULL;
}

static void reorder_claim(struct reorder *reorder, const struct dnn_images *images,
                          struct reorder_rooms *rooms, int room)
{
    size_t bytes = dnn_images_bytes(images);

    if (reorder->op && bytes > rooms->bytes[room])
        rooms->bytes[room] = bytes;
    reorder->room = &rooms->memory[room];
}

bool reorder_make_in(struct reorder *reorder, const struct dnn_images *from,
                     const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                     struct error *err)
{
    if (!reorder_make(reorder, rooms->dnn, from, to, err))
        return false;
    reorder_claim(reorder, to, rooms, room);
    return true;
}

bool reorder_make_out(struct reorder *reorder, const struct dnn_images *from,
                      const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                      struct error *err)
{
    if (!reorder_make(reorder, rooms->dnn, from, to, err))
        return false;
    reorder_claim(reorder, from, rooms, room);
    return true;
}

static bool reorder_run(const struct reorder *reorder, void *from, void *to, struct error *err)
{
    void *const memory[] = {from, to};

    return dnn_op_run(reorder->op, memory, err);
}

void *reorder_in(const struct reorder *reorder, void *images, struct error *err)
{
    if (!reorder->op)
        return images;
    return reorder_run(reorder, images, *reorder->room, err) ? *reorder->room : NULL;
}

void *reorder_place(const struct reorder *reorder, void *images)
{
    return reorder->op ? *reorder->room : images;
}

bool reorder_out(const struct reorder *reorder, void *images, struct error *err)
{
    return !reorder->op || reorder_run(reorder, *reorder->room, images, err);
}

void reorder_free(struct reorder *reorder)
{
    dnn_op_free(reorder->op);
    reorder->op = NULL;
}
