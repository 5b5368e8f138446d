/* The data of graphs, and the masks of their dropouts: an endless set that any program can make
 * again. Each number comes from 24 bits of tensor_init_bits(); step s takes samples s * batch and
 * the batch - 1 behind it.
 *
 * Images: noise * sqrt(3). Reviews: a text of its own for each sample. Characters: sample n is
 * the window that begins at 3 n of one text, its label the token behind it. Stream: the
 * `length` tokens of sample n follow the tokens of sample n - 1 in one text, and the label of
 * each token is the next one. */
#pragma once

#include "engine/train/networks/graph.h"

#include <stdint.h>

/* Writes images first .. first + count - 1, (count, C, H, W). */
void samples_images(const struct data_shape *data, unsigned long long seed, long long first,
                    long count, float *ret_images);

/* The tokens of so many samples, (count, length); not of DATA_IMAGES. */
void samples_tokens(const struct data_shape *data, unsigned long long seed, long long first,
                    long count, int32_t *ret_tokens);

/* Their labels: (count), of DATA_STREAM (count, length). */
void samples_labels(const struct data_shape *data, unsigned long long seed, long long first,
                    long count, int32_t *ret_labels);

/* Labels of a sample. */
long samples_labels_each(const struct data_shape *data);

/* A dropout keeps element i where tensor_init_bits() for its name, seed and step, at i, is at
 * least this. */
uint32_t samples_keep_from(double keep_out);
