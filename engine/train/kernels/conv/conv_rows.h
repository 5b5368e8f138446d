/* Which row of the input each tap of a convolution reads for each pixel of the result.
 *
 * Result pixels that see the same taps are a class: all pixels of a forward convolution, and
 * stride^2 classes of a backward one, which lie `stride` pixels apart. Positions count the pixels
 * of one class through all images. Products run over groups of positions: a group holds the
 * address of each row that they read, so that padding, strides and the ends of images cost
 * nothing in the loop over channels. */
#pragma once

#include "engine/train/kernels/conv/conv_kernel.h"

#define CONV_CLASSES_MAX 4
#define CONV_TAPS_MAX 9
#define CONV_GROUP 96 /* positions, at most */

struct conv_tap {
    int h, w;         /* of the kernel */
    long down, right; /* from position * scale to the input pixel */
};

struct conv_class {
    int taps;
    struct conv_tap tap[CONV_TAPS_MAX];
    long scale;         /* input pixels from one position to the next, in both directions */
    long source_size;   /* of an input image */
    long height, width; /* positions of an image */
    /* The result pixel of position (y, x) is (y * step + first_row, x * step + first_column). */
    long result_size, step, first_row, first_column;
};

/* Fills the classes, and returns how many there are. */
int conv_classes(const struct conv_shape *shape, struct conv_class ret_classes[CONV_CLASSES_MAX]);

/* Channels that are read and written, and the numbers that one tap multiplies. */
long conv_k(const struct conv_shape *shape);
long conv_n(const struct conv_shape *shape);
long conv_depth(const struct conv_shape *shape);

/* Whether this is the first layer, whose taps are rows of its kernel. */
bool conv_is_stem(const struct conv_shape *shape);

/* The weights of one tap: of result channel n and number k of what it multiplies, at
 * from[n * n_step + k * k_step]. Not of the first layer. */
struct conv_tap_weights {
    const float *from;
    long n_step, k_step;
};
struct conv_tap_weights conv_tap_weights(const struct conv_shape *shape,
                                         const struct conv_weights *weights,
                                         const struct conv_tap *tap);

/* Copies the weights of n_count channels from n on and k_count numbers from k on, as [k][n],
 * zeros where a tap of the first layer has ended. */
struct conv_part {
    long n, n_count, k, k_count;
};
void conv_copy_weights(const struct conv_shape *shape, const struct conv_weights *weights,
                       const struct conv_tap *tap, const struct conv_part *part,
                       float *ret_weights);

/* Where the rows are read. Positions outside of an image read `zeros`. */
struct conv_source {
    const char *base, *zeros;
    long pixel_bytes, image_bytes; /* from one to the next */
};

struct conv_group {
    long count;                                  /* positions in it */
    const char *rows[CONV_TAPS_MAX][CONV_GROUP]; /* behind count: the last one again */
    long result[CONV_GROUP];                     /* the result's pixel */
};

/* The next position to be put into a group. */
struct conv_cursor {
    long image, y, x;
};

/* Fills a group with the next `most` positions, or what is left of them, and moves the cursor
 * behind them. */
void conv_group_fill(const struct conv_class *class, const struct conv_source *source,
                     long images, long most, struct conv_cursor *cursor,
                     struct conv_group *ret_group);

/* How far from what a panel reads and writes now lies what is asked for ahead: the panel after it
 * at the same positions, or behind the last panel the first one of the next group, which has the
 * pixels behind this one's in most shapes; elsewhere nothing is lost. */
struct conv_ahead {
    long input;        /* bytes from a row of this group to what is asked for: a share of a row of
                        * the next group */
    long input_bytes;  /* of that share */
    long result, lane; /* pixels and channels, of the result */
};
struct conv_ahead conv_ahead_of(const struct conv_source *source, const struct conv_group *group,
                                const long panel[2], long n);

/* One image of the first layer with its padding around it: the rows of its class are read there,
 * with an image_bytes of 0. Behind the last row are CONV_STEM_SLACK bytes of zeros, for kernels
 * that read a tap to the end of a register. */
#define CONV_STEM_SLACK 64
size_t conv_stem_bytes(const struct conv_shape *shape, size_t number_size);
void conv_stem_fill(const struct conv_shape *shape, const void *image, size_t number_size,
                    void *ret_padded);
