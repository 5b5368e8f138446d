#include "engine/train/depth_first/depth_first.h"

#include "common/cleanup.h"
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

void depth_first_feed(void *user, int index, int of)
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
    lane->update_ns = 0;
    memset(lane->stage_ns, 0, sizeof lane->stage_ns);
    if (!depth_first->loader)
        take_images(depth_first, lane->first_image, lane->end_image, depth_first->images);
    lane->input_ns = host_clock_ns() - start;
    depth_first_forward(lane);
    depth_first_head(lane);
    depth_first_backward(lane);
    depth_first_update(lane);
}

bool depth_first_step(struct depth_first *depth_first, double *ret_loss,
                      struct net_times *ret_times, struct error *err)
{
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
    *ret_loss /= (double)depth_first->options.batch;
    total = host_clock_ns() - start;
    ret_times->input = waited + first->input_ns;
    ret_times->update = first->update_ns;
    ret_times->forward = first->forward_end - start - ret_times->input;
    ret_times->backward = total - ret_times->forward - ret_times->input - first->update_ns;
    return true;
}

void depth_first_free(struct depth_first *depth_first)
{
    if (!depth_first)
        return;
    batch_loader_free(depth_first->loader);
    team_free(depth_first->team);
    for (int i = 0; i < depth_first->network.count; i++) {
        filter_free(depth_first->filters[i]);
        norm_free(depth_first->norms[i]);
    }
    dnn_close(depth_first->dnn);
    arena_free(&depth_first->arena);
    for (int i = 0; depth_first->lanes && i < depth_first->lane_count; i++)
        arena_free(&depth_first->lanes[i].arena);
    free(depth_first->lanes);
    free(depth_first);
}

static bool step(void *state, double *ret_loss, struct net_times *ret_times, struct error *err)
{
    return depth_first_step(state, ret_loss, ret_times, err);
}

static void release(void *state)
{
    depth_first_free(state);
}

static bool show(void *state, struct error *err)
{
    struct depth_first *depth_first = state;

    for (int i = 0; i < depth_first->network.count; i++)
        if (depth_first->filters[i] && !filter_show(depth_first->filters[i], err))
            return false;
    return true;
}

static float logit(const void *state, long image, long class)
{
    const struct depth_first *depth_first = state;

    return depth_first
        ->shown[image * depth_first->network.layers[depth_first->stages.linear].out_channels +
                class];
}

static void running(const void *state, int layer, const float **ret_mean,
                    const float **ret_variance)
{
    const struct norm *norm = ((const struct depth_first *)state)->norms[layer];

    *ret_mean = norm ? norm_running_mean(norm) : NULL;
    *ret_variance = norm ? norm_running_variance(norm) : NULL;
}

static void names(const void *state, net_tell tell, void *user)
{
    const struct depth_first *depth_first = state;

    for (int i = 0; i < depth_first->network.count; i++)
        if (depth_first->filters[i])
            filter_names(depth_first->filters[i], tell, user);
}

static struct net_facts facts(const void *state)
{
    const struct depth_first *depth_first = state;

    return (struct net_facts){.plan = depth_first->plan.origin,
                              .memory = depth_first->memory,
                              .huge_pages = depth_first->arena.huge_pages,
                              .emulated = depth_first_emulates(depth_first)};
}

static const struct net_functions functions = {step, release, show, logit, running, names, facts};

struct depth_first *depth_first_make(const struct network *network,
                                     const struct net_options *options,
                                     struct parameters *parameters, const struct plan *plan,
                                     struct error *err)
{
    struct depth_first *depth_first = calloc(1, sizeof *depth_first);

    if (!depth_first) {
        error_no_memory(err);
        return NULL;
    }
    depth_first->network = *network;
    depth_first->options = *options;
    depth_first->parameters = parameters;
    if (!depth_first_build(depth_first, plan, err)) {
        depth_first_free(depth_first);
        return NULL;
    }
    return depth_first;
}

bool depth_first_new(const struct network *network, const struct net_options *options,
                     struct parameters *parameters, struct net_part *ret_part, struct error *err)
{
    struct depth_first *depth_first = depth_first_make(network, options, parameters, NULL, err);

    if (depth_first)
        *ret_part = (struct net_part){&functions, depth_first};
    return depth_first != NULL;
}
