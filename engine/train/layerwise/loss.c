/* Both losses: the logits' gradient takes the place of their value.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/loss.h"

#include "engine/train/layerwise/kinds.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <math.h>

#define KEPT 8 /* rows and columns of logits that are kept for a check */

struct loss {
    double *of_rows; /* (rows) */
    float kept[KEPT][KEPT];
};

static bool loss_make(struct op *op, struct error *err)
{
    struct loss *loss = op->own = layerwise_take(op->net, sizeof *loss, err);

    if (!loss)
        return false;
    loss->of_rows = layerwise_take(op->net, (size_t)op->input->rows * sizeof(double), err);
    return loss->of_rows != NULL;
}

static double sigmoid_loss(float *row, long label, float share)
{
    double z = (double)*row, target = (double)label;
    double loss = fmax(z, 0) - z * target + log1p(exp(-fabs(z)));

    *row = (float)((1 / (1 + exp(-z)) - target) * (double)share);
    return loss;
}

static void loss_forward(struct op *op, int thread)
{
    struct loss *loss = op->own;
    const struct tensor *logits = op->input;
    const struct share rows = share_of(logits->rows, 1, thread, op->net->threads);
    /* The gradient of the mean over the rows of all ranks. */
    float share = op->node->share / (float)(logits->rows * joiner_ranks(op->net->joiner));

    for (long row = rows.begin; row < rows.end; row++) {
        float *values = logits->value + row * logits->width;
        long label = op->net->labels[row];

        for (long j = 0; row < KEPT && j < KEPT && j < logits->width; j++)
            loss->kept[row][j] = values[j];
        loss->of_rows[row] =
            op->node->kind == NODE_SIGMOID_LOSS
                ? sigmoid_loss(values, label, share)
                : op->net->elements->softmax_loss(values, logits->width, label, share);
    }
}

double loss_of(const struct op *op)
{
    const struct loss *loss = op->own;
    double sum = 0;

    for (long row = 0; row < op->input->rows; row++)
        sum += loss->of_rows[row];
    return sum / (double)op->input->rows * (double)op->node->share;
}

float loss_logit(const struct op *op, long row, long class)
{
    const struct loss *loss = op->own;

    return row < KEPT && class < KEPT ? loss->kept[row][class] : 0;
}

const struct op_functions loss_functions = {loss_make, loss_forward, NULL};
