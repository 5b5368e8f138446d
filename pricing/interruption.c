#include "pricing/interruption.h"

#include "common/cleanup.h"

#include <math.h>
#include <stddef.h>

bool interruption_share(const char *band, double *ret_share_per_month)
{
    static const struct {
        const char *band;
        double share;
    } bands[] = {
        {"<5%", 0.05}, {"5-10%", 0.10}, {"10-15%", 0.15}, {"15-20%", 0.20}, {">20%", 0.30},
    };

    for (size_t i = 0; band && i < COUNT(bands); i++)
        if (strcmp(band, bands[i].band) == 0) {
            *ret_share_per_month = bands[i].share;
            return true;
        }
    return false;
}

double interruption_rate(double share_per_month)
{
    if (!(share_per_month >= 0 && share_per_month <= 1))
        return NAN;
    /* log1p: 1 - share would lose a small share's digits. */
    return -log1p(-share_per_month) / HOURS_PER_MONTH;
}
