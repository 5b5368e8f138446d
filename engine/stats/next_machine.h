/* How fast the next machine of a type will be that a user rents: not how fast those are on
 * average that were measured, but one more of them. Pure.
 *
 * Speeds of machines of one processor model are taken as log-normal. From three machines on,
 * their own scatter is all that counts: the logarithm of the next speed is Student's t around
 * their mean, with k - 1 degrees of freedom and a scale of s * sqrt(1 + 1 / k). That is
 * calibrated whatever the true spread is. Of one or two machines the scatter is unknown or nearly
 * so; it is taken from a spread that is usual (`usual_spread`), which counts as much as
 * NEXT_MACHINE_DEGREES measured degrees: types whose spread is from half to three times as large
 * are within. A type with several processor models is a mixture of them, because the provider
 * chooses the model: each counts by its share of the machines seen. A model not seen yet is not
 * foreseen. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>

#define NEXT_MACHINE_MODELS_MAX 8
#define NEXT_MACHINE_DEGREES 4
#define NEXT_MACHINE_ENOUGH 3 /* machines whose own scatter counts alone */

/* Measured machines of one processor model. */
struct machine_model {
    const double *speeds; /* one per machine, above 0: samples a second */
    size_t count;         /* 0: the model is left out */
    double run_spread; /* standard deviation of the logarithm of one run on the same machine, from
                        * its steps; used if the scatter does not contain it */
};

/* One processor model of the prediction: Student's t over the logarithm of the speed. */
struct next_model {
    double share;  /* of the measured machines; the sum is 1 */
    double centre; /* logarithm */
    double scale;
    size_t degrees;
};

struct next_machine {
    struct next_model models[NEXT_MACHINE_MODELS_MAX];
    size_t count;
};

/* False if no machine was measured, a speed is not above 0, or there are more than
 * NEXT_MACHINE_MODELS_MAX models. `usual_spread`: standard deviation of the logarithm between
 * machines of a type, for example 0.03. */
MUST_USE bool next_machine_predict(const struct machine_model *models, size_t count,
                                   double usual_spread, struct next_machine *ret_next);
