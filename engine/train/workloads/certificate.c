#include "engine/train/workloads/certificate.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/layerwise.h"
#include "engine/train/networks/recipes.h"
#include "engine/train/workloads/net_new.h"

#include <math.h>

/* Images: enough for batch-norms of 7x7 pixels to have a mean, few enough to be done in a moment.
 */
#define BATCH 8

/* Of two gradients, while they are summed. */
struct sums {
    double products, exact_squares, fast_squares;
};

static double certificate_cosine(const struct sums *sums)
{
    double cosine = sums->products / sqrt(sums->exact_squares) / sqrt(sums->fast_squares);

    return isfinite(cosine) ? fmax(-1, fmin(1, cosine)) : 0; /* rounding goes past the ends */
}

static struct sums certificate_sum(const float *exact, const float *fast, size_t count)
{
    struct sums sums = {0};

    for (size_t k = 0; k < count; k++) {
        sums.products += (double)exact[k] * (double)fast[k];
        sums.exact_squares += (double)exact[k] * (double)exact[k];
        sums.fast_squares += (double)fast[k] * (double)fast[k];
    }
    return sums;
}

static struct certificate certificate_compare(const struct parameters *exact,
                                              const struct parameters *fast,
                                              const bool weights[PARAMETERS_MAX])
{
    struct certificate certificate = {.worst = 1};
    struct sums all = {0};

    for (int i = 0; i < exact->count; i++) {
        const struct parameter *parameter = &exact->list[i];
        struct sums sums =
            certificate_sum(parameter->gradient, fast->list[i].gradient, parameter->count);

        all.products += sums.products;
        all.exact_squares += sums.exact_squares;
        all.fast_squares += sums.fast_squares;
        if (!weights[i] || certificate_cosine(&sums) >= certificate.worst)
            continue;
        certificate.worst = certificate_cosine(&sums);
        memcpy(certificate.worst_name, parameter->name, sizeof certificate.worst_name);
    }
    certificate.cosine = certificate_cosine(&all);
    return certificate;
}

/* Of a convolution or the linear layer, that is. */
static bool are_weights(const struct network *network, const char *name)
{
    for (int i = 0; i < network->count; i++) {
        size_t length = strlen(network->layers[i].name);

        if (strncmp(name, network->layers[i].name, length) == 0 &&
            strcmp(name + length, ".weight") == 0)
            return true;
    }
    return false;
}

/* What the two nets compute: a network, or else a graph. */
struct subject {
    const struct network *network;
    const struct graph *graph;
};

static struct certificate certificate_of_subject(const struct subject *subject,
                                                 const struct parameters *exact,
                                                 const struct parameters *fast)
{
    bool weights[PARAMETERS_MAX];

    for (int i = 0; i < exact->count; i++)
        weights[i] = subject->network ? are_weights(subject->network, exact->list[i].name)
                                      : subject->graph->parameters[i].rows > 0;
    return certificate_compare(exact, fast, weights);
}

struct certificate certificate_of(const struct network *network, const struct parameters *exact,
                                  const struct parameters *fast)
{
    return certificate_of_subject(&(struct subject){.network = network}, exact, fast);
}

/* The gradients alone, to be freed with parameters_free(): a net is large, and need not stay for
 * them. */
static bool copy_gradients(const struct parameters *parameters, struct parameters *ret_copy,
                           struct error *err)
{
    size_t total = 0, at = 0;

    for (int i = 0; i < parameters->count; i++)
        total += parameters->list[i].count;
    *ret_copy = *parameters;
    ret_copy->memory = calloc(total, sizeof(float));
    if (!ret_copy->memory)
        return error_no_memory(err);
    for (int i = 0; i < parameters->count; i++) {
        struct parameter *parameter = &ret_copy->list[i];

        *parameter = parameters->list[i];
        parameter->value = parameter->velocity = parameter->second = NULL;
        parameter->gradient = ret_copy->memory + at;
        memcpy(parameter->gradient, parameters->list[i].gradient,
               parameter->count * sizeof(float));
        at += parameter->count;
    }
    return true;
}

/* One step of a net, whose parameters then show the gradient; NULL with the reason, also where
 * there is no net. */
static const struct parameters *gradient_of(struct net *net, struct error *err)
{
    struct step_split split;
    double loss;

    return net && net_step(net, &loss, &split, err) ? net_parameters(net, err) : NULL;
}

static struct net *make_net(const struct subject *subject, const struct net_options *options,
                            struct error *err)
{
    return subject->network ? net_new(subject->network, options, err)
                            : layerwise_new(subject->graph, NULL, options, err);
}

/* One net behind the other: two of them may not fit into memory. */
static bool certificate_fill(const struct subject *subject, const struct net_options *as_fast,
                             const struct net_options *as_exact,
                             struct certificate *ret_certificate, struct error *err)
{
    struct net *net = make_net(subject, as_fast, err);
    const struct parameters *shown = gradient_of(net, err);
    struct parameters fast = {0};
    bool copied = shown && copy_gradients(shown, &fast, err);

    net_free(net);
    net = copied ? make_net(subject, as_exact, err) : NULL;
    shown = gradient_of(net, err);
    if (shown)
        *ret_certificate = certificate_of_subject(subject, shown, &fast);
    net_free(net);
    parameters_free(&fast);
    return shown != NULL;
}

bool certificate_make(const struct network *network, const struct net_options *options,
                      struct certificate *ret_certificate, struct error *err)
{
    struct net_options fast = *options, exact;

    fast.batch = BATCH;
    fast.input_workers = 0;
    fast.keep_gradients = true;
    if (fast.plan == NET_AUTO)
        fast.plan = NET_FIXED;
    exact = fast;
    exact.type = DNN_F32;
    exact.plan = NET_FIXED;
    exact.layout = NET_NHWC;
    return certificate_fill(&(struct subject){.network = network}, &fast, &exact, ret_certificate,
                            err);
}

bool certificate_make_of_graph(const struct recipe *recipe, const struct net_options *options,
                               struct certificate *ret_certificate, struct error *err)
{
    struct net_options fast = *options, exact;
    struct graph graph;

    recipe_fill(recipe, 0, &graph);
    fast.batch = fast.batch < BATCH ? fast.batch : BATCH;
    exact = fast;
    exact.type = DNN_F32;
    return certificate_fill(&(struct subject){.graph = &graph}, &fast, &exact, ret_certificate,
                            err);
}
