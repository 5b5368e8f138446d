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

static double cosine(const struct sums *sums)
{
    double cosine = sums->products / sqrt(sums->exact_squares) / sqrt(sums->fast_squares);

    return isfinite(cosine) ? fmax(-1, fmin(1, cosine)) : 0; /* rounding goes past the ends */
}

static struct sums sum(const float *exact, const float *fast, size_t count)
{
    struct sums sums = {0};

    for (size_t k = 0; k < count; k++) {
        sums.products += (double)exact[k] * (double)fast[k];
        sums.exact_squares += (double)exact[k] * (double)exact[k];
        sums.fast_squares += (double)fast[k] * (double)fast[k];
    }
    return sums;
}

static struct certificate compare(const struct parameters *exact, const struct parameters *fast,
                                  const bool weights[PARAMETERS_MAX])
{
    struct certificate certificate = {.worst = 1};
    struct sums all = {0};

    for (int i = 0; i < exact->count; i++) {
        const struct parameter *parameter = &exact->list[i];
        struct sums sums = sum(parameter->gradient, fast->list[i].gradient, parameter->count);

        all.products += sums.products;
        all.exact_squares += sums.exact_squares;
        all.fast_squares += sums.fast_squares;
        if (!weights[i] || cosine(&sums) >= certificate.worst)
            continue;
        certificate.worst = cosine(&sums);
        memcpy(certificate.worst_name, parameter->name, sizeof certificate.worst_name);
    }
    certificate.cosine = cosine(&all);
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

struct certificate certificate_of(const struct network *network, const struct parameters *exact,
                                  const struct parameters *fast)
{
    bool weights[PARAMETERS_MAX];

    for (int i = 0; i < exact->count; i++)
        weights[i] = are_weights(network, exact->list[i].name);
    return compare(exact, fast, weights);
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

bool certificate_make(const struct network *network, const struct net_options *options,
                      struct certificate *ret_certificate, struct error *err)
{
    const struct parameters *exact = NULL, *shown;
    struct parameters fast = {0};
    struct net_options made = *options;
    struct net *net;
    bool ok;

    made.batch = BATCH;
    made.input_workers = 0;
    made.keep_gradients = true;
    if (made.plan == NET_AUTO)
        made.plan = NET_FIXED;
    net = net_new(network, &made, err);
    shown = gradient_of(net, err);
    ok = shown && copy_gradients(shown, &fast, err);
    net_free(net);
    made.type = DNN_F32;
    made.plan = NET_FIXED;
    made.layout = NET_NHWC;
    net = ok ? net_new(network, &made, err) : NULL;
    exact = gradient_of(net, err);
    if (exact)
        *ret_certificate = certificate_of(network, exact, &fast);
    net_free(net);
    parameters_free(&fast);
    return exact != NULL;
}

bool certificate_make_of_graph(const struct recipe *recipe, const struct net_options *options,
                               struct certificate *ret_certificate, struct error *err)
{
    const struct parameters *exact, *fast;
    struct net_options made = *options;
    struct net *left = NULL, *right;
    bool weights[PARAMETERS_MAX];
    struct graph graph;

    recipe_fill(recipe, 0, &graph);
    for (int i = 0; i < graph.parameter_count; i++)
        weights[i] = graph.parameters[i].rows > 0;
    made.batch = made.batch < BATCH ? made.batch : BATCH;
    right = layerwise_new(&graph, &recipe->optimizer, &made, err);
    fast = gradient_of(right, err);
    made.type = DNN_F32;
    if (fast)
        left = layerwise_new(&graph, &recipe->optimizer, &made, err);
    exact = gradient_of(left, err);
    if (exact)
        *ret_certificate = compare(exact, fast, weights);
    net_free(left);
    net_free(right);
    return exact != NULL;
}
