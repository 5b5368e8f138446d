/* What the files of convolutions share: conv.c walks through images, and one of three ways
 * computes their products. */
#pragma once

#include "engine/train/layerwise/grid.h"

#include <stddef.h>

struct product_alone;

/* What one thread works with. Grids have the numbers that products read. */
struct room {
    void *gradient; /* a grid: of the gradient of the output */
    float *sums;    /* a grid's pixels: a result, before it is a tensor's */
    float *weight;  /* weight_bytes: the gradient of the thread's images */
    double *bias;   /* (outputs) */
    float *row;     /* (outputs) */
    float *line;    /* a line of the output, or of the input */
    float *plain;   /* by_windows: a grid before it is split; or NULL */
    /* By tiles: the input's grid as (parts, channels, pixels), and the gradient's packed. */
    uint16_t *across, *packed_gradient;
    void *scratch; /* of the way */
};

struct conv {
    const struct conv_way *way, *back; /* back: of the gradients, the same or another one */
    long taps, channels, outputs;      /* channels: of a pixel of the grid */
    long seen;                         /* channels of the weights: those behind are zero */
    bool by_windows;                   /* the grid has windows instead of channels */
    bool as_it_lies;                   /* the input lies as its grid does */
    long pitch, gradient_pitch;        /* pixels of a line of the grid, and of the gradient's */
    long spread; /* lines, and pixels of a line, from the first tap to the last */
    long gradient_padding;
    /* (taps): numbers of the input's grid, and of the gradient's, from what a window's first tap
     * sees to what another one sees. */
    long *input_shifts, *gradient_shifts;
    size_t size;                    /* of a grid's number: an operand's, or of a part of f32 */
    long input_part, gradient_part; /* from a part of a grid to the next; 0: it has no parts */
    void *forward_weight;           /* (taps, channels, outputs), an operand */
    void *back_weight;    /* (taps, outputs, channels), the taps from the last to the first */
    void *inputs;         /* (batch): grids, laid on the way forward; NULL: as they lie */
    size_t input_numbers; /* of one of them, with its parts */
    struct room *rooms;   /* (threads) */
    size_t weight_bytes;
    void *own, *back_own; /* of the way, and of another way back */
};

/* The products of a convolution. What is only for the way back has no forward(). */
struct conv_way {
    bool (*make)(struct op *op, struct error *err);
    /* Brings the weights, which are arranged, to the form of products: each thread some. NULL:
     * products read them as they are. */
    void (*pack)(struct op *op, int thread);
    /* The result of an image's grid, in the room's sums. */
    void (*forward)(const struct op *op, long image, int thread);
    /* Adds to the room's weight. The gradient of the image is laid. */
    void (*to_weight)(const struct op *op, long image, int thread);
    void (*to_input)(const struct op *op, float *result, int thread);
    /* The gradient of the weights from all rooms: each thread some of it. NULL: rooms have it as
     * (taps, channels, outputs). */
    void (*sum)(struct op *op, int thread);
    size_t (*weight_bytes)(const struct op *op); /* of a room's weight; NULL: likewise */
    bool dense;                                  /* results have no pixels between their lines */
};

/* Whether the way forward is also the way back. */
static inline bool conv_goes_back(const struct op *op)
{
    const struct conv *conv = op->own;

    return conv->back == conv->way;
}

/* Pixels that a product computes: from the first to the last of an image of the result. */
static inline long conv_pixels(const struct conv *conv, const struct extent *result)
{
    return (result->height - 1) * conv->pitch + result->width;
}

/* Pixels of the grid from what a window's first tap sees to what another one sees. */
static inline long conv_tap_pixel(const struct op *op, long tap)
{
    const struct conv *conv = op->own;

    return tap / op->node->kernel * conv->pitch + tap % op->node->kernel;
}

/* Number `index` of a grid. */
static inline void *conv_grid_at(const struct conv *conv, void *grid, long index)
{
    return (char *)grid + (size_t)index * conv->size;
}

/* The grid of an image of the input. */
static inline void *conv_input_at(const struct op *op, long image)
{
    const struct conv *conv = op->own;

    if (!conv->inputs)
        return conv_grid_at(conv, op->input->operand, image * op->input->width);
    return conv_grid_at(conv, conv->inputs, image * (long)conv->input_numbers);
}

/* The gradient's pixel that belongs to the first one of the output. */
static inline void *conv_gradient_at(const struct conv *conv, const struct room *room)
{
    return conv_grid_at(conv, room->gradient,
                        conv->gradient_padding * (conv->pitch + 1) * conv->outputs);
}
