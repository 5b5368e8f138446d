/* One training of `verify`: a few steps on data that any program can make again. */
#pragma once

#include "engine/train/verify/orderings.h"

#include <jansson.h>

/* Losses, logits, gradients, running statistics and updates, as JSON: a new reference; with the
 * single elements that `like` has, a reference, or some of its own where that is NULL. NULL with
 * the reason where the options do not fit this machine or the training failed. */
MUST_USE json_t *verify_result(const struct verify_options *options, enum cpu_isa isa,
                               const struct ordering *ordering, const json_t *like,
                               struct error *err);
