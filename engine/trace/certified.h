/* How near the gradient in a run's precision is to that in f32, as cosines of the angle between
 * them: of all parameters together, and of the layer that is farthest off. The first finds what
 * is wrong everywhere, the second a single layer. */
#pragma once

#include <stdbool.h>

struct certified {
    bool whole_known, worst_known;
    double whole, worst;
};
