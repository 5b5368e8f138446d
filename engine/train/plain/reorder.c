#include "engine/train/plain/reorder.h"

#include "common/cleanup.h"

static bool make(struct bridge *bridge, struct dnn *dnn, const struct dnn_images *from,
                 const struct dnn_images *to, struct error *err)
{
    if (dnn_images_lie_alike(from, to))
        return true;
    bridge->reorder = dnn_image_reorder(dnn, *from, *to, err);
    return bridge->reorder != NULL;
}

static void claim(struct bridge *bridge, const struct dnn_images *images,
                  struct bridge_rooms *rooms, int room)
{
    size_t bytes = dnn_images_bytes(images);

    if (bridge->reorder && bytes > rooms->bytes[room])
        rooms->bytes[room] = bytes;
    bridge->room = &rooms->memory[room];
}

bool bridge_make_in(struct bridge *bridge, const struct dnn_images *from,
                    const struct dnn_images *to, struct bridge_rooms *rooms, int room,
                    struct error *err)
{
    if (!make(bridge, rooms->dnn, from, to, err))
        return false;
    claim(bridge, to, rooms, room);
    return true;
}

bool bridge_make_out(struct bridge *bridge, const struct dnn_images *from,
                     const struct dnn_images *to, struct bridge_rooms *rooms, int room,
                     struct error *err)
{
    if (!make(bridge, rooms->dnn, from, to, err))
        return false;
    claim(bridge, from, rooms, room);
    return true;
}

static bool cross(const struct bridge *bridge, void *from, void *to, struct error *err)
{
    void *const memory[] = {from, to};

    return dnn_op_run(bridge->reorder, memory, err);
}

void *bridge_in(const struct bridge *bridge, void *images, struct error *err)
{
    if (!bridge->reorder)
        return images;
    return cross(bridge, images, *bridge->room, err) ? *bridge->room : NULL;
}

void *bridge_place(const struct bridge *bridge, void *images)
{
    return bridge->reorder ? *bridge->room : images;
}

bool bridge_out(const struct bridge *bridge, void *images, struct error *err)
{
    return !bridge->reorder || cross(bridge, *bridge->room, images, err);
}

void bridge_free(struct bridge *bridge)
{
    dnn_op_free(bridge->reorder);
    bridge->reorder = NULL;
}
