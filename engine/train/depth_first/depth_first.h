/* Trains the network depth-first, by threads that own images. stages.h cuts the network into
 * stages; this header holds the memory and one thread's way through a step. Only the files of
 * this folder include it; other folders use net.h.
 *
 * Shapes in comments: N images in the batch, n units in a chunk, parts units in an image; H (one
 * side), C (channels) of a layer's input, P (one side), K (channels) of its output; classes K of
 * the linear layer. "stored" numbers are f32 or bf16, as options.type says: void *. */
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

#include <assert.h>
#include <stdatomic.h>

#define LANES_MAX 256

/* How a stage's images are cut into chunks. */
struct cut {
    long parts; /* units of an image */
    long chunk; /* units that are worked at once */
    bool by_hand;
};

struct depth_first;

/* What a thread shows its group of its current chunk. */
struct share {
    void *input;    /* (n * H * H / parts, C) stored */
    void *gradient; /* (n * P * P / parts, K) stored */
    long units;     /* n; 0: the thread has no chunk */
};

struct lane {
    struct depth_first *depth_first;
    int index;
    long first_image, end_image;
    void *input;             /* (n * H * H / parts, C) stored: the chunk's activation */
    void *gradient;          /* (n * P * P / parts, K) stored: of a convolution's output */
    void *input_gradient[2]; /* each (n * H * H / parts, C) stored: one a convolution */
    void *subsampled;        /* (n * H/2 * H/2, C) stored: every second pixel of input */
    void *scratch;           /* the most that filter_scratch() asks for, in bytes */
    float *weight_sums[2];   /* (sum of filter_weights(), each to 16); two stages take turns */
    float *bias_sum;         /* (classes): the gradient of the linear layer's bias */
    float *row;              /* (classes): one image's logits */
    struct arena arena;      /* holds all of these */
    struct share share;
    struct barrier barrier; /* the group's, used in the group's first thread only */
    int shares_left;        /* shares of this round that the group still waits for */
    bool fresh;             /* nothing has been written to the stage's sums yet */
    bool ok;                /* else err says why; the thread still meets the others */
    struct error err;
    long long input_ns, update_ns, forward_end; /* of this step, for net_times */
    long long stage_ns[LAYERS_MAX];             /* in each stage, without waiting for others */
};

struct depth_first {
    struct network network;
    struct net_options options;
    struct parameters *parameters;
    struct stages stages;
    struct stage head; /* the linear layer, as if it were the stage behind the last */
    struct plan plan;
    struct cut cuts[LAYERS_MAX];       /* (stages): as the plan wants them */
    int reader[LAYERS_MAX];            /* (activations): the stage that reads it, or -1 */
    struct layer computed[LAYERS_MAX]; /* (layers): as they are computed, see subsamples() */
    struct dnn *dnn;
    const struct passes *passes;
    struct team *team;
    struct filter *filters[LAYERS_MAX]; /* (layers): or NULL */
    struct norm *norms[LAYERS_MAX];     /* (layers): or NULL */
    struct arena arena;                 /* holds the buffers of the whole batch, below */
    size_t memory;                      /* bytes of all arenas */
    float *source;                      /* (N, C, H, H): the training images */
    void *images;                       /* (N, H, H, C) stored: the batch of this step */
    void *next_images;                  /* (N, H, H, C) stored: only with a loader */
    struct batch_loader *loader;        /* or NULL */
    void *outputs[LAYERS_MAX];   /* (layers), each (N, P, P, K) stored, before batch-norm */
    void *kept[LAYERS_MAX];      /* (activations), each (N, P, P, K) stored, or NULL */
    void *gradients[LAYERS_MAX]; /* (activations), each (N, P, P, K) stored, behind the ReLU */
    uint8_t *chosen;             /* (N, P, P, K): the maximum pool's choices */
    void *means;                 /* (N, C of the linear layer) stored */
    void *mean_gradients;        /* (N, C of the linear layer) stored */
    void *logits;                /* (N, classes) stored, without bias */
    void *logit_gradients;       /* (N, classes) stored */
    float *shown;                /* (N, classes): logits with bias */
    double *losses;              /* (N) */
    struct lane *lanes;          /* (lane_count) */
    int lane_count;
    int group;         /* threads that share a sum of weight gradients where they can */
    atomic_int loaded; /* how many entries of (filter, direction) an update has taken */
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

/* The chunk's first number in a buffer of the whole batch; the chunk covers `rows` of it. */
static inline void *chunk_of(const struct chunk *chunk, void *buffer, struct rows rows)
{
    size_t type = dnn_type_size(chunk->lane->depth_first->options.type);

    assert(buffer && chunk->count > 0 && rows.count % chunk->count == 0);
    return (char *)buffer +
           (size_t)(chunk->first * (rows.count / chunk->count) * rows.channels) * type;
}

/* The fastest of our kernels for the gradient of weights on this processor; WGRAD_PORTABLE: use
 * the library's. */
enum wgrad_kind depth_first_hand(const struct depth_first *depth_first);

/* Whether convolutions are computed in another format than images are stored in. */
bool depth_first_emulates(const struct depth_first *depth_first);

/* Bytes of one image in what a layer reads, and writes. */
size_t depth_first_bytes_in(const struct depth_first *depth_first, const struct layer *layer);
size_t depth_first_bytes_out(const struct depth_first *depth_first, const struct layer *layer);

/* Takes the memory; the operations must have been made. Refuses a batch that does not fit. */
bool depth_first_take_memory(struct depth_first *depth_first, struct error *err)
    __attribute__((warn_unused_result));

/* Finds the plan for network and options: known, measured, or fixed. */
bool depth_first_choose(struct depth_first *depth_first, struct error *err)
    __attribute__((warn_unused_result));

/* Builds the net by `plan`; NULL: by the plan that depth_first_choose() finds. */
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

/* Part `index` of `of` of the next batch; the batch loader calls it. */
void depth_first_feed(void *user, int index, int of);

/* Each is one thread's share of the work and ends when all threads have met. */
void depth_first_forward(struct lane *lane);
void depth_first_head(struct lane *lane);
void depth_first_backward(struct lane *lane);
void depth_first_update(struct lane *lane);

/* Adds a stage's filters to the weights; the thread takes its slice. */
void depth_first_sgd_step(struct lane *lane, const struct stage *stage, int turn);

/* The sum of weight gradients of the stage's filter number `which`, in the thread's memory:
 * filter_weights() floats. */
float *depth_first_sum(const struct lane *lane, const struct stage *stage, int which, int turn);
