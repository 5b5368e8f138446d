/* One f32 kernel of conv.h. CMake compiles this file once for each instruction set, with
 * CONV_NAME, CONV_ISA, VEC_BYTES and VEC_WIDE, the vectors of a panel. A block of the
 * result, VEC_BLOCK positions of one panel, stays in registers while all taps and channels are
 * multiplied into it. Nothing is contracted but VEC_FMA.
 * Tested by tests/engine/train/kernels/conv/conv_test.c. */
#include "engine/train/kernels/conv/conv_body.h"
#include "engine/train/kernels/conv/conv_end.h"
#include "engine/train/kernels/conv/conv_groups.h"
#include "engine/train/kernels/vec_block.h"

#define ROWS VEC_BLOCK
#define PANEL VEC_PANEL
#define GROUP_BYTES (384 << 10) /* of input rows that a panel is used for: part of a L2 cache */
#define CACHE_LINE 64
#define PACKED_ROWS 64 /* so many rows of a panel are near while they are filled by columns */

_Static_assert(CONV_GROUP % ROWS == 0, "a group is whole blocks");

static size_t panels_size(const struct conv_shape *shape)
{
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);
    long taps = 0;

    for (int i = 0; i < count; i++)
        taps += classes[i].taps;
    return (size_t)(taps * conv_depth(shape) * conv_n(shape)) * sizeof(float);
}

static void pack_panel(const struct conv_shape *shape, const struct conv_class *class,
                       const struct conv_weights *weights, long first, float *ret_panel)
{
    long depth = conv_depth(shape);

    for (int t = 0; t < class->taps; t++)
        for (long k = 0; k < depth; k += PACKED_ROWS) {
            long rows = depth - k < PACKED_ROWS ? depth - k : PACKED_ROWS;

            conv_copy_weights(shape, weights, &class->tap[t],
                              &(struct conv_part){first, PANEL, k, rows}, ret_panel);
            ret_panel += rows * PANEL;
        }
}

static void conv_f32_pack(const struct conv_shape *shape, const struct conv_weights *weights,
                          int index, int of, void *ret_panels)
{
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);
    long n = conv_n(shape), panels = n / PANEL;
    float *to = ret_panels;

    for (int i = 0; i < count; to += classes[i++].taps * conv_depth(shape) * n)
        for (long p = panels * index / of; p < panels * (index + 1) / of; p++)
            pack_panel(shape, &classes[i], weights, p * PANEL,
                       to + p * PANEL * classes[i].taps * conv_depth(shape));
}

static size_t scratch_size(const struct conv_shape *shape, long images)
{
    (void)images;
    return conv_groups_scratch(shape, sizeof(float));
}

VEC_INLINE void multiply(const struct conv_job *job, const struct conv_group *group, long first,
                         const float *panel, vec ret_sums[ROWS][VEC_WIDE])
{
    vec sums[ROWS][VEC_WIDE];

    block_clear(sums);
    for (int t = 0; t < job->class->taps; t++, panel += job->depth * PANEL) {
        const float *rows[ROWS];

        for (int r = 0; r < ROWS; r++)
            rows[r] = (const float *)group->rows[t][first + r];
        block_multiply(rows, 1, job->depth, panel, sums);
    }
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VEC_WIDE; v++)
            ret_sums[r][v] = sums[r][v];
}

/* Asks for what comes soon: the next panel's share of the rows that the next group reads, and the
 * place of the result. Rows follow each other in most shapes; elsewhere nothing is lost. */
VEC_INLINE void look_ahead(const struct conv_job *job, const struct conv_group *group, long first,
                           long channel)
{
    const char *const *rows = group->rows[job->class->taps / 2] + first;
    long share = job->source.pixel_bytes * PANEL / job->n;
    long ahead = group->count * job->source.pixel_bytes + channel / PANEL * share;

    for (int r = 0; r < ROWS; r++) {
        for (long at = 0; at < share; at += CACHE_LINE)
            __builtin_prefetch(rows[r] + ahead + at);
        __builtin_prefetch(
            (float *)job->end->result + group->result[first + r] * job->n + channel, 1);
    }
}

/* One panel of all positions of a group. */
VEC_INLINE void run_panel(const struct conv_job *job, const struct conv_group *group,
                          long channel, const enum conv_end_kind kind)
{
    const float *panel = (const float *)job->panels + channel * job->class->taps * job->depth;
    struct end_sums end_sums = {0};

    for (long first = 0; first < group->count; first += ROWS) {
        long count = group->count - first < ROWS ? group->count - first : ROWS;
        vec sums[ROWS][VEC_WIDE];

        if (count == ROWS && job->class->taps > 0)
            look_ahead(job, group, first, channel);
        multiply(job, group, first, panel, sums);
        for (long r = 0; r < count; r++)
            for (int v = 0; v < VEC_WIDE; v++) {
                long c = channel + v * VEC_LANES;
                struct end_place place = {job->end, job->n, c,
                                          group->result[first + r] * job->n + c};

                end_vector(&place, kind, &sums[r][v], &end_sums.of[v]);
            }
    }
    if (kind != CONV_PLAIN)
        end_finish(&(struct end_place){job->end, job->n, channel, 0}, kind, &end_sums);
}

VEC_INLINE void run_panels(const struct conv_job *job, const struct conv_group *group,
                           const enum conv_end_kind kind)
{
    for (long channel = 0; channel < job->n; channel += PANEL)
        run_panel(job, group, channel, kind);
}

CONV_END_RUNS(run_panels, (const struct conv_job *job, const struct conv_group *group), job,
              group);

/* Positions of a group: fewer where their rows would fill the cache. */
static long group_size(const struct conv_job *job)
{
    long rows = GROUP_BYTES / (job->source.pixel_bytes * ROWS);

    if (rows < 2)
        return 2 * ROWS;
    return rows * ROWS < CONV_GROUP ? rows * ROWS : CONV_GROUP;
}

static void conv_f32_run(const struct conv_shape *shape, const struct conv_call *call)
{
    struct conv_job job = conv_job_of(shape, call, sizeof(float));

    job.group = group_size(&job);
    conv_groups_run(shape, call, &job, runs);
}

CONV_DESCRIBE(conv_kernel, .type = DNN_F32, .n_multiple = PANEL, .k_multiple = 1,
              .panels_size = panels_size, .pack = conv_f32_pack, .scratch_size = scratch_size,
              .run = conv_f32_run);
