/* Joins the ranks of a run: processes that train the same network, each on its own images, and
 * whose gradients become one before a step is taken. Batch-norms see the images of one rank only.
 *
 * A net has a pointer to a joiner, or NULL: then it is alone. The functions below take NULL and
 * do nothing with it. engine/train/ranks/ implements them by MPI, for the program
 * pennyworth-worker-mpi; this room and the plans know nothing of MPI.
 *
 * Each call is collective: every rank makes the same calls in the same order, with as many
 * numbers, from one thread, the one that made the joiner. Where a rank cannot go on, the
 * implementation ends the processes of all ranks, so that none waits for ever. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct parameters;
struct joiner;

struct joiner_functions {
    void (*start)(struct joiner *joiner, float *values, size_t count);
    void (*advance)(struct joiner *joiner);
    void (*finish)(struct joiner *joiner);
    double (*sum)(struct joiner *joiner, double value);
    void (*share)(struct joiner *joiner, void *data, size_t size);
    bool (*agree)(struct joiner *joiner, const char *what, const char *text, struct error *err);
};

struct joiner {
    const struct joiner_functions *functions;
    int ranks, rank; /* of all, and the own one, from 0 */
    char host[64];   /* the machine of this rank */
};

static inline int joiner_ranks(const struct joiner *joiner)
{
    return joiner ? joiner->ranks : 1;
}

static inline int joiner_rank(const struct joiner *joiner)
{
    return joiner ? joiner->rank : 0;
}

/* Whether there is any other rank. */
static inline bool joiner_joins(const struct joiner *joiner)
{
    return joiner_ranks(joiner) > 1;
}

/* Begins to replace values[0 .. count) by their sums over all ranks, the same bits on each. The
 * values are not to be touched before joiner_finish(). Several may be on their way. */
static inline void joiner_start(struct joiner *joiner, float *values, size_t count)
{
    if (joiner_joins(joiner))
        joiner->functions->start(joiner, values, count);
}

/* Lets what is on its way make progress, without waiting. Worth a call now and then. */
static inline void joiner_advance(struct joiner *joiner)
{
    if (joiner_joins(joiner))
        joiner->functions->advance(joiner);
}

/* Waits until all that was started is complete. */
static inline void joiner_finish(struct joiner *joiner)
{
    if (joiner_joins(joiner))
        joiner->functions->finish(joiner);
}

/* The mean over all ranks, the same bits on each. */
static inline double joiner_mean(struct joiner *joiner, double value)
{
    return joiner_joins(joiner) ? joiner->functions->sum(joiner, value) / joiner->ranks : value;
}

/* Every rank gets the bytes of rank 0. */
static inline void joiner_share(struct joiner *joiner, void *data, size_t size)
{
    if (joiner_joins(joiner))
        joiner->functions->share(joiner, data, size);
}

/* False on every rank if some rank's text differs from rank 0's; the error then names the first
 * such rank, its host and both texts. Texts are compared up to JOINER_TEXT_MAX - 1 bytes. */
#define JOINER_TEXT_MAX 256
MUST_USE static inline bool joiner_agree(struct joiner *joiner, const char *what,
                                         const char *text, struct error *err)
{
    return !joiner_joins(joiner) || joiner->functions->agree(joiner, what, text, err);
}

/* Prints "PROGRAM: MESSAGE" to stderr; a rank other than the first names itself and its host. */
void joiner_complain(const struct joiner *joiner, const char *program, const char *message);

/* Joins every gradient of the parameters, and waits. */
void joiner_gradients(struct joiner *joiner, struct parameters *parameters);
