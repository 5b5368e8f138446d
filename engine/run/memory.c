#include "engine/run/memory.h"

#include "common/cleanup.h"
#include "common/units.h"
#include "engine/machine/control_group.h"
#include "engine/machine/proc.h"
#include "engine/run/batch.h"

#include <math.h>

/* The peak of a run: a part that is always there (the program, oneDNN's code, weights in their
 * layouts with gradients and momentum, what the canary copies), a part for each thread beyond
 * two, and one for each image. The plain plan has two lines, and the lower one holds: beyond
 * about 16 images the scratch of some operations stops growing.
 *
 * From VmHWM of real runs on two threads of an AVX-512 machine with oneDNN 2.6, in MiB (the model
 * in brackets), at batches of 2, 16 and 40; in bf16 without the certificate of the gradient,
 * which takes 1192 behind the last step, and which a run does without where these are not there:
 *
 *   depth-first f32     500 (499)     1164 (1173)    2329 (2327)
 *   depth-first bf16    389 (388)      771 (773)     1433 (1433)
 *   plain f32          1356 (1356)    4947 (4947)   10493 (10491)
 *   plain bf16          935 (935)     2879 (2879)    5579 (5579)
 *
 * One thread takes 1120 (1129) in f32 at 16 images. Layouts change the plain plan by less than
 * 4 %. */
struct line {
    double fixed, image; /* MiB */
};

static const struct model {
    const char *precision;
    bool plain;
    struct line few, many;
    double thread; /* MiB of each beyond two; the plain plan shares what it has */
} models[] = {
    {"f32", false, {403, 48.1}, {403, 48.1}, 44},
    {"bf16", false, {333, 27.5}, {333, 27.5}, 36},
    {"f32", true, {843, 256.5}, {1251, 231.0}, 0},
    {"bf16", true, {657, 138.9}, {1079, 112.5}, 0},
};

/* One batch more, where other threads make it during the step. */
#define INPUT_NUMBERS (3.0 * 224 * 224)

/* Other processors, libraries and numbers of threads take a little more or less. A run is refused
 * where it would not fit even if it took so much less, and a batch is recommended that fits even
 * if it takes so much more. */
#define SURELY_LESS 0.85
#define SURELY_MORE 1.05

/* Beyond this many threads several share the sums of their gradients; each has at least one
 * image. */
#define THREADS_APART 16

#define SMALLEST_BATCH 2 /* engine/run/native.c */
#define LARGEST_BATCH BATCH_SIZE_MAX

static const struct model *model_of(const struct run_spec *spec)
{
    bool plain = strcmp(spec->plan, "plain") == 0;

    if (strcmp(spec->workload, "resnet50") != 0)
        return NULL; /* the worker refuses what does not fit */
    for (size_t i = 0; i < COUNT(models); i++)
        if (models[i].plain == plain && strcmp(models[i].precision, spec->precision) == 0)
            return &models[i];
    return NULL;
}

static double need_of(const struct model *model, const struct run_spec *spec, long long threads,
                      double batch)
{
    double bytes_of_number = strcmp(spec->precision, "f32") == 0 ? 4 : 2;
    double need = fmin(model->few.fixed + model->few.image * batch,
                       model->many.fixed + model->many.image * batch);

    if (threads <= 0)
        threads = 2;
    need += model->thread * (fmin(fmin((double)threads, THREADS_APART), batch) - 2);
    if (spec->input_workers > 0)
        need += batch * INPUT_NUMBERS * bytes_of_number / MIB;
    return need * MIB;
}

void memory_limit_read(const char *root, struct memory_limit *ret_limit)
{
    long long machine = proc_number(root, "/proc/meminfo", "MemTotal:", 0) * 1024;
    struct group_memory group;

    control_group_memory(root, &group);
    *ret_limit = (struct memory_limit){.bytes = machine};
    if (group.limit > 0 && (machine <= 0 || group.limit < machine))
        *ret_limit = (struct memory_limit){.bytes = group.limit, .of_group = true};
}

/* For a batch not chosen yet, the smallest: it grows only within memory. */
static long long least_batch(const struct run_spec *spec)
{
    return spec->batch_size == FIELD_IS_AUTO ? BATCH_LEAST : spec->batch_size;
}

long long memory_need(const struct run_spec *spec, long long threads)
{
    const struct model *model = model_of(spec);

    return model ? (long long)need_of(model, spec, threads, (double)least_batch(spec)) : 0;
}

long long memory_largest_batch(const struct run_spec *spec, long long threads, long long bytes)
{
    const struct model *model = model_of(spec);
    long long fits = SMALLEST_BATCH - 1, fails = LARGEST_BATCH + 1;

    if (!model)
        return -1;
    while (fails - fits > 1) {
        long long batch = fits + (fails - fits) / 2;

        if (need_of(model, spec, threads, (double)batch) * SURELY_MORE <= (double)bytes)
            fits = batch;
        else
            fails = batch;
    }
    return fits < SMALLEST_BATCH ? 0 : fits;
}

static const char *memory_owner(const struct memory_limit *limit)
{
    return limit->of_group ? "the control group's limit is" : "this machine has";
}

/* "; the largest batch that fits is 2". */
static const char *memory_advice(long long largest, char ret_text[80])
{
    if (largest > 0)
        snprintf(ret_text, 80, "; the largest batch that fits is %lld", largest);
    else
        snprintf(ret_text, 80, "%s", largest == 0 ? "; no batch of this plan fits" : "");
    return ret_text;
}

bool memory_can_hold(const struct run_spec *spec, long long threads,
                     const struct memory_limit *limit, struct error *err)
{
    double need = (double)memory_need(spec, threads);
    long long largest;
    char text[80];

    if (limit->bytes <= 0 || need * SURELY_LESS <= (double)limit->bytes)
        return true;
    largest = memory_largest_batch(spec, threads, limit->bytes);
    return error_set(err, ERROR_UNABLE, "batch_size",
                     "%lld needs about %.1f GiB of memory, and %s %.1f GiB%s", least_batch(spec),
                     need / GIB, memory_owner(limit), (double)limit->bytes / GIB,
                     memory_advice(largest, text));
}

void memory_explain_kill(const struct memory_limit *limit, long long peak_bytes,
                         long long largest, struct error *err)
{
    char text[80], bound[80] = "";

    if (limit->bytes > 0)
        snprintf(bound, sizeof bound, ": %s %.1f GiB", memory_owner(limit),
                 (double)limit->bytes / GIB);
    error_set(err, ERROR_UPSTREAM, NULL,
              "the kernel killed the worker for memory%s, the worker's peak was %.2f GiB%s",
              bound, (double)peak_bytes / GIB, memory_advice(largest, text));
}
