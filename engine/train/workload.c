#include "engine/train/workload.h"

#include "common/cleanup.h"
#include "engine/train/host.h"
#include "engine/train/mlp.h"
#include "engine/train/net.h"
#include "engine/train/resnet50.h"

static bool mlp_check(const struct run_spec *spec, struct error *err)
{
    if (strcmp(spec->precision, "f32") != 0)
        return error_set(err, ERROR_INVALID, "precision", "mlp is trained in f32 only");
    if (strcmp(spec->layout, "auto") != 0)
        return error_set(err, ERROR_INVALID, "layout", "mlp has no images, so only auto");
    return true;
}

static void *mlp_make(const struct run_spec *spec, struct error *err)
{
    return mlp_new((long)spec->batch_size, (unsigned)spec->seed, err);
}

static bool mlp_train(void *state, double *ret_loss, struct error *err)
{
    return mlp_step(state, ret_loss, err);
}

static void mlp_release(void *state)
{
    mlp_free(state);
}

static bool resnet50_check(const struct run_spec *spec, struct error *err)
{
    if (strcmp(spec->precision, "f16") == 0)
        return error_set(err, ERROR_INVALID, "precision", "resnet50 is trained in f32 or bf16");
    if (strcmp(spec->layout, "nchw") == 0)
        return error_set(err, ERROR_INVALID, "layout", "resnet50 is computed in nhwc");
    if (spec->batch_size < 2) /* one image leaves the last batch-norms little to normalise */
        return error_set(err, ERROR_INVALID, "batch_size", "must be at least 2 for resnet50");
    return true;
}

/* A reference kernel computes the same, many times slower: who reads the run must be told. */
static void tell_of_reference(void *user, const char *layer, const char *pass, const char *name)
{
    (void)user;
    if (strstr(name, "ref"))
        fprintf(stderr, "resnet50: %s of %s runs on oneDNN's %s\n", pass, layer, name);
}

static void *resnet50_make(const struct run_spec *spec, struct error *err)
{
    const struct net_options options = {
        .batch = (long)spec->batch_size,
        .type = strcmp(spec->precision, "bf16") == 0 ? DNN_BF16 : DNN_F32,
        .seed = (unsigned long long)spec->seed,
        .sgd = {.learning_rate = 0.002f},
        .threads = spec->threads > 0 ? (int)spec->threads : host_processors(),
        .isa = cpu_probe()};
    struct network network;
    struct net *net;

    resnet50_describe(&network);
    net = net_new(&network, &options, err);
    if (net)
        net_names(net, tell_of_reference, NULL);
    return net;
}

static bool resnet50_train(void *state, double *ret_loss, struct error *err)
{
    struct net_times times;

    return net_step(state, ret_loss, &times, err);
}

static void resnet50_release(void *state)
{
    net_free(state);
}

static const struct workload workloads[] = {
    {"mlp", mlp_check, mlp_make, mlp_train, mlp_release},
    {"resnet50", resnet50_check, resnet50_make, resnet50_train, resnet50_release},
};

const struct workload *workload_find(const char *name, struct error *err)
{
    for (size_t i = 0; i < COUNT(workloads); i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    error_set(err, ERROR_INVALID, "workload", "this worker does not know '%.32s'", name);
    return NULL;
}
