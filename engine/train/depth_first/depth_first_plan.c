/* Chooses the plan: a few ways to work are tried on a small batch, for all stages at once, and
 * each stage takes the one that was fastest for it, in the company that it will have. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/threads/host.h"

/* Of a chunk; fits into the second cache of most processors. */
#define USUAL_KILOBYTES 1200

#define PROBE_IMAGES 4 /* of each thread */
#define PROBE_STEPS 2  /* timed ones, behind one that is not */
/* No further way is tried if it might end after so much time: a start is to take seconds. */
#define PROBE_NS 4000000000LL

/* The best of the steps so far, of each stage, in nanoseconds. */
struct timing {
    long long stage[LAYERS_MAX];
};

/* What the choice depends on, in one line. */
static void write_key(const struct depth_first *depth_first, char *ret, size_t size)
{
    char model[160], library[32];
    long l1, l2, l3;

    cpu_model(model, sizeof model);
    cpu_caches(&l1, &l2, &l3);
    dnn_version(library, sizeof library);
    snprintf(ret, size, PENNYWORTH_VERSION "; %s; %ld %ld %ld; %s; %s; %s; batch %ld; threads %d",
             model, l1, l2, l3, library, cpu_isa_name(depth_first->options.isa),
             depth_first->options.type == DNN_BF16 ? "bf16" : "f32", depth_first->options.batch,
             depth_first->lane_count);
}

static void keep_best(const struct depth_first *probe, struct timing *best)
{
    for (int i = 0; i < probe->stages.count; i++)
        for (int lane = 0; lane < probe->lane_count; lane++) {
            long long taken = probe->lanes[lane].stage_ns[i];

            if (taken > 0 && (best->stage[i] == 0 || taken < best->stage[i]))
                best->stage[i] = taken;
        }
}

static bool time_choice(const struct depth_first *depth_first, struct choice choice,
                        struct timing *ret, struct error *err)
{
    const struct plan plan = plan_fixed(depth_first->stages.count, choice);
    struct net_options options = depth_first->options;
    struct depth_first *probe;
    bool ok;

    options.batch = depth_first->lane_count * PROBE_IMAGES;
    if (options.batch > depth_first->options.batch)
        options.batch = depth_first->options.batch;
    options.sgd = (struct sgd){0}; /* nothing is learnt from it */
    options.keep_gradients = false;
    options.input_workers = 0;
    probe =
        depth_first_make(&depth_first->network, &options, depth_first->parameters, &plan, err);
    ok = probe != NULL;
    *ret = (struct timing){0};
    for (int i = 0; i <= PROBE_STEPS && ok; i++) {
        struct net_times times;
        double loss;

        ok = depth_first_step(probe, &loss, &times, err);
        if (ok && i > 0)
            keep_best(probe, ret);
    }
    depth_first_free(probe);
    return ok;
}

static bool measure(struct depth_first *depth_first, struct error *err)
{
    bool hand = depth_first_hand(depth_first) != WGRAD_PORTABLE;
    const struct choice choices[] = {{USUAL_KILOBYTES, hand},
                                     {USUAL_KILOBYTES, false},
                                     {500, hand},
                                     {500, false},
                                     {3000, hand},
                                     {3000, false}};
    long long start = host_clock_ns(), last = 0;
    struct timing best = {0}, timing;

    depth_first->plan = plan_fixed(depth_first->stages.count, choices[0]);
    depth_first->plan.origin = "measured";
    for (size_t i = 0; i < COUNT(choices); i++) {
        long long before = host_clock_ns();

        if (i > 0 && before - start + last > PROBE_NS)
            break;
        if (i % 2 == 1 && !hand)
            continue; /* the same again */
        if (!time_choice(depth_first, choices[i], &timing, err))
            return false;
        last = host_clock_ns() - before;
        for (int k = 0; k < depth_first->stages.count; k++)
            if (best.stage[k] == 0 || timing.stage[k] < best.stage[k]) {
                best.stage[k] = timing.stage[k];
                depth_first->plan.stages[k] = choices[i];
            }
    }
    return true;
}

bool depth_first_choose(struct depth_first *depth_first, struct error *err)
{
    char key[PLAN_KEY_MAX];
    struct error not_stored = {0};

    if (depth_first->options.plan == NET_FIXED) {
        bool hand = depth_first_hand(depth_first) != WGRAD_PORTABLE;

        depth_first->plan =
            plan_fixed(depth_first->stages.count, (struct choice){USUAL_KILOBYTES, hand});
        return true;
    }
    write_key(depth_first, key, sizeof key);
    if (plan_load(key, depth_first->stages.count, &depth_first->plan))
        return true;
    if (!measure(depth_first, err))
        return false;
    if (!plan_store(&depth_first->plan, key, &not_stored))
        fprintf(stderr,
                "pennyworth-worker: the plan was not stored, so the next run measures it again: "
                "%s\n",
                not_stored.message);
    return true;
}
