/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/depth_first/depth_first_build.h"
#include "engine/train/depth_first/depth_first_choose.h"
#include "engine/train/depth_first/depth_first_step.h"

static void depth_first_release(struct net *net)
{
    struct depth_first *depth_first = (struct depth_first *)net;
    struct parameters *parameters = depth_first->parameters;

    depth_first_free(depth_first);
    parameters_free(parameters);
    free(parameters);
}

/* The filters hold the weights in layouts of their own. */
static struct parameters *depth_first_parameters(struct net *net, struct error *err)
{
    struct depth_first *depth_first = (struct depth_first *)net;

    for (int i = 0; i < depth_first->network.count; i++)
        if (depth_first->filters[i] && !filter_show(depth_first->filters[i], err))
            return NULL;
    return depth_first->parameters;
}

static float depth_first_logit(const struct net *net, long image, long class)
{
    const struct depth_first *depth_first = (const struct depth_first *)net;
    const struct layer *linear = &depth_first->network.layers[depth_first->stages.linear];

    assert(image >= 0 && image < depth_first->options.batch);
    assert(class >= 0 && class < linear->out_channels);
    return depth_first->shown[image * linear->out_channels + class];
}

static void depth_first_running(const struct net *net, int layer, const float **ret_mean,
                                const float **ret_variance)
{
    const struct norm *norm = ((const struct depth_first *)net)->norms[layer];

    *ret_mean = norm ? norm_running_mean(norm) : NULL;
    *ret_variance = norm ? norm_running_variance(norm) : NULL;
}

static void depth_first_names(const struct net *net, net_visit visit, void *user)
{
    const struct depth_first *depth_first = (const struct depth_first *)net;

    for (int i = 0; i < depth_first->network.count; i++)
        if (depth_first->filters[i])
            filter_names(depth_first->filters[i], visit, user);
}

static struct net_facts depth_first_facts(const struct net *net)
{
    const struct depth_first *depth_first = (const struct depth_first *)net;

    struct net_facts facts = net_facts_of(&depth_first->network, &depth_first->options);

    facts.plan = depth_first->plan.origin;
    facts.memory = depth_first->memory;
    facts.huge_pages = answer_of(depth_first->arena.huge_pages);
    facts.emulated = answer_of(depth_first_emulates(&depth_first->options));
    return facts;
}

static const struct net_functions functions = {.step = depth_first_step,
                                               .free = depth_first_release,
                                               .facts = depth_first_facts,
                                               .names = depth_first_names,
                                               .parameters = depth_first_parameters,
                                               .logit = depth_first_logit,
                                               .running = depth_first_running};

/* By a plan of its own a rank might lay weights out otherwise than the others. */
static void share_plan(struct joiner *joiner, struct plan *plan)
{
    const char *origin = plan->origin; /* an address means nothing to another process */

    joiner_share(joiner, plan, sizeof *plan);
    plan->origin = origin;
}

struct net *depth_first_new(const struct network *network, const struct net_options *options,
                            struct error *err)
{
    struct parameters *parameters = xcalloc(1, sizeof *parameters);
    struct depth_first *depth_first = NULL;
    struct plan plan;

    if (parameters_make(parameters, network, options->seed, err) &&
        depth_first_choose(network, options, parameters, &plan, err)) {
        share_plan(options->joiner, &plan);
        depth_first = depth_first_make(network, options, parameters, &plan, err);
    }
    if (!depth_first) {
        parameters_free(parameters);
        free(parameters);
        return NULL;
    }
    for (int i = 0; i < network->count; i++)
        if (depth_first->filters[i])
            filter_release(depth_first->filters[i]);
    depth_first->net.functions = &functions;
    return &depth_first->net;
}
