/* How near the gradient in a run's precision is to the f32 gradient, as cosines of the angle
 * between them: over all parameters, and for the layer that is farthest off. The first finds
 * general errors, the second a single bad layer. */
#pragma once

#include <stdbool.h>

struct certified {
    bool whole_known, worst_known;
    double whole, worst;
};
