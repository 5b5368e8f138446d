#include "engine/stats/student.h"

#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846
#define TERMS_MAX 500
#define NEWTON_MAX 60
#define NORMAL_FROM                                                                              \
    1e8 /* degrees: beyond, the gamma function loses more digits than they make                  \
         */

double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* Abramowitz and Stegun (26.2.23), within 4.5e-4, made exact by Newton's method on the logarithm
 * of the tail, which is concave. */
static double normal_upper_quantile(double tail)
{
    double root = sqrt(-2 * log(tail));
    double z = root - (2.515517 + root * (0.802853 + root * 0.010328)) /
                          (1 + root * (1.432788 + root * (0.189269 + root * 0.001308)));

    for (int i = 0; i < 3; i++) {
        double above = erfc(z / sqrt(2)) / 2, density = exp(-z * z / 2) / sqrt(2 * PI);

        z += (log(above) - log(tail)) * above / density;
    }
    return z;
}

double normal_quantile(double share)
{
    if (!(share >= 0 && share <= 1))
        return NAN;
    if (share <= 0)
        return -INFINITY;
    if (share >= 1)
        return INFINITY;
    return share > 0.5 ? normal_upper_quantile(1 - share) : -normal_upper_quantile(share);
}

/* log of the gamma function, without the global variable that lgamma() writes. */
static double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* Continued fraction of the incomplete beta function (Lentz). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), value;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    value = d;
    for (int i = 1; i < TERMS_MAX; i++) {
        double m = i;
        double steps[] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double before = value;

        for (int j = 0; j < 2; j++) {
            d = 1 + steps[j] * d;
            c = 1 + steps[j] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            value *= d * c;
        }
        if (fabs(value - before) <= 1e-15 * fabs(value))
            break;
    }
    return value;
}

/* Regularised incomplete beta function at x, where y = 1 - x is known better than that. */
static double beta_below(double x, double y, double a, double b)
{
    double front;

    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(y, b, a) / b;
}

/* The share above t >= 0; exact far out. */
static double student_above(double t, double degrees)
{
    double sum = degrees + t * t;

    if (degrees > NORMAL_FROM)
        return erfc(t / sqrt(2)) / 2;
    return beta_below(degrees / sum, t * t / sum, degrees / 2, 0.5) / 2;
}

double student_below(double t, double degrees)
{
    return t > 0 ? 1 - student_above(t, degrees) : student_above(-t, degrees);
}

static double student_density(double t, double degrees)
{
    if (degrees > NORMAL_FROM)
        return exp(-t * t / 2) / sqrt(2 * PI);
    return exp(log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) -
               (degrees + 1) / 2 * log1p(t * t / degrees)) /
           sqrt(degrees * PI);
}

/* Newton's method. Near the middle: on the share itself, which is convex, starting at 0. Farther
 * out: on the logarithm of the share as a function of the logarithm of t, which is nearly a line,
 * starting at the normal quantile. */
static double student_upper_quantile(double tail, double degrees)
{
    bool is_far = tail < 0.25;
    double t = is_far ? normal_upper_quantile(tail) : 0;

    for (int i = 0; i < NEWTON_MAX; i++) {
        double above = student_above(t, degrees), density = student_density(t, degrees), next;

        next = is_far ? t * exp(log(above / tail) * above / (density * t))
                      : t + (above - tail) / density;
        if (fabs(next - t) <= 1e-14 * next)
            return next;
        t = next;
    }
    return t;
}

double student_quantile(double share, double degrees)
{
    if (degrees > NORMAL_FROM || !(share > 0 && share < 1))
        return normal_quantile(share);
    return share > 0.5 ? student_upper_quantile(1 - share, degrees)
                       : -student_upper_quantile(share, degrees);
}

/* Hill, Algorithm 396 (1970), for the share `both` of both tails and the normal quantile of half
 * of it. */
static double student_hill(double both, double z, double n)
{
    double a = 1 / (n - 0.5), b = 48 / (a * a);
    double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * PI / 2) * n;
    double y = pow(d * both, 2 / n), x = z;

    if (y > 0.05 + a) {
        y = x * x;
        if (n < 5)
            c += 0.3 * (n - 4.5) * (x + 0.6);
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
        y = expm1(a * y * y);
    } else {
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y -
             1) *
                (n + 1) / (n + 2) +
            1 / y;
    }
    return sqrt(n * y);
}

double student_from_normal(double share, double z, double degrees)
{
    double both = 2 * (share < 0.5 ? share : 1 - share), t;

    if (degrees > NORMAL_FROM)
        return z;
    if (degrees < 1.5)
        t = 1 / tan(both * PI / 2);
    else if (degrees < 2.5)
        t = sqrt(fmax(2 / (both * (2 - both)) - 2, 0));
    else
        t = student_hill(both, -fabs(z), degrees);
    return share < 0.5 ? -t : t;
}
