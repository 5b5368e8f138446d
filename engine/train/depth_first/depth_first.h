/* The network worked depth-first by threads that own images. stages.h says how the network is
 * cut; here is the memory, and one thread's way through a step. Used by the files fused_*.c
 * alone; what others see of it is net.h. */
#pragma once

#include "engine/train/depth_first/filter.h"
#include "engine/train/depth_first/norm.h"
#include "engine/train/depth_first/plan.h"
#include "engine/train/depth_first/stages.h"
#include "engine/train/net.h"
#include "engine/train/threads/arena.h"
#include "engine/train/threads/barrier.h"
#include "engine/train/threads/batch_loader.h"
#include "engine/train/threads/team.h"

#include <stdatomic.h>

#define LANES_MAX 256

/* How a stage's images are cut into chunks. */
struct cut {
    long parts; /* units of an image */
    long chunk; /* units that are worked at once */
    bool by_hand;
};

struct depth_first;

/* What a thread lets its group see of the chunk at hand. */
struct share {
    void *input, *gradient;
    long units; /* 0: it has none */
};

struct lane {
    struct depth_first *depth_first;
    int index;
    long first_image, end_image;
    void *input, *gradient;  /* of a chunk: its activation; the gradient of its output */
    void *input_gradient[2]; /* of the convolutions that read it */
    void *subsampled;        /* for a convolution that reads every second pixel */
    void *scratch;           /* of filters */
    float *weight_sums[2];   /* of a stage's filters; two stages take turns */
    float *bias_sum, *row;   /* of the linear layer: of its gradient; one image's logits */
    struct arena arena;      /* all of these */
    struct share share;
    struct barrier barrier; /* of a group, where this is the first of it */
    int shares_left;        /* of a round: that the group still waits for */
    bool fresh;             /* the stage's sums have not been written yet */
    bool ok;                /* else err says why; the thread goes on meeting the others */
    struct error err;
    long long input_ns, update_ns, forward_end; /* of the step: what net_times is made of */
    long long stage_ns[LAYERS_MAX];             /* in each stage, without waiting for others */
};

struct depth_first {
    struct network network;
    struct net_options options;
    struct parameters *parameters;
    struct stages stages;
    struct stage head; /* the linear layer, as if it were the stage behind the last */
    struct plan plan;
    struct cut cuts[LAYERS_MAX];       /* of each stage, as the plan wants them */
    int reader[LAYERS_MAX];            /* the stage that reads an activation */
    struct layer computed[LAYERS_MAX]; /* layers as they are computed: see subsamples() */
    struct dnn *dnn;
    const struct passes *passes;
    struct team *team;
    struct filter *filters[LAYERS_MAX]; /* of each layer, or NULL */
    struct norm *norms[LAYERS_MAX];
    struct arena arena;          /* what follows, of the whole batch */
    size_t memory;               /* bytes of all arenas */
    float *source;               /* NCHW f32: what is trained on */
    void *images, *next_images;  /* next: with a feeder, who makes them */
    struct batch_loader *loader; /* or NULL */
    void *outputs[LAYERS_MAX];   /* of each convolution, before its batch-norm */
    void *kept[LAYERS_MAX];      /* activations that are kept; NULL for the others */
    void *gradients[LAYERS_MAX]; /* of what the activation's ReLU let through */
    uint8_t *chosen;             /* by the maximum pool */
    void *means, *logits, *mean_gradients, *logit_gradients; /* of the linear layer */
    float *shown;   /* each image's logits, bias included */
    double *losses; /* of each image */
    struct lane *lanes;
    int lane_count;
    int group;         /* threads that share a sum of weight gradients where they can */
    atomic_int loaded; /* of the list of filters and directions, in an update */
};

/* A stage's work on units [first, first + count). */
struct chunk {
    struct lane *lane;
    const struct stage *stage;
    const struct cut *cut;
    long first, count;
};

/* A convolution with a 1x1 kernel and stride 2 is computed as one with stride 1 on the pixels
 * that it looks at. */
static inline bool subsamples(const struct layer *layer)
{
    return layer->kernel == 1 && layer->stride == 2;
}

/* Rows of layer `layer`'s input or output in a chunk. */
static inline struct rows rows_in(const struct chunk *chunk, const struct layer *layer)
{
    return (struct rows){chunk->count * (layer->in_size * layer->in_size / chunk->cut->parts),
                         layer->in_channels};
}

static inline struct rows rows_out(const struct chunk *chunk, const struct layer *layer)
{
    return (struct rows){chunk->count * (layer->out_size * layer->out_size / chunk->cut->parts),
                         layer->out_channels};
}

/* Where the chunk begins in a buffer of the whole batch, of which it covers `rows`. */
static inline void *chunk_of(const struct chunk *chunk, void *buffer, struct rows rows)
{
    size_t type = dnn_type_size(chunk->lane->depth_first->options.type);

    return (char *)buffer +
           (size_t)(chunk->first * (rows.count / chunk->count) * rows.channels) * type;
}

/* The best kind of ours for the gradient of weights here; WGRAD_PORTABLE: leave it to the
 * library. */
enum wgrad_kind depth_first_hand(const struct depth_first *depth_first);

/* Whether convolutions are computed in another format than images are stored in. */
bool depth_first_emulates(const struct depth_first *depth_first);

/* Bytes of one image in what a layer reads, and writes. */
size_t depth_first_bytes_in(const struct depth_first *depth_first, const struct layer *layer);
size_t depth_first_bytes_out(const struct depth_first *depth_first, const struct layer *layer);

/* Takes the memory, when the operations are there. A batch that cannot fit is refused. */
bool depth_first_take_memory(struct depth_first *depth_first, struct error *err)
    __attribute__((warn_unused_result));

/* Finds the plan for network and options: known, measured, or fixed. */
bool depth_first_choose(struct depth_first *depth_first, struct error *err)
    __attribute__((warn_unused_result));

/* The whole, by a plan; NULL: by the one that is chosen. */
struct depth_first *depth_first_make(const struct network *network,
                                     const struct net_options *options,
                                     struct parameters *parameters, const struct plan *plan,
                                     struct error *err) __attribute__((warn_unused_result));
void depth_first_free(struct depth_first *depth_first); /* NULL is fine */
bool depth_first_step(struct depth_first *depth_first, double *ret_loss,
                      struct net_times *ret_times, struct error *err)
    __attribute__((warn_unused_result));

/* Builds everything from network, options and parameters, which are there. */
bool depth_first_build(struct depth_first *depth_first, const struct plan *plan,
                       struct error *err) __attribute__((warn_unused_result));

/* Calls `work` for each chunk of the thread's images in stage `stage`, until it fails. */
bool depth_first_chunks(struct lane *lane, int stage,
                        bool (*work)(const struct chunk *chunk, struct error *err));

/* The number-th chunk of the thread's images in stage `stage`. */
struct chunk depth_first_chunk_at(struct lane *lane, int stage, long number);

/* How many threads are to share a sum; `wanted` 0 leaves it to us. */
int depth_first_group_size(int threads, int wanted);

/* Whether a stage's sums are shared, and the thread that has the group's. */
bool depth_first_grouped(const struct depth_first *depth_first, const struct stage *stage);
struct lane *depth_first_leader(const struct lane *lane);

/* Like depth_first_chunks(), in step with the group; `work` calls depth_first_share() for each of
 * the stage's filters, from the last to the first. */
bool depth_first_rounds(struct lane *lane, int stage,
                        bool (*work)(const struct chunk *chunk, struct error *err));
bool depth_first_share(struct lane *lane, const struct stage *stage, struct share share,
                       struct error *err);

/* What a chunk's convolutions read: made, if it is not kept; `anew` makes even what is kept. */
void *depth_first_input(const struct chunk *chunk, bool anew);

/* The same for a layer that may look at every second pixel only. */
void *depth_first_input_of(const struct chunk *chunk, const struct layer *layer, void *input);

/* An image of the whole batch as the maximum pool behind an activation sees it. */
struct pass_pool depth_first_pool_of(const struct chunk *chunk,
                                     const struct activation *activation, long image);

/* Makes activation `activation`, which the chunk's rows are, in `result`. */
void depth_first_activate(const struct chunk *chunk, int activation, struct rows rows,
                          void *result);

/* A feeder's work: a share of the next batch. */
void depth_first_feed(void *user, int index, int of);

/* Each is one thread's share of the work and ends with a meeting of all. */
void depth_first_forward(struct lane *lane);
void depth_first_head(struct lane *lane);
void depth_first_backward(struct lane *lane);
void depth_first_update(struct lane *lane);

/* Adds a stage's filters to the weights; the thread takes its slice. */
void depth_first_sgd_step(struct lane *lane, const struct stage *stage, int turn);

/* Where the sum of filter number `which` of a stage lies, in a thread's memory. */
float *depth_first_sum(const struct lane *lane, const struct stage *stage, int which, int turn);
