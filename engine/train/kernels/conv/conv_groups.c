/* Tested by tests/engine/train/kernels/conv/conv_test.c. */
#include "engine/train/kernels/conv/conv_groups.h"

size_t conv_groups_scratch(const struct conv_shape *shape, long number_bytes)
{
    return conv_is_stem(shape) ? conv_stem_bytes(shape, (size_t)number_bytes) : 0;
}

struct conv_job conv_job_of(const struct conv_shape *shape, const struct conv_call *call,
                            long number_bytes)
{
    static const float zeros[CONV_K_MAX]; /* of a pixel outside of the image */

    return (struct conv_job){
        .end = &call->end,
        .source = {call->input, (const char *)zeros, conv_k(shape) * number_bytes, 0},
        .images = call->images,
        .number_bytes = number_bytes,
        .depth = conv_depth(shape),
        .n = conv_n(shape),
        .group = CONV_GROUP,
        .stem = conv_is_stem(shape),
        .panels = call->panels,
    };
}

static void run_class(const struct conv_job *job, conv_group_fn *const runs[CONV_END_KINDS])
{
    struct conv_cursor cursor = job->cursor;
    struct conv_group group;

    for (;;) {
        conv_group_fill(job->class, &job->source, job->images, job->group, &cursor, &group);
        if (group.count == 0)
            return;
        runs[job->end->kind](job, &group);
    }
}

static void run_stem(const struct conv_shape *shape, const struct conv_call *call,
                     struct conv_job *job, conv_group_fn *const runs[CONV_END_KINDS])
{
    long image_bytes = shape->in_size * shape->in_size * job->source.pixel_bytes;

    job->source.base = call->scratch;
    job->source.image_bytes = 0;
    for (long i = 0; i < call->images; i++) {
        conv_stem_fill(shape, (const char *)call->input + i * image_bytes,
                       (size_t)job->number_bytes, call->scratch);
        job->cursor = (struct conv_cursor){.image = i};
        job->images = i + 1;
        run_class(job, runs);
    }
}

void conv_groups_run(const struct conv_shape *shape, const struct conv_call *call,
                     struct conv_job *job, conv_group_fn *const runs[CONV_END_KINDS])
{
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);

    for (int i = 0; i < count; i++) {
        job->class = &classes[i];
        job->source.image_bytes =
            classes[i].source_size * classes[i].source_size * job->source.pixel_bytes;
        if (job->stem)
            run_stem(shape, call, job, runs);
        else
            run_class(job, runs);
        job->panels =
            (const char *)job->panels + job->depth * job->n * classes[i].taps * job->number_bytes;
    }
}
