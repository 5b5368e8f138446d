#include "engine/train/workloads/certificate.h"

#include "common/cleanup.h"
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
    struct certificate certificate = {.worst = 1};
    struct sums all = {0};

    for (int i = 0; i < exact->count; i++) {
        const struct parameter *parameter = &exact->list[i];
        struct sums sums = sum(parameter->gradient, fast->list[i].gradient, parameter->count);

        all.products += sums.products;
        all.exact_squares += sums.exact_squares;
        all.fast_squares += sums.fast_squares;
        if (!are_weights(network, parameter->name) || cosine(&sums) >= certificate.worst)
            continue;
        certificate.worst = cosine(&sums);
        memcpy(certificate.worst_name, parameter->name, sizeof certificate.worst_name);
    }
    certificate.cosine = cosine(&all);
    return certificate;
}

/* A net whose parameters show the gradient of one step, or NULL. */
static struct net *compute(const struct network *network, const struct net_options *options,
                           const struct parameters **ret_parameters, struct error *err)
{
    struct net *net = net_new(network, options, err);
    struct step_split split;
    double loss;

    if (!net)
        return NULL;
    *ret_parameters = net_step(net, &loss, &split, err) ? net_parameters(net, err) : NULL;
    if (!*ret_parameters) {
        net_free(net);
        return NULL;
    }
    return net;
}

bool certificate_make(const struct network *network, const struct net_options *options,
                      struct certificate *ret_certificate, struct error *err)
{
    const struct parameters *exact, *fast;
    struct net_options made = *options;
    struct net *left, *right;

    made.batch = BATCH;
    made.input_workers = 0;
    made.keep_gradients = true;
    if (made.plan == NET_AUTO)
        made.plan = NET_FIXED;
    right = compute(network, &made, &fast, err);
    if (!right)
        return false;
    made.type = DNN_F32;
    made.plan = NET_FIXED;
    made.layout = NET_NHWC;
    left = compute(network, &made, &exact, err);
    if (left)
        *ret_certificate = certificate_of(network, exact, fast);
    net_free(left);
    net_free(right);
    return left != NULL;
}
