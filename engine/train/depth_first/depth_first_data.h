/* The memory of the depth-first plan: what all threads share, and what each thread owns. It has
 * no code but sizes. The files of this folder stand on each other in this order, and include only
 * what stands before them:
 *
 *   filter_shape, direction       a convolution's chunks, and one direction of it
 *   stages, norm, filter, plan, plan_known    parts that know nothing of threads or of each other
 *   depth_first_data              this header
 *   depth_first_chunks            a thread's images, cut into chunks
 *   depth_first_groups            sums of weight gradients, alone or shared by threads
 *   depth_first_update            the step of SGD
 *   depth_first_activation        what a convolution reads
 *   depth_first_forward, _head, _backward     one thread's way through a step
 *   depth_first_step              one step of all threads, and the input of the next
 *   depth_first_memory            takes the memory below
 *   depth_first_build             makes and frees everything
 *   depth_first_choose            measures which plan is best
 *   depth_first                   the net that other rooms see
 *
 * Shapes in comments: N images in the batch, n units in a chunk, parts units in an image; H (one
 * side), C (channels) of a layer's input, P (one side), K (channels) of its output; classes K of
 * the linear layer. "stored" numbers are f32 or bf16, as options.type says: void *. */
#pragma once

#include "engine/train/depth_first/filter.h"
#include "engine/train/depth_first/norm.h"
#include "engine/train/depth_first/plan.h"
#include "engine/train/depth_first/stages.h"
#include "engine/train/net/net.h"
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

/* What a thread publishes to its group of its current chunk. */
struct share {
    void *input;    /* (n * H * H / parts, C) stored */
    void *gradient; /* (n * P * P / parts, K) stored */
    long units;     /* n; 0: the thread has no chunk */
};

struct depth_first;

/* One thread: its images, its buffers, and its part of the current step. */
struct lane {
    struct depth_first *depth_first;
    int index;
    long first_image, end_image;
    void *input;    /* (n * H * H / parts, C) stored: the chunk's activation */
    void *gradient; /* (n * P * P / parts, K) stored: of a convolution's output */
    void *input_gradient[STAGE_CONVS_MAX]; /* each (n * H * H / parts, C) stored */
    void *subsampled;                      /* (n * H/2 * H/2, C) stored: every second pixel */
    void *scratch;                         /* (the most that filter_scratch() asks for) bytes */
    float *weight_sums[2]; /* each (sums of a stage's filters): see depth_first_sum() */
    float *bias_sum;       /* (classes): the gradient of the linear layer's bias */
    float *row;            /* (classes): one image's logits, then their gradient */
    struct arena arena;    /* holds all of these */
    struct share share;
    struct barrier barrier; /* the group's, used in the group's first thread only */
    int shares_left;        /* shares of this round that the group still waits for */
    bool fresh;             /* nothing has been written to the stage's sums yet */
    bool ok;                /* else err says why; the thread still meets the others */
    struct error err;
    /* Of this step, for step_split. */
    long long input_ns, update_ns, communication_ns, forward_end;
    long long stage_ns[LAYERS_MAX]; /* in each stage, without waiting for others */
};

struct depth_first {
    struct net net; /* first: a pointer to it is a pointer to the whole */
    struct network network;
    struct net_options options;
    struct parameters *parameters; /* borrowed; see depth_first_make() */
    struct stages stages;
    struct stage head; /* the linear layer, as if it were the stage behind the last */
    struct plan plan;
    struct cut cuts[LAYERS_MAX];       /* (stages): as the plan wants them */
    int reader[LAYERS_MAX];            /* (activations): the stage that reads it, or -1 */
    struct layer computed[LAYERS_MAX]; /* (layers): as they are computed, see data_subsamples() */
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
    /* (layers, directions): weights as our kernels read them, at that time only; or NULL. */
    void *packed[LAYERS_MAX][FILTER_DIRECTIONS];
    void *outputs[LAYERS_MAX]; /* (layers), each (N, P, P, K) stored, before batch-norm */
    /* (activations), each (N, P, P, K) stored, or NULL. Of those that are made again on the way
     * back, only the way forward has it. */
    void *kept[LAYERS_MAX];
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
    /* Where ranks join. Only the first thread uses both. */
    const struct stage *summed; /* whose gradients all threads have summed at the next meeting */
    float *vectors;             /* (all scales, shifts and the bias): their gradients, joined */
};

/* Callers of net.h hold a pointer to `net`. */
_Static_assert(offsetof(struct depth_first, net) == 0, "a net is the start of its depth_first");

/* A convolution with a 1x1 kernel and stride 2 is computed as one with stride 1 on the pixels
 * that it looks at. */
static inline bool data_subsamples(const struct layer *layer)
{
    return layer->kernel == 1 && layer->stride == 2;
}

/* Times of a step, for memory that is needed for a part of it only: stage i is worked at time i
 * on the way forward, the head at time `stages.count`, and on the way back stage i at: */
static inline int depth_first_time_back(const struct depth_first *depth_first, int stage)
{
    return 2 * depth_first->stages.count - stage;
}

/* Bytes of one image in what a layer reads, and writes: (H, H, C) and (P, P, K) stored. */
static inline size_t depth_first_bytes_in(const struct depth_first *depth_first,
                                          const struct layer *layer)
{
    return (size_t)(layer->in_size * layer->in_size * layer->in_channels) *
           dnn_type_size(depth_first->options.type);
}

static inline size_t depth_first_bytes_out(const struct depth_first *depth_first,
                                           const struct layer *layer)
{
    return (size_t)(layer->out_size * layer->out_size * layer->out_channels) *
           dnn_type_size(depth_first->options.type);
}

/* The fastest of our kernels for the gradient of weights on this processor; WGRAD_PORTABLE: use
 * the library's. */
static inline enum wgrad_kind depth_first_hand(const struct net_options *options)
{
    return wgrad_fastest(options->type, options->isa);
}

/* Whether convolutions are computed in another format than images are stored in. */
static inline bool depth_first_emulates(const struct net_options *options)
{
    return options->type == DNN_BF16 && options->isa < CPU_AVX512_BF16;
}

/* Whether we have kernels that may be faster than the library's. */
static inline bool depth_first_has_kernels(const struct net_options *options)
{
    return !depth_first_emulates(options) && options->isa >= CPU_AVX2;
}
