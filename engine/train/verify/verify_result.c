/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify_result.h"

#include "common/cleanup.h"
#include "engine/train/networks/resnet50.h"
#include "engine/train/workloads/net_new.h"

#include <math.h>

#define PLACES 6 /* single elements of each tensor, evenly spread */

static json_t *elements(const float *values, const float *minus, size_t count)
{
    json_t *at = json_object();

    for (size_t k = 0; k < PLACES; k++) {
        size_t index = (count - 1) * k / (PLACES - 1);
        char name[24];

        snprintf(name, sizeof name, "%zu", index);
        json_object_set_new(
            at, name, json_real((double)values[index] - (minus ? (double)minus[index] : 0)));
    }
    return at;
}

/* The figures of a tensor; `minus` is subtracted first, or NULL. */
static json_t *probe(const float *values, const float *minus, size_t count)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        double value = (double)values[i] - (minus ? (double)minus[i] : 0);

        sum += value;
        squares += value * value;
    }
    return json_pack("{s:I, s:f, s:f, s:o}", "count", (json_int_t)count, "sum", sum, "l2",
                     sqrt(squares), "at", elements(values, minus, count));
}

static json_t *logits(const struct net *net, long batch)
{
    json_t *rows = json_array();

    for (long image = 0; image < batch; image++) {
        json_t *row = json_array();

        for (long c = 0; c < 8; c++)
            json_array_append_new(row, json_real((double)net_logit(net, image, c)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *gradients(const struct parameters *parameters)
{
    json_t *all = json_object();

    for (int i = 0; i < parameters->count; i++) {
        const struct parameter *p = &parameters->list[i];

        json_object_set_new(all, p->name, probe(p->gradient, NULL, p->count));
    }
    return all;
}

static json_t *updates(const struct parameters *after, const struct parameters *before)
{
    json_t *all = json_object();

    for (int i = 0; i < after->count; i++) {
        const struct parameter *p = &after->list[i];

        json_object_set_new(all, p->name, probe(p->value, before->list[i].value, p->count));
    }
    return all;
}

static void add_running(json_t *all, const char *norm, const char *what, const float *values,
                        size_t count)
{
    char name[64];

    snprintf(name, sizeof name, "%s.running_%s", norm, what);
    json_object_set_new(all, name, probe(values, NULL, count));
}

static json_t *running(const struct net *net, const struct network *network)
{
    json_t *all = json_object();

    for (int i = 0; i < network->count; i++) {
        const struct layer *layer = &network->layers[i];
        const float *mean, *variance;

        net_running(net, i, &mean, &variance);
        if (!mean)
            continue;
        add_running(all, layer->norm, "mean", mean, (size_t)layer->out_channels);
        add_running(all, layer->norm, "var", variance, (size_t)layer->out_channels);
    }
    return all;
}

static json_t *made_with(const struct verify_options *options)
{
    char library[32];

    dnn_version(library, sizeof library);
    return json_pack("{s:s, s:s, s:s}", "pennyworth", PENNYWORTH_VERSION, "onednn", library,
                     "dtype", options->precision);
}

static bool run_steps(struct net *net, const struct verify_options *options,
                      const struct network *network, json_t *result, struct error *err)
{
    json_t *losses = json_array();

    json_object_set_new(result, "losses", losses);
    for (long long step = 0; step < options->steps; step++) {
        const struct parameters *parameters;
        struct step_split split;
        double loss;

        /* The gradients of a step are still there after its update. */
        if (!net_step(net, &loss, &split, err))
            return false;
        if (!isfinite(loss))
            return error_set(err, ERROR_INTERNAL, NULL, "the loss is not a number");
        json_array_append_new(losses, json_real(loss));
        if (step > 0)
            continue;
        parameters = net_parameters(net, err);
        if (!parameters)
            return false;
        json_object_set_new(result, "logits_first8", logits(net, options->batch));
        json_object_set_new(result, "gradients", gradients(parameters));
        json_object_set_new(result, "running", running(net, network));
    }
    return true;
}

static struct net_options net_options_of(const struct verify_options *options, enum cpu_isa isa,
                                         const struct ordering *ordering)
{
    return (struct net_options){
        .batch = (long)options->batch,
        .type = strcmp(options->precision, "bf16") == 0 ? DNN_BF16 : DNN_F32,
        .seed = (unsigned long long)options->seed,
        .sgd = {(float)options->lr, (float)options->momentum, (float)options->weight_decay},
        .threads = ordering->threads,
        .isa = isa,
        .plan = ordering->plan,
        .chunk_kilobytes = ordering->chunk_kilobytes,
        .layout = net_layout_from_name(options->layout),
        .keep_gradients = true};
}

json_t *verify_result(const struct verify_options *options, enum cpu_isa isa,
                      const struct ordering *ordering, struct error *err)
{
    const struct net_options net_options = net_options_of(options, isa, ordering);
    char name[ORDERING_NAME_MAX];
    AUTO(parameters_free) struct parameters before = {0};
    AUTO(json_decrefp) json_t *result = NULL;
    const struct parameters *after;
    struct network network;
    struct net *net;
    bool ok;

    ordering_name(ordering, name);
    result = json_pack("{s:o, s:s, s:I, s:I, s:f, s:f, s:f}", "made_with", made_with(options),
                       "ordering", name, "batch", (json_int_t)options->batch, "seed",
                       (json_int_t)options->seed, "lr", options->lr, "momentum",
                       options->momentum, "weight_decay", options->weight_decay);
    resnet50_describe(&network);
    net = net_new(&network, &net_options, err);
    ok = net && parameters_make(&before, &network, net_options.seed, err) &&
         run_steps(net, options, &network, result, err);
    after = ok ? net_parameters(net, err) : NULL;
    if (after)
        json_object_set_new(result, "updates", updates(after, &before));
    net_free(net);
    return after ? json_incref(result) : NULL;
}
