#include "engine/train/networks/parameters.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "engine/train/networks/tensor_init.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static void parameters_add(struct parameters *parameters, const char *layer, const char *which,
                           size_t count)
{
    struct parameter *parameter = &parameters->list[parameters->count++];

    assert(parameters->count <= PARAMETERS_MAX && count > 0);
    snprintf(parameter->name, sizeof parameter->name, "%s.%s", layer, which);
    parameter->count = count;
}

/* Three of a convolution, which has the most. */
_Static_assert(PARAMETERS_MAX >= 3 * LAYERS_MAX, "the list has room for every layer");

static void list_all(struct parameters *parameters, const struct network *network)
{
    for (int i = 0; i < network->count; i++) {
        const struct layer *layer = &network->layers[i];
        size_t outputs = (size_t)layer->out_channels;
        size_t weights = outputs * (size_t)(layer->in_channels * layer->kernel * layer->kernel);

        if (layer->kind == LAYER_CONV) {
            parameters_add(parameters, layer->name, "weight", weights);
            parameters_add(parameters, layer->norm, "weight", outputs);
            parameters_add(parameters, layer->norm, "bias", outputs);
        } else if (layer->kind == LAYER_LINEAR) {
            parameters_add(parameters, layer->name, "weight", weights);
            parameters_add(parameters, layer->name, "bias", outputs);
        }
    }
}

#define LINE 16 /* floats of a cache line */

static size_t room_of(const struct parameter *parameter)
{
    return (parameter->count + LINE - 1) / LINE * LINE;
}

/* All in one piece; each tensor starts at a cache line. */
bool parameters_allocate(struct parameters *parameters, int states, struct error *err)
{
    size_t total = 0, at, copies = 2 + (size_t)states;

    for (int i = 0; i < parameters->count; i++)
        total += copies * room_of(&parameters->list[i]);
    /* Memory that the system gives as zeros, and that takes no room until it is written: most
     * plans have gradients and velocities of their own. */
    parameters->bytes = (total + LINE) * sizeof(float);
    parameters->memory = calloc(1, parameters->bytes);
    if (!parameters->memory)
        return error_set(err, ERROR_INTERNAL, NULL, "no memory for the parameters");
    at = (LINE - (uintptr_t)parameters->memory / sizeof(float) % LINE) % LINE;
    for (int i = 0; i < parameters->count; i++) {
        struct parameter *parameter = &parameters->list[i];
        size_t room = room_of(parameter);

        parameter->value = parameters->memory + at;
        parameter->gradient = parameter->value + room;
        parameter->velocity = states > 0 ? parameter->gradient + room : NULL;
        parameter->second = states > 1 ? parameter->velocity + room : NULL;
        at += copies * room;
    }
    return true;
}

static void parameters_fill(struct parameter *parameter, float scale, float shift,
                            unsigned long long seed)
{
    tensor_init_fill(parameter->value, parameter->count, parameter->name, seed, scale, shift);
}

static void fill_all(struct parameters *parameters, const struct network *network,
                     unsigned long long seed)
{
    for (int i = 0; i < network->count; i++) {
        const struct layer *layer = &network->layers[i];
        float fan_in = (float)(layer->in_channels * layer->kernel * layer->kernel);

        if (layer->kind == LAYER_CONV) {
            /* The last batch-norm of a block is quiet, so that rounding is not amplified from
             * block to block. */
            bool quiet = text_ends_with(layer->norm, ".bn3");

            parameters_fill(parameters_find(parameters, layer->name, "weight"), sqrtf(6 / fan_in),
                            0, seed);
            parameters_fill(parameters_find(parameters, layer->norm, "weight"),
                            quiet ? 0.01f : 0.1f, quiet ? 0.1f : 1.0f, seed);
            parameters_fill(parameters_find(parameters, layer->norm, "bias"), 0.1f, 0, seed);
        } else if (layer->kind == LAYER_LINEAR) {
            parameters_fill(parameters_find(parameters, layer->name, "weight"), sqrtf(1 / fan_in),
                            0, seed);
            parameters_fill(parameters_find(parameters, layer->name, "bias"), 0.01f, 0, seed);
        }
    }
}

bool parameters_make(struct parameters *parameters, const struct network *network,
                     unsigned long long seed, struct error *err)
{
    *parameters = (struct parameters){0};
    list_all(parameters, network);
    if (!parameters_allocate(parameters, 1, err))
        return false;
    fill_all(parameters, network, seed);
    return true;
}

void parameter_release(struct parameter *parameter)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)parameter->value + page - 1) / page * page;
    uintptr_t end = (uintptr_t)(parameter->value + parameter->count) / page * page;

    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED); /* where it fails, the memory stays */
}

void parameters_free(struct parameters *parameters)
{
    freep(&parameters->memory);
}

struct parameter *parameters_find(struct parameters *parameters, const char *layer,
                                  const char *which)
{
    char name[sizeof parameters->list[0].name];

    snprintf(name, sizeof name, "%s.%s", layer, which);
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, name) == 0)
            return &parameters->list[i];
    return NULL;
}

void parameters_update(struct parameters *parameters, const struct sgd *sgd)
{
    const struct sgd s = *sgd;

    for (int i = 0; i < parameters->count; i++) {
        float *restrict value = parameters->list[i].value;
        float *restrict velocity = parameters->list[i].velocity;
        const float *restrict gradient = parameters->list[i].gradient;
        long count = (long)parameters->list[i].count;

#pragma omp parallel for schedule(static) if (count > 16384)
        for (long k = 0; k < count; k++) {
            velocity[k] = s.momentum * velocity[k] + gradient[k] + s.weight_decay * value[k];
            value[k] -= s.learning_rate * velocity[k];
        }
    }
}
