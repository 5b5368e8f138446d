/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/reference.h"

#include "common/cleanup.h"
#include "engine/train/networks/recipe.h"

json_t *reference_read(const struct verify_options *options, struct error *err)
{
    json_error_t why;
    json_t *reference = json_load_file(options->against, 0, &why);

    if (!reference)
        error_set(err, ERROR_INVALID, NULL, "%s: %s", options->against, why.text);
    return reference;
}

static const struct {
    const char *name;
    size_t offset;
    double min, max;
} whole[] = {
    {"batch", offsetof(struct verify_options, batch), 1, 4096},
    {"seed", offsetof(struct verify_options, seed), 0, 4294967295},
    {"length", offsetof(struct verify_options, length), 1, 65536},
};

static const struct {
    const char *name;
    size_t offset;
} fractions[] = {
    {"lr", offsetof(struct optimizer, lr)},
    {"lr_decay", offsetof(struct optimizer, lr_decay)},
    {"momentum", offsetof(struct optimizer, momentum)},
    {"rho", offsetof(struct optimizer, rho)},
    {"beta1", offsetof(struct optimizer, beta1)},
    {"beta2", offsetof(struct optimizer, beta2)},
    {"eps", offsetof(struct optimizer, eps)},
    {"weight_decay", offsetof(struct optimizer, weight_decay)},
};

static bool bad(struct error *err, const char *name, const char *why)
{
    return error_set(err, ERROR_INVALID, name, "%s in the file %s", name, why);
}

static bool take_numbers(const json_t *reference, struct verify_options *options,
                         struct error *err)
{
    for (size_t i = 0; i < COUNT(whole); i++) {
        const json_t *json = json_object_get(reference, whole[i].name);
        long long number = json_integer_value(json);

        if (!json)
            continue;
        if (!json_is_integer(json) || (double)number < whole[i].min ||
            (double)number > whole[i].max)
            return bad(err, whole[i].name, "is out of its range");
        memcpy((char *)options + whole[i].offset, &number, sizeof number);
    }
    for (size_t i = 0; i < COUNT(fractions); i++) {
        const json_t *json = json_object_get(reference, fractions[i].name);
        double number = json_number_value(json);

        if (!json)
            continue;
        if (!json_is_number(json) || !(number >= 0 && number <= 1000))
            return bad(err, fractions[i].name, "must be between 0 and 1000");
        memcpy((char *)&options->optimizer + fractions[i].offset, &number, sizeof number);
    }
    return true;
}

static bool take_optimizer(const json_t *reference, struct verify_options *options,
                           struct error *err)
{
    const char *name = json_string_value(json_object_get(reference, "optimizer"));

    options->optimizer.kind = OPTIMIZER_SGD;
    if (!name)
        return true;
    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAMW; kind++)
        if (strcmp(optimizer_name((enum optimizer_kind)kind), name) == 0) {
            options->optimizer.kind = (enum optimizer_kind)kind;
            return true;
        }
    return bad(err, "optimizer", "is none of sgd, rmsprop, adadelta, adam and adamw");
}

/* A file that does not say how many is of one. */
static bool check_ranks(const json_t *reference, const struct verify_options *options,
                        struct error *err)
{
    const json_t *json = json_object_get(reference, "ranks");
    json_int_t ranks = json ? json_integer_value(json) : 1;

    if (ranks < 1 || ranks > 65536)
        return bad(err, "ranks", "must be between 1 and 65536");
    if (ranks != joiner_ranks(options->joiner))
        return error_set(err, ERROR_INVALID, "ranks",
                         "the file has %lld ranks, here are %d: start it with "
                         "'mpirun -n %lld pennyworth-worker-mpi verify'",
                         (long long)ranks, joiner_ranks(options->joiner), (long long)ranks);
    return true;
}

bool reference_options(const json_t *reference, struct verify_options *options, struct error *err)
{
    const char *network = json_string_value(json_object_get(reference, "network"));
    const char *type =
        json_string_value(json_object_get(json_object_get(reference, "made_with"), "dtype"));
    size_t steps = json_array_size(json_object_get(reference, "losses"));

    if (!check_ranks(reference, options, err))
        return false;
    if (network)
        options->workload = network;
    if (type)
        options->precision = strcmp(type, "bf16") == 0 ? "bf16" : "f32";
    if (steps > 0 && steps <= 1000)
        options->steps = (long long)steps;
    return take_numbers(reference, options, err) && take_optimizer(reference, options, err);
}

bool reference_fits(const json_t *reference, const struct verify_options *options,
                    struct error *err)
{
    const char *network = json_string_value(json_object_get(reference, "network"));
    const struct {
        const char *name;
        double asked;
    } same[] = {{"batch", (double)options->batch},
                {"seed", (double)options->seed},
                {"length", (double)options->length},
                {"steps", (double)options->steps},
                {"lr", options->optimizer.lr},
                {"momentum", options->optimizer.momentum},
                {"weight_decay", options->optimizer.weight_decay}};

    if (strcmp(network ? network : "resnet50", options->workload) != 0)
        return error_set(err, ERROR_INVALID, NULL, "%s has workload %s, not %s", options->against,
                         network ? network : "resnet50", options->workload);
    for (size_t i = 0; i < COUNT(same); i++) {
        const json_t *json = json_object_get(reference, same[i].name);
        double there = json_number_value(json);

        if (json && (there < same[i].asked || there > same[i].asked))
            return error_set(err, ERROR_INVALID, NULL, "%s has %s %g, not %g", options->against,
                             same[i].name, there, same[i].asked);
    }
    return true;
}
