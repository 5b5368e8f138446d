/* Rough rates of spot interruptions: a monthly share, from an advisor's band or a person, as a
 * rate per hour. Real interruptions are not memoryless, so every answer with the rate calls it
 * rough. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

#define HOURS_PER_MONTH 730.0

/* Reads a band of a feed ("<5%", "5-10%", ">20%"): the upper end as the share interrupted in a
 * month; 30 % for an open band. False for any other text. */
MUST_USE bool interruption_share(const char *band, double *ret_share_per_month);

/* -ln(1 - share) / 730: interruptions per hour; NaN for an invalid share. */
double interruption_rate(double share_per_month);
