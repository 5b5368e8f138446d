/* The way through a convolution whose positions are worked in groups: class by class, and the
 * first layer image by image. The bodies that read rows of pixels share it. */
#pragma once

#include "engine/train/kernels/conv/conv_rows.h"

struct conv_job {
    const struct conv_class *class;
    const struct conv_end *end;
    struct conv_source source;
    struct conv_cursor cursor; /* the first position */
    long images;               /* behind the last one */
    long number_bytes;         /* of a stored number, and of one of the panels */
    long depth, n;             /* numbers of a tap; channels of the result */
    long group;                /* positions that are worked at once, at most CONV_GROUP */
    bool stem;                 /* the first layer */
    bool past_cache;
    const void *panels; /* of the class */
};

/* One group of the job's class, all channels; and one such function for each end. */
typedef void conv_group_fn(const struct conv_job *job, const struct conv_group *group);

/* The scratch memory that the run needs: the first layer's padded image. */
size_t conv_groups_scratch(const struct conv_shape *shape, long number_bytes);

/* A job for the whole call. What the body knows better, it changes: depth, group. */
struct conv_job conv_job_of(const struct conv_shape *shape, const struct conv_call *call,
                            long number_bytes);

void conv_groups_run(const struct conv_shape *shape, const struct conv_call *call,
                     struct conv_job *job, conv_group_fn *const runs[CONV_END_KINDS]);
