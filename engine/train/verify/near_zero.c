#include "engine/train/verify/near_zero.h"

#include <math.h>

/* Returns how many units there are. */
static int changes_of(const json_t *listed, double ret_changes[NEAR_ZERO_MAX])
{
    int count = 0;

    for (size_t i = 0; i < json_array_size(listed) && count < NEAR_ZERO_MAX; i++) {
        const json_t *unit = json_array_get(listed, i);
        const json_t *input = json_object_get(unit, "input");
        const json_t *changes = json_object_get(unit, "changes");

        if (json_is_number(input) && json_is_number(changes) &&
            fabs(json_number_value(input)) <= NEAR_ZERO)
            ret_changes[count++] = json_number_value(changes);
    }
    return count;
}

double near_zero_left(const json_t *listed, double difference, int *ret_units)
{
    double changes[NEAR_ZERO_MAX], best = difference;
    int count = changes_of(listed, changes);

    *ret_units = 0;
    for (unsigned chosen = 1; chosen < 1U << count; chosen++) {
        double left = difference;
        int units = 0;

        for (int i = 0; i < count; i++)
            if (chosen >> i & 1) {
                left -= changes[i];
                units++;
            }
        if (fabs(left) < fabs(best)) {
            best = left;
            *ret_units = units;
        }
    }
    return best;
}
