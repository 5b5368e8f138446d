#include "engine/train/depth_first/depth_first_step.h"

#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first_backward.h"
#include "engine/train/depth_first/depth_first_forward.h"
#include "engine/train/depth_first/depth_first_head.h"
#include "engine/train/depth_first/depth_first_update.h"
#include "engine/train/threads/host.h"

static void take_images(struct depth_first *depth_first, long first, long end, void *result)
{
    const struct layer *layer = &depth_first->network.layers[0];
    long pixels = (long)layer->in_size * layer->in_size;
    size_t numbers = (size_t)(pixels * layer->in_channels);
    size_t bytes = depth_first_bytes_in(depth_first, layer);

    assert(result && first >= 0 && end <= depth_first->options.batch);
    for (long i = first; i < end; i++)
        depth_first->passes->take_image(depth_first->source + (size_t)i * numbers, pixels,
                                        (char *)result + (size_t)i * bytes);
}

void depth_first_load_part(void *user, int index, int of)
{
    struct depth_first *depth_first = user;
    long batch = depth_first->options.batch;

    take_images(depth_first, batch * index / of, batch * (index + 1) / of,
                depth_first->next_images);
}

/* Swaps the two batches: the step trains on the one that the loader has made, and the loader
 * starts to make the next. */
static void swap_batches(struct depth_first *depth_first)
{
    void *images = depth_first->images;

    assert(depth_first->next_images);
    batch_loader_wait(depth_first->loader);
    depth_first->images = depth_first->next_images;
    depth_first->next_images = images;
    batch_loader_start(depth_first->loader);
}

static void step_of_lane(void *user, int index)
{
    struct depth_first *depth_first = user;
    struct lane *lane = &depth_first->lanes[index];
    long long start = host_clock_ns();

    lane->ok = true;
    lane->update_ns = lane->communication_ns = 0;
    memset(lane->stage_ns, 0, sizeof lane->stage_ns);
    if (!depth_first->loader)
        take_images(depth_first, lane->first_image, lane->end_image, depth_first->images);
    lane->input_ns = host_clock_ns() - start;
    depth_first_forward(lane);
    depth_first_head(lane);
    depth_first_backward(lane);
    depth_first_update(lane);
}

bool depth_first_step(struct net *net, double *ret_loss, struct step_split *ret_split,
                      struct error *err)
{
    struct depth_first *depth_first = (struct depth_first *)net;
    const struct lane *first = &depth_first->lanes[0];
    long long start = host_clock_ns(), waited = 0, total;

    if (depth_first->loader) {
        swap_batches(depth_first);
        waited = host_clock_ns() - start;
    }
    atomic_store(&depth_first->loaded, 0);
    team_run(depth_first->team, step_of_lane, depth_first);
    for (int i = 0; i < depth_first->lane_count; i++)
        if (!depth_first->lanes[i].ok) {
            *err = depth_first->lanes[i].err;
            return false;
        }
    *ret_loss = 0;
    for (long i = 0; i < depth_first->options.batch; i++)
        *ret_loss += depth_first->losses[i];
    *ret_loss =
        joiner_mean(depth_first->options.joiner, *ret_loss / (double)depth_first->options.batch);
    total = host_clock_ns() - start;
    *ret_split = (struct step_split){.input = waited + first->input_ns,
                                     .update = first->update_ns,
                                     .communication = first->communication_ns};
    ret_split->forward = first->forward_end - start - ret_split->input;
    ret_split->backward = total - ret_split->forward - ret_split->input - first->update_ns -
                          first->communication_ns;
    return true;
}
