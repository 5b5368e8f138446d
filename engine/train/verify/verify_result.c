/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify_result.h"

#include "common/cleanup.h"
#include "common/order.h"
#include "engine/train/layerwise/layerwise.h"
#include "engine/train/networks/recipes.h"
#include "engine/train/networks/resnet50.h"
#include "engine/train/networks/tensor_init.h"
#include "engine/train/workloads/net_new.h"

#include <math.h>

#define PLACES 6 /* single elements of each tensor, evenly spread */

/* What is trained, and how it began. */
struct subject {
    bool is_graph;
    struct network network;
    struct graph graph;
    struct parameters before;
    struct net *net;
};

static void subject_free(struct subject *subject)
{
    net_free(subject->net);
    parameters_free(&subject->before);
}

static double result_difference(const float *values, const float *minus, size_t index)
{
    return (double)values[index] - (minus ? (double)minus[index] : 0);
}

static void add_element(json_t *at, size_t index, double value)
{
    char name[24];

    snprintf(name, sizeof name, "%zu", index);
    json_object_set_new(at, name, json_real(value));
}

/* Those that `like`, figures of the same tensor, has. */
static json_t *result_elements(const float *values, const float *minus, size_t count,
                               const json_t *like)
{
    json_t *at = json_object(), *theirs = json_object_get(like, "at"), *value;
    const char *name;

    for (size_t k = 0; !theirs && k < PLACES; k++) {
        size_t index = (count - 1) * k / (PLACES - 1);

        add_element(at, index, result_difference(values, minus, index));
    }
    json_object_foreach(theirs, name, value)
    {
        size_t index = strtoul(name, NULL, 10);

        if (index < count)
            add_element(at, index, result_difference(values, minus, index));
    }
    return at;
}

/* The figures of a tensor; `minus` is subtracted first, or NULL. */
static json_t *result_probe(const float *values, const float *minus, size_t count,
                            const json_t *like)
{
    uint64_t start = tensor_init_start("probe", 0, 0);
    double sum = 0, squares = 0, dot = 0;

    for (size_t i = 0; i < count; i++) {
        double value = result_difference(values, minus, i);

        sum += value;
        squares += value * value;
        if (value < 0 || value > 0)
            dot += value * (double)tensor_init_unit(tensor_init_bits(start, i));
    }
    return json_pack("{s:I, s:f, s:f, s:f, s:o}", "count", (json_int_t)count, "sum", sum, "l2",
                     sqrt(squares), "dot", dot, "at",
                     result_elements(values, minus, count, like));
}

static json_t *result_logits(const struct subject *subject, long batch)
{
    const struct extent *of_graph = &subject->graph.nodes[subject->graph.count - 1].out;
    long count = subject->is_graph ? least_of(8, batch * of_graph->rows) : batch;
    long classes = subject->is_graph ? least_of(8, of_graph->columns) : 8;
    json_t *rows = json_array();

    for (long i = 0; i < count; i++) {
        json_t *row = json_array();

        for (long c = 0; c < classes; c++)
            json_array_append_new(row, json_real((double)net_logit(subject->net, i, c)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *result_gradients(const struct parameters *parameters, const json_t *like)
{
    json_t *all = json_object();

    for (int i = 0; i < parameters->count; i++) {
        const struct parameter *p = &parameters->list[i];

        json_object_set_new(
            all, p->name,
            result_probe(p->gradient, NULL, p->count, json_object_get(like, p->name)));
    }
    return all;
}

static json_t *result_updates(const struct parameters *after, const struct parameters *before,
                              const json_t *like)
{
    json_t *all = json_object();

    for (int i = 0; i < after->count; i++) {
        const struct parameter *p = &after->list[i];

        json_object_set_new(all, p->name,
                            result_probe(p->value, before->list[i].value, p->count,
                                         json_object_get(like, p->name)));
    }
    return all;
}

static void add_running(json_t *all, const char *norm, const char *what, const float *values,
                        size_t count)
{
    char name[64];

    snprintf(name, sizeof name, "%s.running_%s", norm, what);
    json_object_set_new(all, name, result_probe(values, NULL, count, NULL));
}

/* Layer or node `index`. */
static void add_running_of(const struct subject *subject, int index, const char *norm,
                           long channels, json_t *all)
{
    const float *mean, *variance;

    net_running(subject->net, index, &mean, &variance);
    if (!mean)
        return;
    add_running(all, norm, "mean", mean, (size_t)channels);
    add_running(all, norm, "var", variance, (size_t)channels);
}

static json_t *result_running(const struct subject *subject)
{
    const struct network *network = &subject->network;
    const struct graph *graph = &subject->graph;
    json_t *all = json_object();

    for (int i = 0; !subject->is_graph && i < network->count; i++)
        add_running_of(subject, i, network->layers[i].norm, network->layers[i].out_channels, all);
    for (int i = 0; subject->is_graph && i < graph->count; i++)
        add_running_of(subject, i, graph->nodes[i].name, graph->nodes[i].columns, all);
    return all;
}

static json_t *made_with(const struct verify_options *options)
{
    char library[32];

    dnn_version(library, sizeof library);
    return json_pack("{s:s, s:s, s:s}", "pennyworth", PENNYWORTH_VERSION, "onednn", library,
                     "dtype", options->precision);
}

static bool run_steps(struct subject *subject, const struct verify_options *options,
                      const json_t *like, json_t *result, struct error *err)
{
    json_t *losses = json_array();

    json_object_set_new(result, "losses", losses);
    for (long long step = 0; step < options->steps; step++) {
        const struct parameters *parameters;
        struct step_split split;
        double loss;

        /* The gradients of a step are still there after its update. */
        if (!net_step(subject->net, &loss, &split, err))
            return false;
        if (!isfinite(loss))
            return error_set(err, ERROR_INTERNAL, NULL, "the loss is not a number");
        json_array_append_new(losses, json_real(loss));
        if (step > 0)
            continue;
        parameters = net_parameters(subject->net, err);
        if (!parameters)
            return false;
        json_object_set_new(result, "logits_first8",
                            result_logits(subject, (long)options->batch));
        json_object_set_new(result, "gradients",
                            result_gradients(parameters, json_object_get(like, "gradients")));
        json_object_set_new(result, "running", result_running(subject));
    }
    return true;
}

static struct net_options net_options_of(const struct verify_options *options, enum cpu_isa isa,
                                         const struct ordering *ordering)
{
    const struct optimizer *optimizer = &options->optimizer;

    return (struct net_options){
        .batch = (long)options->batch,
        .type = verify_type(options),
        .seed = (unsigned long long)options->seed,
        .sgd = {(float)optimizer->lr, (float)optimizer->momentum, (float)optimizer->weight_decay},
        .threads = ordering->threads,
        .isa = isa,
        .plan = ordering->plan,
        .chunk_kilobytes = ordering->chunk_kilobytes,
        .layout = net_layout_from_name(options->layout),
        .keep_gradients = true,
        .joiner = options->joiner};
}

static bool make_resnet50(struct subject *subject, const struct net_options *options,
                          struct error *err)
{
    resnet50_describe(&subject->network);
    subject->net = net_new(&subject->network, options, err);
    return subject->net &&
           parameters_make(&subject->before, &subject->network, options->seed, err);
}

static bool make_graph(struct subject *subject, const struct recipe *recipe,
                       const struct verify_options *asked, const struct net_options *options,
                       struct error *err)
{
    subject->is_graph = true;
    recipe_fill(recipe, (long)asked->length, &subject->graph);
    subject->net = layerwise_new(&subject->graph, &asked->optimizer, options, err);
    if (!subject->net || !graph_allocate_parameters(&subject->graph, 1, &subject->before, err))
        return false;
    graph_fill_parameters(&subject->graph, options->seed, &subject->before);
    return true;
}

static bool make_subject(struct subject *subject, const struct verify_options *options,
                         const struct net_options *net_options, struct error *err)
{
    const struct recipe *recipe = recipe_find(options->workload);

    return recipe ? make_graph(subject, recipe, options, net_options, err)
                  : make_resnet50(subject, net_options, err);
}

static json_t *result_describe(const struct verify_options *options,
                               const struct ordering *ordering)
{
    const struct optimizer *o = &options->optimizer;
    char name[ORDERING_NAME_MAX];

    ordering_name(ordering, name);
    return json_pack(
        "{s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
        "s:f, s:i}",
        "made_with", made_with(options), "ordering", name, "network", options->workload,
        "optimizer", optimizer_name(o->kind), "batch", (json_int_t)options->batch, "seed",
        (json_int_t)options->seed, "length", (json_int_t)options->length, "lr", o->lr, "lr_decay",
        o->lr_decay, "momentum", o->momentum, "rho", o->rho, "beta1", o->beta1, "beta2", o->beta2,
        "eps", o->eps, "weight_decay", o->weight_decay, "ranks", joiner_ranks(options->joiner));
}

json_t *verify_result(const struct verify_options *options, enum cpu_isa isa,
                      const struct ordering *ordering, const json_t *like, struct error *err)
{
    const struct net_options net_options = net_options_of(options, isa, ordering);
    AUTO(subject_free) struct subject subject = {.is_graph = false};
    AUTO(json_decrefp) json_t *result = result_describe(options, ordering);
    const struct parameters *after;

    if (!make_subject(&subject, options, &net_options, err) ||
        !run_steps(&subject, options, like, result, err))
        return NULL;
    after = net_parameters(subject.net, err);
    if (!after)
        return NULL;
    json_object_set_new(result, "updates",
                        result_updates(after, &subject.before, json_object_get(like, "updates")));
    return json_incref(result);
}
