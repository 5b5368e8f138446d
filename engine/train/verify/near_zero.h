/* ReLUs whose input is zero within rounding: the order of a sum decides whether such a unit
 * counts, and with it the gradient of its channel in the batch-norm and the convolution before
 * it. Both decisions are right.
 *
 * A reference may list such units. Of a single element it then has `near_zero`:
 *     {"51": [{"input": 3.1e-07, "changes": 4.5e-05}]}
 * the exact input of the unit, and by how much element 51 changes where the unit is decided
 * otherwise. tests/engine/train/reference/near_zero.py computes the list in float64. */
#pragma once

#include <jansson.h>

/* A unit is near zero when its input is at most so far from it. The inputs of a layer have a
 * standard deviation of about 1, and f32 moves the inputs of the deepest layers by 1e-5, in
 * the root of the mean square: this is three times that. */
#define NEAR_ZERO 3e-5

/* Of one element: those behind them in the list are not tried. */
#define NEAR_ZERO_MAX 8

/* What is left of `difference`, ours less the reference's, where some of the units in the array
 * `listed` were decided otherwise: the smallest over all ways to choose them, and how many units
 * that way takes. Of a unit that is listed but not near zero nothing is excused, and `listed` may
 * be NULL: then all of the difference is left. */
double near_zero_left(const json_t *listed, double difference, int *ret_units);
