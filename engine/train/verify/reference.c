/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/reference.h"

#include "common/cleanup.h"
#include "engine/train/networks/recipes.h"

#include <errno.h>
#include <sys/stat.h>

json_t *reference_read(const struct verify_options *options, struct error *err)
{
    AUTO(fclosep) FILE *file = fopen(options->against, "r");
    json_error_t why;
    json_t *reference;
    struct stat status;

    if (!file || fstat(fileno(file), &status) != 0 || S_ISDIR(status.st_mode)) {
        error_set(err, ERROR_INVALID, NULL, "cannot read '%.120s': %s", options->against,
                  file ? "it is a directory" : strerror(errno));
        return NULL;
    }
    reference = json_loadf(file, 0, &why);
    if (reference && json_is_object(reference))
        return reference;
    error_set(err, ERROR_INVALID, NULL, "%.120s is no JSON object: line %d, %s", options->against,
              reference ? 1 : why.line, reference ? "an array begins" : why.text);
    json_decref(reference);
    return NULL;
}

static const struct {
    const char *name;
    size_t offset;
    long long min, max;
    bool optional;
} whole[] = {
    {"batch", offsetof(struct verify_options, batch), 1, 4096, false},
    {"seed", offsetof(struct verify_options, seed), 0, 4294967295, false},
    {"length", offsetof(struct verify_options, length), 0, 65536, true},
};

#define SGD (1U << OPTIMIZER_SGD)
#define RMSPROP (1U << OPTIMIZER_RMSPROP)
#define ADADELTA (1U << OPTIMIZER_ADADELTA)
#define ADAM (1U << OPTIMIZER_ADAM)
#define ADAMW (1U << OPTIMIZER_ADAMW)
static const struct {
    const char *name;
    size_t offset;
    double max;
    bool below_max;
    unsigned needed_by; /* optimizers that cannot do without */
} fractions[] = {
    {"lr", offsetof(struct optimizer, lr), 1000, false, SGD | RMSPROP | ADADELTA | ADAM | ADAMW},
    {"lr_decay", offsetof(struct optimizer, lr_decay), 1000, false, 0},
    {"momentum", offsetof(struct optimizer, momentum), 1, false, SGD},
    {"rho", offsetof(struct optimizer, rho), 1, false, RMSPROP | ADADELTA},
    {"beta1", offsetof(struct optimizer, beta1), 1, true, ADAM | ADAMW},
    {"beta2", offsetof(struct optimizer, beta2), 1, true, ADAM | ADAMW},
    {"eps", offsetof(struct optimizer, eps), 1000, false, RMSPROP | ADADELTA | ADAM | ADAMW},
    {"weight_decay", offsetof(struct optimizer, weight_decay), 1000, false, SGD | ADAMW},
};

/* "losses in the file must be ...". */
static bool reference_refuse(struct error *err, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool reference_refuse(struct error *err, const char *name, const char *format, ...)
{
    char allowed[120];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(allowed, sizeof allowed, format, arguments);
    va_end(arguments);
    return error_set(err, ERROR_INVALID, name, "%.80s in the file must be %s", name, allowed);
}

static bool take_whole(const json_t *reference, struct verify_options *options, struct error *err)
{
    for (size_t i = 0; i < COUNT(whole); i++) {
        const json_t *json = json_object_get(reference, whole[i].name);
        long long number = json_integer_value(json);

        if (!json && whole[i].optional)
            continue;
        if (!json_is_integer(json) || number < whole[i].min || number > whole[i].max)
            return reference_refuse(err, whole[i].name, "a whole number from %lld to %lld",
                                    whole[i].min, whole[i].max);
        memcpy((char *)options + whole[i].offset, &number, sizeof number);
    }
    return true;
}

static bool take_fractions(const json_t *reference, struct optimizer *optimizer,
                           struct error *err)
{
    for (size_t i = 0; i < COUNT(fractions); i++) {
        const json_t *json = json_object_get(reference, fractions[i].name);
        double number = json_number_value(json), max = fractions[i].max;

        if (!json && !(fractions[i].needed_by & 1U << optimizer->kind))
            continue;
        if (!json_is_number(json) || number < 0 || number > max ||
            (fractions[i].below_max && number >= max))
            return reference_refuse(err, fractions[i].name, "a number from 0 to %s%g for %s",
                                    fractions[i].below_max ? "below " : "", max,
                                    optimizer_name(optimizer->kind));
        memcpy((char *)optimizer + fractions[i].offset, &number, sizeof number);
    }
    return true;
}

/* ResNet-50 learns by SGD where its file does not say how. */
static bool take_optimizer(const json_t *reference, struct verify_options *options,
                           struct error *err)
{
    const json_t *json = json_object_get(reference, "optimizer");

    options->optimizer.kind = OPTIMIZER_SGD;
    if (!json && !recipe_find(options->workload))
        return true;
    for (int kind = OPTIMIZER_SGD; json_is_string(json) && kind <= OPTIMIZER_ADAMW; kind++)
        if (strcmp(optimizer_name((enum optimizer_kind)kind), json_string_value(json)) == 0) {
            options->optimizer.kind = (enum optimizer_kind)kind;
            return true;
        }
    return reference_refuse(err, "optimizer", "sgd, rmsprop, adadelta, adam or adamw");
}

static bool take_network(const json_t *reference, struct verify_options *options,
                         struct error *err)
{
    const json_t *network = json_object_get(reference, "network");

    if (network && !json_is_string(network))
        return reference_refuse(err, "network", "a string");
    if (network)
        options->workload = json_string_value(network);
    return true;
}

static bool take_precision(const json_t *reference, struct verify_options *options,
                           struct error *err)
{
    static const char *const precisions[][2] = {
        {"float64", "f32"}, {"float32", "f32"}, {"f32", "f32"}, {"bf16", "bf16"}};
    const json_t *made_with = json_object_get(reference, "made_with");
    const json_t *type = json_object_get(made_with, "dtype");

    if (made_with && !json_is_object(made_with))
        return reference_refuse(err, "made_with", "an object");
    if (!type)
        return true;
    for (size_t i = 0; json_is_string(type) && i < COUNT(precisions); i++)
        if (strcmp(json_string_value(type), precisions[i][0]) == 0) {
            options->precision = precisions[i][1];
            return true;
        }
    return reference_refuse(err, "made_with.dtype", "float64, float32, f32 or bf16");
}

static bool take_steps(const json_t *reference, struct verify_options *options, struct error *err)
{
    const json_t *losses = json_object_get(reference, "losses");
    const json_t *steps = json_object_get(reference, "steps");
    size_t count = json_array_size(losses);

    if (count < 1 || count > 1000)
        return reference_refuse(err, "losses", "an array of 1 to 1000 numbers");
    for (size_t i = 0; i < count; i++)
        if (!json_is_number(json_array_get(losses, i)))
            return reference_refuse(err, "losses", "an array of 1 to 1000 numbers");
    if (steps && (!json_is_integer(steps) || json_integer_value(steps) != (json_int_t)count))
        return reference_refuse(err, "steps", "%zu, as many as it has losses", count);
    options->steps = (long long)count;
    return true;
}

/* Whether a tensor has what is compared. */
static bool can_be_compared(const json_t *tensor)
{
    json_t *at = json_object_get(tensor, "at"), *value;
    const json_t *dot = json_object_get(tensor, "dot");
    const char *index;

    json_object_foreach(at, index, value) if (!json_is_number(value) ||
                                              index[strspn(index, "0123456789")]) return false;
    return json_object_size(at) > 0 && json_is_integer(json_object_get(tensor, "count")) &&
           json_is_number(json_object_get(tensor, "l2")) && (!dot || json_is_number(dot));
}

static bool check_tensors(json_t *reference, const char *section, struct error *err)
{
    json_t *tensors = json_object_get(reference, section), *tensor;
    const char *name;
    char path[120];

    if (json_object_size(tensors) == 0)
        return reference_refuse(err, section, "an object of one tensor or more");
    json_object_foreach(tensors, name, tensor)
    {
        snprintf(path, sizeof path, "%s.%s", section, name);
        if (!can_be_compared(tensor))
            return reference_refuse(err, path,
                                    "an object with count, l2, perhaps dot, and in at numbers by "
                                    "their index");
    }
    return true;
}

/* A file that does not say how many is of one. */
static bool check_ranks(const json_t *reference, const struct verify_options *options,
                        struct error *err)
{
    const json_t *json = json_object_get(reference, "ranks");
    json_int_t ranks = json ? json_integer_value(json) : 1;

    if (ranks < 1 || ranks > 65536)
        return reference_refuse(err, "ranks", "a whole number from 1 to 65536");
    if (ranks != joiner_ranks(options->joiner))
        return error_set(err, ERROR_INVALID, "ranks",
                         "the file has %lld ranks, here are %d: start it with "
                         "'mpirun -n %lld pennyworth-worker-mpi verify'",
                         (long long)ranks, joiner_ranks(options->joiner), (long long)ranks);
    return true;
}

bool reference_options(json_t *reference, struct verify_options *options, struct error *err)
{
    return check_ranks(reference, options, err) && take_network(reference, options, err) &&
           take_precision(reference, options, err) && take_steps(reference, options, err) &&
           take_whole(reference, options, err) && take_optimizer(reference, options, err) &&
           take_fractions(reference, &options->optimizer, err) &&
           check_tensors(reference, "gradients", err) && check_tensors(reference, "updates", err);
}

bool reference_fits(const struct verify_options *said, const struct verify_options *options,
                    struct error *err)
{
    const struct {
        const char *name;
        double said, asked;
    } same[] = {{"batch", (double)said->batch, (double)options->batch},
                {"seed", (double)said->seed, (double)options->seed},
                {"length", (double)said->length, (double)options->length},
                {"steps", (double)said->steps, (double)options->steps},
                {"lr", said->optimizer.lr, options->optimizer.lr},
                {"momentum", said->optimizer.momentum, options->optimizer.momentum},
                {"weight_decay", said->optimizer.weight_decay, options->optimizer.weight_decay}};

    if (strcmp(said->workload, options->workload) != 0)
        return error_set(err, ERROR_INVALID, NULL, "%.120s has workload %.40s, not %.40s",
                         options->against, said->workload, options->workload);
    for (size_t i = 0; i < COUNT(same); i++)
        if (same[i].said < same[i].asked || same[i].said > same[i].asked)
            return error_set(err, ERROR_INVALID, NULL, "%.120s has %s %.10g, not %.10g",
                             options->against, same[i].name, same[i].said, same[i].asked);
    return true;
}
