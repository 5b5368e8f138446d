/* An image as products of convolutions read it: line after line of a grid, all channels of each
 * pixel, and zeros around the image. Clear a grid once before laying images into it. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

struct grid {
    long height, width, channels; /* of the image */
    long pitch;                   /* pixels of a line of the grid */
    long padding;                 /* lines above the image, and pixels before it */
    long part; /* 0: numbers are operands; else f32 in parts, each so many behind the last */
};

/* An image of a tensor: number `index` of the batch. */
struct image {
    const struct tensor *tensor;
    long index;
};

/* Lays the operand of an image into a grid; `line` has room for one of f32. */
void grid_lay_operand(const struct layerwise *net, const struct grid *grid, struct image image,
                      float *line, void *ret_grid);

/* Rounds or splits a line of an image, which has its channels last, to a grid. */
void grid_lay_line(const struct layerwise *net, const struct grid *grid, long line,
                   const float *numbers, void *ret_grid);

/* A line of an image in a grid that has numbers of f32 as they are; or NULL. */
float *grid_line(const struct layerwise *net, const struct grid *grid, long line, void *of_grid);

/* Takes the gradient of an image out of a grid of f32. */
void grid_take_gradient(const struct grid *grid, const float *from, struct image image);

/* Lays out what each pixel of a convolution's result sees, (channel, line, column), of an image
 * that has its channels first: a grid of operands without padding, whose pixels of `channels`
 * numbers begin with these. */
void grid_lay_windows(const struct layerwise *net, const struct node *node, struct image image,
                      long channels, void *ret_grid);

/* Copies numbers of so many bytes each to places that are `step` numbers apart. */
void grid_copy(size_t type, const void *from, long count, void *to, long step);
