/* Tested by tests/engine/train/kernels/conv/conv_amx_test.c. */
#include "engine/train/kernels/conv/conv_grid.h"

#include <string.h>

struct conv_grid conv_grid_of(const struct conv_shape *shape, const struct conv_class *class,
                              long images)
{
    long size = shape->direction == CONV_FORWARD ? shape->in_size : shape->out_size;
    long border = (class->source_size - size) / 2, shared = border > 0 ? 0 : 1;
    long across = (class->source_size + class->scale - 1) / class->scale + shared;
    struct conv_grid grid = {
        .scale = class->scale,
        .pitch = across,
        .rows = across,
        .size = size,
        .border = border,
        .source_size = class->source_size,
        .lead = class->scale * across + 1,
        .positions = images * across * across,
    };

    /* Taps look down at most one row of positions, or, where all padding is around the image, as
     * many as it is wide. */
    grid.plane = grid.lead + grid.scale * (grid.positions + (border > 0 ? border : 1) * across +
                                           CONV_GRID_BLOCK + 1);
    return grid;
}

/* A tile reads 64 bytes of a pixel, even of one that has fewer. */
size_t conv_grid_bytes(const struct conv_grid *grid, size_t pixel_bytes)
{
    return (size_t)(grid->scale * grid->plane) * pixel_bytes + CONV_STEM_SLACK;
}

/* A row of a plane, from a row of an image or, for NULL, of zeros. */
static void fill_row(const struct conv_grid *grid, const char *from, size_t pixel_bytes, char *to)
{
    size_t all = (size_t)(grid->scale * grid->pitch) * pixel_bytes;
    size_t before = (size_t)grid->border * pixel_bytes, bytes = (size_t)grid->size * pixel_bytes;

    if (!from) {
        memset(to, 0, all);
        return;
    }
    memset(to, 0, before);
    memcpy(to + before, from, bytes);
    memset(to + before + bytes, 0, all - before - bytes);
}

void conv_grid_fill(const struct conv_grid *grid, const void *images, size_t pixel_bytes,
                    void *ret_grid)
{
    size_t row_bytes = (size_t)(grid->scale * grid->pitch) * pixel_bytes;
    char *to = ret_grid, *end = to + conv_grid_bytes(grid, pixel_bytes);

    for (long p = 0; p < grid->scale; p++) {
        char *plane = (char *)ret_grid + (size_t)(p * grid->plane) * pixel_bytes;

        memset(to, 0, (size_t)(plane - to) + (size_t)grid->lead * pixel_bytes);
        to = plane + (size_t)grid->lead * pixel_bytes;
        for (long r = 0; r < grid->positions / grid->pitch; r++, to += row_bytes) {
            long image = r / grid->rows, y = r % grid->rows * grid->scale + p - grid->border;
            size_t pixel = (size_t)((image * grid->size + y) * grid->size);
            const char *from = (const char *)images + (y < 0 ? 0 : pixel * pixel_bytes);

            fill_row(grid, y < 0 || y >= grid->size ? NULL : from, pixel_bytes, to);
        }
    }
    memset(to, 0, (size_t)(end - to));
}

long conv_grid_offset(const struct conv_grid *grid, const struct conv_tap *tap)
{
    long plane = (tap->down + grid->scale) % grid->scale;
    long rows = (tap->down - plane) / grid->scale; /* exact */

    return plane * grid->plane + grid->lead + rows * grid->scale * grid->pitch + tap->right;
}

long conv_grid_positions(const struct conv_grid *grid, const struct conv_class *class,
                         long images)
{
    if (class->height == 0 || class->width == 0)
        return 0;
    return ((images - 1) * grid->rows + class->height - 1) * grid->pitch + class->width;
}

void conv_grid_map(const struct conv_grid *grid, const struct conv_class *class, int32_t *ret_map)
{
    for (long r = 0; r < grid->positions / grid->pitch; r++) {
        long image = r / grid->rows, y = r % grid->rows;
        long row = (image * class->result_size + y * class->step + class->first_row) *
                       class->result_size +
                   class->first_column;

        long width = y < class->height ? class->width : 0;

        for (long x = 0; x < width; x++)
            ret_map[x] = (int32_t)(row + x * class->step);
        for (long x = width; x < grid->pitch; x++)
            ret_map[x] = -1;
        ret_map += grid->pitch;
    }
}
