#include "engine/train/workloads/workload.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/layerwise.h"
#include "engine/train/networks/recipes.h"
#include "engine/train/networks/resnet50.h"
#include "engine/train/threads/host.h"
#include "engine/train/workloads/net_new.h"

static struct net_options resnet50_options(const struct run_spec *spec, enum cpu_isa isa)
{
    return (struct net_options){.batch = (long)spec->batch_size,
                                .type = workload_type(spec),
                                .seed = (unsigned long long)spec->seed,
                                .sgd = {.learning_rate = 0.002f},
                                .threads = workload_threads(spec),
                                .isa = isa,
                                .plan = net_plan_from_name(spec->plan),
                                .layout = net_layout_from_name(spec->layout),
                                .input_workers = (int)spec->input_workers};
}

static struct net *resnet50_make(const struct run_spec *spec, enum cpu_isa isa,
                                 struct joiner *joiner, struct error *err)
{
    struct net_options options = resnet50_options(spec, isa);
    struct network network;

    options.joiner = joiner;
    resnet50_describe(&network);
    return net_new(&network, &options, err);
}

static bool resnet50_certify(const struct run_spec *spec, enum cpu_isa isa,
                             struct certificate *ret_certificate, struct error *err)
{
    const struct net_options options = resnet50_options(spec, isa);
    struct network network;

    resnet50_describe(&network);
    return certificate_make(&network, &options, ret_certificate, err);
}

/* The graph's net by the constants of its recipe. */
static struct net_options graph_options(const struct run_spec *spec, enum cpu_isa isa)
{
    return (struct net_options){.batch = (long)spec->batch_size,
                                .type = workload_type(spec),
                                .seed = (unsigned long long)spec->seed,
                                .threads = workload_threads(spec),
                                .isa = isa};
}

static struct net *graph_make(const struct run_spec *spec, enum cpu_isa isa,
                              struct joiner *joiner, struct error *err)
{
    const struct recipe *recipe = recipe_find(spec->workload);
    struct net_options options = graph_options(spec, isa);
    struct graph graph;

    options.joiner = joiner;
    recipe_fill(recipe, 0, &graph);
    return layerwise_new(&graph, &recipe->optimizer, &options, err);
}

static bool graph_certify(const struct run_spec *spec, enum cpu_isa isa,
                          struct certificate *ret_certificate, struct error *err)
{
    const struct recipe *recipe = recipe_find(spec->workload);
    const struct net_options options = graph_options(spec, isa);

    return certificate_make_of_graph(recipe, &options, ret_certificate, err);
}

static const struct workload of_graphs = {"", CPU_AMX, graph_make, graph_certify};
static const struct workload workloads[] = {
    {"resnet50", CPU_AVX512, resnet50_make, resnet50_certify},
};

const struct workload *workload_find(const char *name, struct error *err)
{
    for (size_t i = 0; i < COUNT(workloads); i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    if (recipe_find(name))
        return &of_graphs;
    error_set(err, ERROR_INVALID, "workload", "this worker does not know '%.32s'", name);
    return NULL;
}

static void list_one(FILE *out, const char *name, const long long figures[3],
                     const char *optimizer)
{
    fprintf(out, "%-22s %12lld %14lld %6lld  %s\n", name, figures[0], figures[1], figures[2],
            optimizer);
}

void workloads_list(FILE *out)
{
    const struct recipe *recipe;
    struct network network;

    fprintf(out, "%-22s %12s %14s %6s  %s\n", "workload", "parameters", "multiply-adds", "batch",
            "optimizer");
    resnet50_describe(&network);
    list_one(
        out, "resnet50",
        (const long long[]){network_parameters(&network), network_multiply_adds(&network), 32},
        "sgd");
    for (int i = 0; (recipe = recipe_at(i)); i++) {
        struct graph graph;

        recipe_fill(recipe, 0, &graph);
        list_one(out, recipe->name,
                 (const long long[]){graph_parameters(&graph), graph_multiply_adds(&graph),
                                     recipe->batch},
                 optimizer_name(recipe->optimizer.kind));
    }
}

enum dnn_type workload_type(const struct run_spec *spec)
{
    return strcmp(spec->precision, "bf16") == 0 ? DNN_BF16 : DNN_F32;
}

int workload_threads(const struct run_spec *spec)
{
    return spec->threads > 0 ? (int)spec->threads : host_threads();
}
