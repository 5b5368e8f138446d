/* The file that `verify --against` compares with: what it was made with, and what it holds. */
#pragma once

#include "engine/train/verify/verify_options.h"

#include <jansson.h>

/* Reads the file options->against; a new reference. NULL with the reason where it cannot be read.
 */
MUST_USE json_t *reference_read(const struct verify_options *options, struct error *err);

/* Brings workload, batch, seed, steps, length, precision and optimizer of the file into
 * `options`; what it does not say stays. The texts live as long as the reference. ERROR_INVALID
 * on what no verify can do again. */
MUST_USE bool reference_options(const json_t *reference, struct verify_options *options,
                                struct error *err);

/* Refuses options that differ from the file's. */
MUST_USE bool reference_fits(const json_t *reference, const struct verify_options *options,
                             struct error *err);
