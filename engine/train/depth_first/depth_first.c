#include "engine/train/depth_first/depth_first.h"

#include "common/cleanup.h"
#include "engine/train/threads/host.h"

static void take_images(struct fused *fused, long first, long end, void *result)
{
    const struct layer *layer = &fused->network.layers[0];
    long pixels = (long)layer->in_size * layer->in_size;
    size_t numbers = (size_t)(pixels * layer->in_channels);
    size_t bytes = fused_bytes_in(fused, layer);

    for (long i = first; i < end; i++)
        fused->passes->take_image(fused->source + (size_t)i * numbers, pixels,
                                  (char *)result + (size_t)i * bytes);
}

void fused_feed(void *user, int index, int of)
{
    struct fused *fused = user;
    long batch = fused->options.batch;

    take_images(fused, batch * index / of, batch * (index + 1) / of, fused->next_images);
}

/* What is trained on becomes what has been made beside the step before; the next is begun. */
static void take_turns(struct fused *fused)
{
    void *images = fused->images;

    feeder_wait(fused->feeder);
    fused->images = fused->next_images;
    fused->next_images = images;
    feeder_start(fused->feeder);
}

static void step_of_lane(void *user, int index)
{
    struct fused *fused = user;
    struct lane *lane = &fused->lanes[index];
    long long start = host_clock_ns();

    lane->ok = true;
    lane->update_ns = 0;
    memset(lane->stage_ns, 0, sizeof lane->stage_ns);
    if (!fused->feeder)
        take_images(fused, lane->first_image, lane->end_image, fused->images);
    lane->input_ns = host_clock_ns() - start;
    fused_forward(lane);
    fused_head(lane);
    fused_backward(lane);
    fused_update(lane);
}

bool fused_step(struct fused *fused, double *ret_loss, struct net_times *ret_times,
                struct error *err)
{
    const struct lane *first = &fused->lanes[0];
    long long start = host_clock_ns(), waited = 0, total;

    if (fused->feeder) {
        take_turns(fused);
        waited = host_clock_ns() - start;
    }
    atomic_store(&fused->loaded, 0);
    team_run(fused->team, step_of_lane, fused);
    for (int i = 0; i < fused->lane_count; i++)
        if (!fused->lanes[i].ok) {
            *err = fused->lanes[i].err;
            return false;
        }
    *ret_loss = 0;
    for (long i = 0; i < fused->options.batch; i++)
        *ret_loss += fused->losses[i];
    *ret_loss /= (double)fused->options.batch;
    total = host_clock_ns() - start;
    ret_times->input = waited + first->input_ns;
    ret_times->update = first->update_ns;
    ret_times->forward = first->forward_end - start - ret_times->input;
    ret_times->backward = total - ret_times->forward - ret_times->input - first->update_ns;
    return true;
}

void fused_free(struct fused *fused)
{
    if (!fused)
        return;
    feeder_free(fused->feeder);
    team_free(fused->team);
    for (int i = 0; i < fused->network.count; i++) {
        filter_free(fused->filters[i]);
        norm_free(fused->norms[i]);
    }
    dnn_close(fused->dnn);
    arena_free(&fused->arena);
    for (int i = 0; fused->lanes && i < fused->lane_count; i++)
        arena_free(&fused->lanes[i].arena);
    free(fused->lanes);
    free(fused);
}

static bool step(void *state, double *ret_loss, struct net_times *ret_times, struct error *err)
{
    return fused_step(state, ret_loss, ret_times, err);
}

static void release(void *state)
{
    fused_free(state);
}

static bool show(void *state, struct error *err)
{
    struct fused *fused = state;

    for (int i = 0; i < fused->network.count; i++)
        if (fused->filters[i] && !filter_show(fused->filters[i], err))
            return false;
    return true;
}

static float logit(const void *state, long image, long class)
{
    const struct fused *fused = state;

    return fused->shown[image * fused->network.layers[fused->stages.linear].out_channels + class];
}

static void running(const void *state, int layer, const float **ret_mean,
                    const float **ret_variance)
{
    const struct norm *norm = ((const struct fused *)state)->norms[layer];

    *ret_mean = norm ? norm_running_mean(norm) : NULL;
    *ret_variance = norm ? norm_running_variance(norm) : NULL;
}

static void names(const void *state, net_tell tell, void *user)
{
    const struct fused *fused = state;

    for (int i = 0; i < fused->network.count; i++)
        if (fused->filters[i])
            filter_names(fused->filters[i], tell, user);
}

static struct net_facts facts(const void *state)
{
    const struct fused *fused = state;

    return (struct net_facts){.plan = fused->plan.origin,
                              .memory = fused->memory,
                              .huge_pages = fused->arena.huge_pages,
                              .emulated = fused_emulates(fused)};
}

static const struct net_functions functions = {step, release, show, logit, running, names, facts};

struct fused *fused_make(const struct network *network, const struct net_options *options,
                         struct parameters *parameters, const struct plan *plan,
                         struct error *err)
{
    struct fused *fused = calloc(1, sizeof *fused);

    if (!fused) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    fused->network = *network;
    fused->options = *options;
    fused->parameters = parameters;
    if (!fused_build(fused, plan, err)) {
        fused_free(fused);
        return NULL;
    }
    return fused;
}

bool fused_new(const struct network *network, const struct net_options *options,
               struct parameters *parameters, struct net_part *ret_part, struct error *err)
{
    struct fused *fused = fused_make(network, options, parameters, NULL, err);

    if (fused)
        *ret_part = (struct net_part){&functions, fused};
    return fused != NULL;
}
