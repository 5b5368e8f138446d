#include "engine/train/workload.h"

#include "common/cleanup.h"
#include "engine/train/mlp.h"
#include "engine/train/net.h"
#include "engine/train/networks/resnet50.h"
#include "engine/train/threads/host.h"

static void *mlp_make(const struct run_spec *spec, enum cpu_isa isa, struct error *err)
{
    (void)isa; /* it has no code of its own */
    host_lead_threads(workload_threads(spec));
    return mlp_new((long)spec->batch_size, (unsigned)spec->seed, err);
}

static void mlp_describe(const void *state, struct engine_details *details)
{
    (void)state;
    snprintf(details->plan, sizeof details->plan, "plain");
    details->parameters = MLP_PARAMETERS;
    details->multiply_adds = MLP_MULTIPLY_ADDS;
}

static bool mlp_train(void *state, struct step *ret_step, struct error *err)
{
    return mlp_step(state, &ret_step->loss, &ret_step->split, err);
}

static void mlp_names(const void *state, workload_tell tell, void *user)
{
    (void)state; /* products only, which the library does without a choice */
    (void)tell;
    (void)user;
}

static void mlp_release(void *state)
{
    mlp_free(state);
}

static struct net_options resnet50_options(const struct run_spec *spec, enum cpu_isa isa)
{
    return (struct net_options){.batch = (long)spec->batch_size,
                                .type = strcmp(spec->precision, "bf16") == 0 ? DNN_BF16 : DNN_F32,
                                .seed = (unsigned long long)spec->seed,
                                .sgd = {.learning_rate = 0.002f},
                                .threads = workload_threads(spec),
                                .isa = isa,
                                .plan = net_plan_from_name(spec->plan),
                                .layout = net_layout_from_name(spec->layout),
                                .input_workers = (int)spec->input_workers};
}

static void *resnet50_make(const struct run_spec *spec, enum cpu_isa isa, struct error *err)
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

static void resnet50_tell_details(const void *state, struct engine_details *details)
{
    const struct net_facts facts = net_facts(state);
    struct network network;

    resnet50_describe(&network);
    snprintf(details->plan, sizeof details->plan, "%s", facts.plan);
    details->parameters = network_parameters(&network);
    details->multiply_adds = network_multiply_adds(&network);
    details->memory_bytes = (long long)facts.memory;
    details->emulated = answer_of(facts.emulated);
    if (facts.memory > 0)
        details->huge_pages = answer_of(facts.huge_pages);
}

static bool resnet50_train(void *state, struct step *ret_step, struct error *err)
{
    struct net_times times;

    if (!net_step(state, &ret_step->loss, &times, err))
        return false;
    ret_step->split = (struct step_split){.input = times.input,
                                          .forward = times.forward,
                                          .backward = times.backward,
                                          .update = times.update};
    return true;
}

static void resnet50_names(const void *state, workload_tell tell, void *user)
{
    net_names(state, tell, user);
}

static void resnet50_release(void *state)
{
    net_free(state);
}

static const struct workload workloads[] = {
    {"mlp", mlp_make, mlp_describe, mlp_train, mlp_names, mlp_release, NULL},
    {"resnet50", resnet50_make, resnet50_tell_details, resnet50_train, resnet50_names,
     resnet50_release, resnet50_certify},
};

const struct workload *workload_find(const char *name, struct error *err)
{
    for (size_t i = 0; i < COUNT(workloads); i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    error_set(err, ERROR_INVALID, "workload", "this worker does not know '%.32s'", name);
    return NULL;
}

int workload_threads(const struct run_spec *spec)
{
    return spec->threads > 0 ? (int)spec->threads : host_threads();
}
