/* Images in a grid, for tiles, whose rows are at one distance from each other. Each row of an
 * image is followed by a pixel of zeros, which is also the padding before the next row, and each
 * image by a row of zeros. What a tap sees is then the whole grid, moved by an offset, and the
 * rows of all images are one long row of positions that is cut into tiles. Positions in the
 * padding are computed too, and a map skips their results.
 *
 * Where positions are two pixels apart, rows of even and of odd number lie in planes of their
 * own. */
#pragma once

#include "engine/train/kernels/conv/conv_rows.h"

#include <stdint.h>

#define CONV_GRID_BLOCK 32 /* positions that are read at a time, the last ones in part */

struct conv_grid {
    long scale;        /* pixels from one position to the next; and planes */
    long pitch, rows;  /* positions of a row; rows of an image */
    long size, border; /* of an image in memory; pixels of padding around it, for all taps */
    long source_size;  /* with the border */
    long lead, plane;  /* pixels before position 0 of a plane, and of a whole plane */
    long positions;    /* of all images */
};

/* All classes of a shape have the same grid. */
struct conv_grid conv_grid_of(const struct conv_shape *shape, const struct conv_class *class,
                              long images);

size_t conv_grid_bytes(const struct conv_grid *grid, size_t pixel_bytes);
void conv_grid_fill(const struct conv_grid *grid, const void *images, size_t pixel_bytes,
                    void *ret_grid);

/* Pixels from the beginning of the grid to what position 0 sees through this tap. */
long conv_grid_offset(const struct conv_grid *grid, const struct conv_tap *tap);

/* How many positions there are up to the last that has a result in this class. */
long conv_grid_positions(const struct conv_grid *grid, const struct conv_class *class,
                         long images);

/* For each position the pixel of the result, or -1. */
void conv_grid_map(const struct conv_grid *grid, const struct conv_class *class,
                   int32_t *ret_map);
