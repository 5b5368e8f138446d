#include "engine/train/workloads/mlp.h"

#include "common/cleanup.h"
#include "engine/train/kernels/loss.h"
#include "engine/train/threads/host.h"

#include <assert.h>
#include <math.h>

#define INPUTS MLP_INPUTS
#define HIDDEN MLP_HIDDEN
#define CLASSES MLP_CLASSES

_Static_assert(MLP_CLASSES == LOSS_LABELS, "every label has an output");
#define LEARNING_RATE 0.1f

struct mlp {
    struct net net; /* first: a pointer to it is a pointer to the whole */
    long batch;     /* N */
    struct dnn *dnn;
    struct dnn_op *forward1, *forward2, *weights2, *back, *weights1;
    float *memory;                   /* all below, in one piece */
    float *input;                    /* (N, INPUTS) */
    float *w1, *g1;                  /* (INPUTS, HIDDEN): weights, gradient */
    float *w2, *g2;                  /* (HIDDEN, CLASSES) */
    float *hidden, *hidden_gradient; /* (N, HIDDEN) */
    float *output;                   /* (N, CLASSES): logits, then their gradient */
};

/* Numerical Recipes' 32-bit generator: the same noise on every machine. */
static float noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f - 0.5f;
}

static void fill_noise(float *values, long count, float scale, unsigned *state)
{
    for (long i = 0; i < count; i++)
        values[i] = scale * noise(state);
}

static bool allocate(struct mlp *mlp, struct error *err)
{
    const long sizes[] = {mlp->batch * INPUTS, INPUTS * HIDDEN,     INPUTS * HIDDEN,
                          HIDDEN * CLASSES,    HIDDEN * CLASSES,    mlp->batch * HIDDEN,
                          mlp->batch * HIDDEN, mlp->batch * CLASSES};
    float **parts[] = {
        &mlp->input,           &mlp->w1,    &mlp->g1, &mlp->w2, &mlp->g2, &mlp->hidden,
        &mlp->hidden_gradient, &mlp->output};
    long total = 0;

    _Static_assert(COUNT(sizes) == COUNT(parts), "each part has its size");
    for (size_t i = 0; i < COUNT(sizes); i++)
        total += sizes[i];
    mlp->memory = calloc((size_t)total, sizeof *mlp->memory);
    if (!mlp->memory)
        return error_no_memory(err);
    total = 0;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        *parts[i] = mlp->memory + total;
        total += sizes[i];
    }
    return true;
}

static struct dnn_matrix shape(long rows, long columns)
{
    return (struct dnn_matrix){.rows = rows, .columns = columns};
}

/* The rows x columns transpose of what is stored as columns x rows. */
static struct dnn_matrix transpose(long rows, long columns)
{
    return (struct dnn_matrix){.rows = rows, .columns = columns, .transposed = true};
}

static bool make_products(struct mlp *mlp, struct error *err)
{
    struct dnn *dnn = mlp->dnn = dnn_open(1, err);
    long batch = mlp->batch;

    if (!dnn)
        return false;
    mlp->forward1 = dnn_product(dnn, shape(batch, INPUTS), shape(INPUTS, HIDDEN), err);
    mlp->forward2 = dnn_product(dnn, shape(batch, HIDDEN), shape(HIDDEN, CLASSES), err);
    mlp->weights2 = dnn_product(dnn, transpose(HIDDEN, batch), shape(batch, CLASSES), err);
    mlp->back = dnn_product(dnn, shape(batch, CLASSES), transpose(CLASSES, HIDDEN), err);
    mlp->weights1 = dnn_product(dnn, transpose(INPUTS, batch), shape(batch, HIDDEN), err);
    return mlp->forward1 && mlp->forward2 && mlp->weights2 && mlp->back && mlp->weights1;
}

static void descend(float *weights, const float *gradient, long count)
{
    for (long i = 0; i < count; i++)
        weights[i] -= LEARNING_RATE * gradient[i];
}

static bool multiply(struct dnn_op *product, float *left, float *right, float *result,
                     struct error *err)
{
    void *const memory[] = {left, right, result};

    return dnn_op_run(product, memory, err);
}

static bool forward(struct mlp *mlp, double *ret_loss, struct error *err)
{
    long batch = mlp->batch;
    double loss = 0;

    if (!multiply(mlp->forward1, mlp->input, mlp->w1, mlp->hidden, err))
        return false;
    for (long i = 0; i < batch * HIDDEN; i++)
        mlp->hidden[i] = fmaxf(mlp->hidden[i], 0);
    if (!multiply(mlp->forward2, mlp->hidden, mlp->w2, mlp->output, err))
        return false;
    for (long i = 0; i < batch; i++)
        loss += loss_cross_entropy(mlp->output + i * CLASSES, CLASSES, i % LOSS_LABELS, batch);
    *ret_loss = loss / (double)batch;
    return true;
}

static bool backward(struct mlp *mlp, struct error *err)
{
    if (!multiply(mlp->weights2, mlp->hidden, mlp->output, mlp->g2, err) ||
        !multiply(mlp->back, mlp->output, mlp->w2, mlp->hidden_gradient, err))
        return false;
    for (long i = 0; i < mlp->batch * HIDDEN; i++)
        if (mlp->hidden[i] <= 0)
            mlp->hidden_gradient[i] = 0;
    return multiply(mlp->weights1, mlp->input, mlp->hidden_gradient, mlp->g1, err);
}

static bool step(struct net *net, double *ret_loss, struct step_split *ret_split,
                 struct error *err)
{
    struct mlp *mlp = (struct mlp *)net;
    long long start = host_clock_ns(), computed, learnt;

    if (!forward(mlp, ret_loss, err))
        return false;
    computed = host_clock_ns();
    if (!backward(mlp, err))
        return false;
    learnt = host_clock_ns();
    descend(mlp->w2, mlp->g2, HIDDEN * CLASSES);
    descend(mlp->w1, mlp->g1, INPUTS * HIDDEN);
    *ret_split = (struct step_split){.forward = computed - start,
                                     .backward = learnt - computed,
                                     .update = host_clock_ns() - learnt};
    return true;
}

static void release(struct net *net)
{
    struct mlp *mlp = (struct mlp *)net;

    dnn_op_free(mlp->forward1);
    dnn_op_free(mlp->forward2);
    dnn_op_free(mlp->weights2);
    dnn_op_free(mlp->back);
    dnn_op_free(mlp->weights1);
    dnn_close(mlp->dnn);
    free(mlp->memory);
    free(mlp);
}

static struct net_facts facts(const struct net *net)
{
    (void)net;
    return (struct net_facts){.plan = "plain",
                              .parameters = MLP_PARAMETERS,
                              .multiply_adds = MLP_MULTIPLY_ADDS,
                              .backward_multiply_adds = MLP_BACKWARD_MULTIPLY_ADDS};
}

/* It has no convolution, and the library computes products without a choice. */
static void names(const struct net *net, net_visit visit, void *user)
{
    (void)net;
    (void)visit;
    (void)user;
}

static const struct net_functions functions = {
    .step = step, .free = release, .facts = facts, .names = names};

struct net *mlp_new(long batch_size, unsigned seed, struct error *err)
{
    struct mlp *mlp = calloc(1, sizeof *mlp);
    unsigned state = seed;

    assert(batch_size > 0);
    if (!mlp) {
        error_no_memory(err);
        return NULL;
    }
    mlp->net.functions = &functions;
    mlp->batch = batch_size;
    if (!allocate(mlp, err) || !make_products(mlp, err)) {
        release(&mlp->net);
        return NULL;
    }
    fill_noise(mlp->input, batch_size * INPUTS, 2.0f, &state);
    fill_noise(mlp->w1, INPUTS * HIDDEN, 2.0f / sqrtf((float)INPUTS), &state);
    fill_noise(mlp->w2, HIDDEN * CLASSES, 2.0f / sqrtf((float)HIDDEN), &state);
    return &mlp->net;
}
