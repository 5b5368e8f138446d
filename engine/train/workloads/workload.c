#include "engine/train/workloads/workload.h"

#include "common/cleanup.h"
#include "engine/train/networks/resnet50.h"
#include "engine/train/threads/host.h"
#include "engine/train/workloads/mlp.h"
#include "engine/train/workloads/net_new.h"

static struct net *mlp_make(const struct run_spec *spec, enum cpu_isa isa, struct error *err)
{
    (void)isa; /* it has no code of its own */
    host_lead_threads(workload_threads(spec));
    return mlp_new((long)spec->batch_size, (unsigned)spec->seed, err);
}

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

static struct net *resnet50_make(const struct run_spec *spec, enum cpu_isa isa, struct error *err)
{
    const struct net_options options = resnet50_options(spec, isa);
    struct network network;

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

static const struct workload workloads[] = {
    {"mlp", mlp_make, NULL},
    {"resnet50", resnet50_make, resnet50_certify},
};

const struct workload *workload_find(const char *name, struct error *err)
{
    for (size_t i = 0; i < COUNT(workloads); i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    error_set(err, ERROR_INVALID, "workload", "this worker does not know '%.32s'", name);
    return NULL;
}

enum dnn_type workload_type(const struct run_spec *spec)
{
    return strcmp(spec->precision, "bf16") == 0 ? DNN_BF16 : DNN_F32;
}

int workload_threads(const struct run_spec *spec)
{
    return spec->threads > 0 ? (int)spec->threads : host_threads();
}
