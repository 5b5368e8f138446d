#include "engine/train/kernels/loss.h"

#include <math.h>

double loss_cross_entropy(float *row, long classes, long label, long batch)
{
    double sum = 0, most = row[0], loss;

    /* The largest is taken off first, so that no exponential overflows. */
    for (long c = 1; c < classes; c++)
        if ((double)row[c] > most)
            most = (double)row[c];
    for (long c = 0; c < classes; c++)
        sum += exp((double)row[c] - most);
    loss = log(sum) - ((double)row[label] - most);
    for (long c = 0; c < classes; c++)
        row[c] = (float)((exp((double)row[c] - most) / sum - (c == label)) / (double)batch);
    return loss;
}
