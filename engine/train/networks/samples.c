#include "engine/train/networks/samples.h"

#include "engine/train/networks/tensor_init.h"

#include <math.h>

void samples_images(const struct data_shape *data, unsigned long long seed, long long first,
                    long count, float *ret_images)
{
    const float scale = (float)sqrt(3.0);
    long each = extent_count(&data->image);
    uint64_t start = tensor_init_start("images", seed, 0) + (uint64_t)(first * each);

    for (long i = 0; i < count * each; i++)
        ret_images[i] = scale * tensor_init_unit(tensor_init_bits(start, (size_t)i));
}

/* Low tokens come often, as words do. */
static int32_t samples_token(uint32_t bits, long vocabulary)
{
    uint64_t r = bits, cube = (r * r >> 24) * r >> 24;

    return (int32_t)(cube * (uint64_t)vocabulary >> 24);
}

/* Where sample n of a text begins. */
static long long begin_of(const struct data_shape *data, long long n)
{
    return data->kind == DATA_CHARACTERS ? 3 * n : n * data->length;
}

void samples_tokens(const struct data_shape *data, unsigned long long seed, long long first,
                    long count, int32_t *ret_tokens)
{
    uint64_t start = tensor_init_start("tokens", seed, 0);

    for (long n = 0; n < count; n++)
        for (long t = 0; t < data->length; t++)
            *ret_tokens++ =
                samples_token(tensor_init_bits(start, (size_t)(begin_of(data, first + n) + t)),
                              data->vocabulary);
}

long samples_labels_each(const struct data_shape *data)
{
    return data->kind == DATA_STREAM ? data->length : 1;
}

static int32_t samples_label(const struct data_shape *data, unsigned long long seed,
                             long long sample, long position)
{
    bool of_text = data->kind == DATA_STREAM || data->kind == DATA_CHARACTERS;
    uint64_t start = tensor_init_start(of_text ? "tokens" : "labels", seed, 0);
    uint64_t bits;

    if (data->kind == DATA_STREAM)
        return samples_token(
            tensor_init_bits(start, (size_t)(begin_of(data, sample) + position + 1)),
            data->vocabulary);
    if (data->kind == DATA_CHARACTERS)
        return samples_token(
            tensor_init_bits(start, (size_t)(begin_of(data, sample) + data->length)),
            data->vocabulary);
    bits = tensor_init_bits(start, (size_t)sample);
    return (int32_t)(bits * (uint64_t)data->classes >> 24);
}

void samples_labels(const struct data_shape *data, unsigned long long seed, long long first,
                    long count, int32_t *ret_labels)
{
    for (long n = 0; n < count; n++)
        for (long t = 0; t < samples_labels_each(data); t++)
            *ret_labels++ = samples_label(data, seed, first + n, t);
}

uint32_t samples_keep_from(double keep_out)
{
    return (uint32_t)(keep_out * 0x1p24);
}
