/* Max pooling of images. A pool is the end of the convolution before it, which calls these image
 * by image: only the pool reads the convolution's output, so it is never stored. */
#pragma once

#include "engine/train/layerwise/layerwise_data.h"

/* From the sums of image `n`, which lie line after line, to the output. */
void pool_forward(const struct op *op, const struct element_pool *sums, long n, int thread);

/* The gradient of the output of image `n`, pixel after pixel, and 0 where ReLU let nothing
 * through. It is the thread's, until the next call. */
const float *pool_gradient(const struct op *op, bool relu, long n, int thread);

/* Two lines of the image's gradient, from 2 * y on, `line` numbers apart. */
struct pool_lines {
    long y;
    float *to;
    long line;
};

/* Writes them where pool_gradient() has prepared the image; not what belongs to no pixel of the
 * output. */
void pool_backward(const struct op *op, long n, struct pool_lines lines, int thread);

/* A place for two such lines, one behind the other, whose numbers are 0 where none is written. */
float *pool_lines_at(const struct op *op, int thread);
