#include "engine/train/plain/reorder.h"

#include "common/cleanup.h"

static bool make(struct reorder *bridge, struct dnn *dnn, const struct dnn_images *from,
                 const struct dnn_images *to, struct error *err)
{
    if (dnn_images_lie_alike(from, to))
        return true;
    bridge->reorder = dnn_image_reorder(dnn, *from, *to, err);
    return bridge->reorder != NULL;
}

static void claim(struct reorder *bridge, const struct dnn_images *images,
                  struct reorder_rooms *rooms, int room)
{
    size_t bytes = dnn_images_bytes(images);

    if (bridge->reorder && bytes > rooms->bytes[room])
        rooms->bytes[room] = bytes;
    bridge->room = &rooms->memory[room];
}

bool reorder_make_in(struct reorder *bridge, const struct dnn_images *from,
                     const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                     struct error *err)
{
    if (!make(bridge, rooms->dnn, from, to, err))
        return false;
    claim(bridge, to, rooms, room);
    return true;
}

bool reorder_make_out(struct reorder *bridge, const struct dnn_images *from,
                      const struct dnn_images *to, struct reorder_rooms *rooms, int room,
                      struct error *err)
{
    if (!make(bridge, rooms->dnn, from, to, err))
        return false;
    claim(bridge, from, rooms, room);
    return true;
}

static bool cross(const struct reorder *bridge, void *from, void *to, struct error *err)
{
    void *const memory[] = {from, to};

    return dnn_op_run(bridge->reorder, memory, err);
}

void *reorder_in(const struct reorder *bridge, void *images, struct error *err)
{
    if (!bridge->reorder)
        return images;
    return cross(bridge, images, *bridge->room, err) ? *bridge->room : NULL;
}

void *reorder_place(const struct reorder *bridge, void *images)
{
    return bridge->reorder ? *bridge->room : images;
}

bool reorder_out(const struct reorder *bridge, void *images, struct error *err)
{
    return !bridge->reorder || cross(bridge, *bridge->room, images, err);
}

void reorder_free(struct reorder *bridge)
{
    dnn_op_free(bridge->reorder);
    bridge->reorder = NULL;
}
