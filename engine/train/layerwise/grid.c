/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/grid.h"

#include "engine/train/kernels/products/product_pack.h"
#include "engine/train/layerwise/share.h"

#include <assert.h>
#include <string.h>

static long place_of(const struct grid *grid, long line)
{
    return ((line + grid->padding) * grid->pitch + grid->padding) * grid->channels;
}

void grid_copy(size_t type, const void *from, long count, void *to, long step)
{
    if (type == sizeof(float))
        for (long i = 0; i < count; i++)
            ((float *)to)[i * step] = ((const float *)from)[i];
    else
        for (long i = 0; i < count; i++)
            ((uint16_t *)to)[i * step] = ((const uint16_t *)from)[i];
}

/* A line of operands, channels last. */
static void lay_line(size_t type, const struct grid *grid, long line, const void *numbers,
                     void *ret_grid)
{
    long run = grid->width * grid->channels, place = place_of(grid, line);

    if (grid->part)
        split_numbers(numbers, run, (uint16_t *)ret_grid + place, grid->part);
    else
        memcpy((char *)ret_grid + (size_t)place * type, numbers, (size_t)run * type);
}

void grid_lay_operand(const struct layerwise *net, const struct grid *grid, struct image image,
                      float *line, void *ret_grid)
{
    void *from = operand_at(net, image.tensor->operand, image.index * image.tensor->width);
    size_t type = dnn_type_size(net->type);
    long run = grid->width * grid->channels;

    for (long i = 0; i < grid->height; i++) {
        void *to = grid->part ? line : operand_at(net, ret_grid, place_of(grid, i));

        if (image.tensor->channels_last) {
            lay_line(type, grid, i, operand_at(net, from, i * run), ret_grid);
            continue;
        }
        for (long c = 0; c < grid->channels; c++)
            grid_copy(type, operand_at(net, from, (c * grid->height + i) * grid->width),
                      grid->width, operand_at(net, to, c), grid->channels);
        if (grid->part)
            lay_line(type, grid, i, line, ret_grid);
    }
}

void grid_lay_line(const struct layerwise *net, const struct grid *grid, long line,
                   const float *numbers, void *ret_grid)
{
    long run = grid->width * grid->channels;

    if (net->rounds)
        operand_round(net, numbers, (struct share){0, run},
                      operand_at(net, ret_grid, place_of(grid, line)));
    else
        lay_line(sizeof *numbers, grid, line, numbers, ret_grid);
}

float *grid_line(const struct layerwise *net, const struct grid *grid, long line, void *of_grid)
{
    return net->rounds || grid->part ? NULL : (float *)of_grid + place_of(grid, line);
}

void grid_take_gradient(const struct grid *grid, const float *from, struct image image)
{
    float *gradient = image.tensor->gradient + image.index * image.tensor->width;
    long run = grid->width * grid->channels;

    for (long line = 0; line < grid->height; line++) {
        const float *pixel = from + place_of(grid, line);

        if (image.tensor->channels_last) {
            memcpy(gradient + line * run, pixel, (size_t)run * sizeof *gradient);
            continue;
        }
        for (long column = 0; column < grid->width; column++, pixel += grid->channels)
            for (long c = 0; c < grid->channels; c++)
                gradient[(c * grid->height + line) * grid->width + column] = pixel[c];
    }
}

/* What one place of the window sees, of all pixels; what lies outside of the image stays zero. */
static void lay_place(const struct layerwise *net, const struct node *node, void *channel,
                      const long at[2], long channels, void *ret_grid)
{
    const struct extent *in = &node->in, *out = &node->out;
    long first = at[1] < node->padding ? node->padding - at[1] : 0;
    long last = in->width + node->padding - at[1];

    last = last < out->width ? last : out->width;
    for (long line = 0; line < out->height; line++) {
        long from = line + at[0] - node->padding;

        if (from >= 0 && from < in->height)
            grid_copy(dnn_type_size(net->type),
                      operand_at(net, channel, from * in->width + first + at[1] - node->padding),
                      last - first,
                      operand_at(net, ret_grid, (line * out->width + first) * channels),
                      channels);
    }
}

void grid_lay_windows(const struct layerwise *net, const struct node *node, struct image image,
                      long channels, void *ret_grid)
{
    const struct extent *in = &node->in;
    void *from = operand_at(net, image.tensor->operand, image.index * image.tensor->width);
    long place = 0;

    assert(!image.tensor->channels_last);
    for (long channel = 0; channel < in->columns; channel++)
        for (long y = 0; y < node->kernel; y++)
            for (long x = 0; x < node->kernel; x++)
                lay_place(net, node, operand_at(net, from, channel * in->height * in->width),
                          (const long[2]){y, x}, channels, operand_at(net, ret_grid, place++));
}
