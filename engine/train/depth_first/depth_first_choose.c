#include "engine/train/depth_first/depth_first_choose.h"

#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first_build.h"
#include "engine/train/depth_first/depth_first_step.h"
#include "engine/train/depth_first/plan_known.h"
#include "engine/train/threads/host.h"

/* Of a chunk; fits into the second cache of most processors. */
#define USUAL_KILOBYTES 1200

#define PROBE_IMAGES 4 /* of each thread */
#define PROBE_STEPS 2  /* timed ones, behind one that is not */
/* No further way is tried if it might end after so much time: a start is to take seconds. */
#define PROBE_NS 4000000000LL

/* What the choice is for. */
struct question {
    const struct network *network;
    const struct net_options *options;
    struct parameters *parameters; /* a probe reads them and learns nothing */
    int stages;
};

/* The best of the steps so far, of each stage, in nanoseconds. */
struct timing {
    long long stage[LAYERS_MAX];
};

/* What the choice depends on, in one line. */
static void write_key(const struct net_options *options, char *ret, size_t size)
{
    char model[160], library[32];
    long l1, l2, l3;

    cpu_model(model, sizeof model);
    cpu_caches(&l1, &l2, &l3);
    dnn_version(library, sizeof library);
    snprintf(ret, size, PENNYWORTH_VERSION "; %s; %ld %ld %ld; %s; %s; %s; batch %ld; threads %d",
             model, l1, l2, l3, library, cpu_isa_name(options->isa),
             options->type == DNN_BF16 ? "bf16" : "f32", options->batch, options->threads);
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

static bool time_choice(const struct question *question, struct choice choice, struct timing *ret,
                        struct error *err)
{
    const struct plan plan = plan_fixed(question->stages, choice);
    struct net_options options = *question->options;
    struct depth_first *probe;
    bool ok;

    options.batch = (long)options.threads * PROBE_IMAGES;
    if (options.batch > question->options->batch)
        options.batch = question->options->batch;
    options.sgd = (struct sgd){0}; /* nothing is learnt from it */
    options.keep_gradients = false;
    options.input_workers = 0;
    options.joiner = NULL;
    probe = depth_first_make(question->network, &options, question->parameters, &plan, err);
    ok = probe != NULL;
    *ret = (struct timing){0};
    for (int i = 0; i <= PROBE_STEPS && ok; i++) {
        struct step_split split;
        double loss;

        ok = depth_first_step(&probe->net, &loss, &split, err);
        if (ok && i > 0)
            keep_best(probe, ret);
    }
    depth_first_free(probe);
    return ok;
}

static bool choice_measure(const struct question *question, struct plan *ret_plan,
                           struct error *err)
{
    bool hand = depth_first_has_kernels(question->options);
    const struct choice choices[] = {{USUAL_KILOBYTES, hand},
                                     {USUAL_KILOBYTES, false},
                                     {500, hand},
                                     {500, false},
                                     {3000, hand},
                                     {3000, false}};
    long long start = host_clock_ns(), last = 0;
    struct plan plan = plan_fixed(question->stages, choices[0]);
    struct timing best = {0}, timing;

    plan.origin = "measured";
    for (size_t i = 0; i < COUNT(choices); i++) {
        long long before = host_clock_ns();

        if (i > 0 && before - start + last > PROBE_NS)
            break;
        if (i % 2 == 1 && !hand)
            continue; /* the same again */
        if (!time_choice(question, choices[i], &timing, err))
            return false;
        last = host_clock_ns() - before;
        for (int k = 0; k < question->stages; k++)
            if (best.stage[k] == 0 || timing.stage[k] < best.stage[k]) {
                best.stage[k] = timing.stage[k];
                plan.stages[k] = choices[i];
            }
    }
    *ret_plan = plan;
    return true;
}

static bool is_known(const struct question *question, const struct stages *stages,
                     struct plan *ret_plan)
{
    struct plan_machine machine = {question->options->isa, question->options->type, 0};
    long first, third;

    cpu_caches(&first, &machine.second_cache, &third);
    return plan_known(&machine, question->network, stages, ret_plan);
}

bool depth_first_choose(const struct network *network, const struct net_options *options,
                        struct parameters *parameters, struct plan *ret_plan, struct error *err)
{
    struct question question = {network, options, parameters, 0};
    char key[PLAN_KEY_MAX];
    struct error not_stored = {0};
    struct stages stages;

    assert(options->plan != NET_PLAIN);
    if (!stages_of(network, &stages, err))
        return false;
    question.stages = stages.count;
    if (options->plan == NET_FIXED) {
        const struct choice choice = {options->chunk_kilobytes > 0 ? options->chunk_kilobytes
                                                                   : USUAL_KILOBYTES,
                                      depth_first_has_kernels(options)};

        *ret_plan = plan_fixed(stages.count, choice);
        return true;
    }
    if (is_known(&question, &stages, ret_plan))
        return true;
    write_key(options, key, sizeof key);
    if (plan_load(key, stages.count, ret_plan))
        return true;
    if (!choice_measure(&question, ret_plan, err))
        return false;
    if (!plan_store(ret_plan, key, &not_stored))
        fprintf(stderr,
                "pennyworth-worker: the plan was not stored, so the next run measures it again: "
                "%s\n",
                not_stored.message);
    return true;
}
