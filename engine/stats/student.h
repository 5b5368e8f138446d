/* The normal distribution and Student's t, at any share and for any degrees of freedom. The last
 * digits may differ between C libraries; stats_t95() is the same on every machine. */
#pragma once

/* The share of a standard normal distribution below z. */
double normal_below(double z);

/* The z below which that share lies; -infinity at 0, infinity at 1, NaN outside. */
double normal_quantile(double share);

/* The share of Student's t below `t`. `degrees` >= 1, or infinite: the normal distribution. */
double student_below(double t, double degrees);

/* The quantile of Student's t. */
double student_quantile(double share, double degrees);

/* The same within 0.1 % at shares from 0.0001 to 0.9999, several times as quickly, for a caller
 * that knows the normal quantile `z` of the share. Whole degrees only. */
double student_from_normal(double share, double z, double degrees);
