/* How often spot instances are taken away, as a rough rate: what an advisor's band, or a person,
 * says of a month, made into a rate an hour. Such hazards are not memoryless: every answer that
 * uses the rate calls it rough. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

#define HOURS_PER_MONTH 730.0

/* From a band as feeds write it ("<5%", "5-10%", ">20%"): the upper end of the band, as a share
 * that is interrupted in a month; of the open one 30 %. False for any other text. */
MUST_USE bool interruption_share(const char *band, double *ret_share_per_month);

/* -ln(1 - share) / 730: so many an hour; NaN of what is no share. */
double interruption_rate(double share_per_month);
