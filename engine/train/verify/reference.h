/* The file that `verify --against` compares with: what it was made with, and what it holds. */
#pragma once

#include "engine/train/verify/verify_options.h"

#include <jansson.h>

/* Reads the file options->against; a new reference. NULL with the reason where it cannot be read.
 */
MUST_USE json_t *reference_read(const struct verify_options *options, struct error *err);

/* Brings workload, batch, seed, steps, length, precision and optimizer of the file into
 * `options`. What a file may leave out stays: the workload is then resnet50, and the precision,
 * the length, the decay of the rate and, of resnet50, the optimizer's kind are the usual ones.
 * The texts live as long as the reference. ERROR_INVALID with the member where one is missing or
 * no verify can do it again, and where losses, gradients or updates cannot be compared. */
MUST_USE bool reference_options(json_t *reference, struct verify_options *options,
                                struct error *err);

/* Refuses options that differ from what the file `said`. */
MUST_USE bool reference_fits(const struct verify_options *said,
                             const struct verify_options *options, struct error *err);
