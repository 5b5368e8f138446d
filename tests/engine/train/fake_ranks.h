/* Ranks as threads of one process: a joiner without MPI. */
#pragma once

#include "engine/train/net/joiner.h"
#include "tests/test.h"

#include <pthread.h>
#include <string.h>

#define FAKE_RANKS_MAX 3
#define FAKE_SPANS_MAX 512

struct fake_ranks;

struct fake_rank {
    struct joiner joiner; /* first */
    struct fake_ranks *all;
    float *spans[FAKE_SPANS_MAX]; /* started, not finished */
    size_t counts[FAKE_SPANS_MAX];
    int span_count;
    double value;
    const void *data;
    const char *text;
};

struct fake_ranks {
    pthread_barrier_t barrier;
    int count;
    struct fake_rank list[FAKE_RANKS_MAX];
};

static inline void fake_meet(struct joiner *joiner)
{
    pthread_barrier_wait(&((struct fake_rank *)joiner)->all->barrier);
}

static inline void fake_start(struct joiner *joiner, float *values, size_t count)
{
    struct fake_rank *own = (struct fake_rank *)joiner;

    EXPECT(own->span_count < FAKE_SPANS_MAX);
    own->spans[own->span_count] = values;
    own->counts[own->span_count++] = count;
}

static inline void fake_advance(struct joiner *joiner)
{
    (void)joiner;
}

/* Rank 0 sums what each has started, in the order of ranks, and gives it to all. */
static inline void fake_sum_span(struct fake_ranks *all, int span)
{
    for (size_t i = 0; i < all->list[0].counts[span]; i++) {
        float sum = all->list[0].spans[span][i];

        for (int rank = 1; rank < all->count; rank++)
            sum += all->list[rank].spans[span][i];
        for (int rank = 0; rank < all->count; rank++)
            all->list[rank].spans[span][i] = sum;
    }
}

static inline void fake_finish(struct joiner *joiner)
{
    struct fake_rank *own = (struct fake_rank *)joiner;
    struct fake_ranks *all = own->all;

    fake_meet(joiner);
    for (int span = 0; joiner->rank == 0 && span < own->span_count; span++) {
        for (int rank = 1; rank < all->count; rank++)
            EXPECT_INT((long long)all->list[rank].counts[span], (long long)own->counts[span]);
        fake_sum_span(all, span);
    }
    fake_meet(joiner);
    own->span_count = 0;
}

static inline double fake_sum(struct joiner *joiner, double value)
{
    struct fake_ranks *all = ((struct fake_rank *)joiner)->all;
    double sum = 0;

    ((struct fake_rank *)joiner)->value = value;
    fake_meet(joiner);
    for (int rank = 0; rank < all->count; rank++)
        sum += all->list[rank].value;
    fake_meet(joiner);
    return sum;
}

static inline void fake_share(struct joiner *joiner, void *data, size_t size)
{
    struct fake_rank *own = (struct fake_rank *)joiner;

    own->data = data;
    fake_meet(joiner);
    if (joiner->rank > 0)
        memcpy(data, own->all->list[0].data, size);
    fake_meet(joiner);
}

static inline bool fake_agree(struct joiner *joiner, const char *what, const char *text,
                              struct error *err)
{
    struct fake_rank *own = (struct fake_rank *)joiner;
    bool same = true;

    own->text = text;
    fake_meet(joiner);
    for (int rank = 1; rank < own->all->count; rank++)
        same = same && strcmp(own->all->list[rank].text, own->all->list[0].text) == 0;
    fake_meet(joiner);
    return same || error_set(err, ERROR_INVALID, NULL, "another %s", what);
}

static inline void fake_ranks_open(struct fake_ranks *all, int count)
{
    static const struct joiner_functions functions = {fake_start, fake_advance, fake_finish,
                                                      fake_sum,   fake_share,   fake_agree};

    memset(all, 0, sizeof *all);
    all->count = count;
    EXPECT_INT(pthread_barrier_init(&all->barrier, NULL, (unsigned)count), 0);
    for (int rank = 0; rank < count; rank++) {
        all->list[rank].all = all;
        all->list[rank].joiner = (struct joiner){&functions, count, rank, "here"};
    }
}

static inline void fake_ranks_close(struct fake_ranks *all)
{
    pthread_barrier_destroy(&all->barrier);
}

/* A joiner that adds nothing: a rank has what it would add, its share of the mean. */
static inline void fake_no_start(struct joiner *joiner, float *values, size_t count)
{
    (void)joiner;
    (void)values;
    (void)count;
}

static inline double fake_no_sum(struct joiner *joiner, double value)
{
    return value * joiner->ranks;
}

static inline void fake_no_share(struct joiner *joiner, void *data, size_t size)
{
    (void)joiner;
    (void)data;
    (void)size;
}

static inline bool fake_no_agree(struct joiner *joiner, const char *what, const char *text,
                                 struct error *err)
{
    (void)joiner;
    (void)what;
    (void)text;
    (void)err;
    return true;
}

static const struct joiner_functions fake_apart = {fake_no_start, fake_advance,  fake_advance,
                                                   fake_no_sum,   fake_no_share, fake_no_agree};
