#include "engine/pace.h"

#include "common/clock.h"
#include "engine/interval.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_MIN 30 /* that are measured where steps is "auto" */
#define STEPS_MAX 1000000
#define LOOK_AGAIN 1.05 /* an interval is computed when there are so many times more steps */
#define NS_PER_HOUR (3600.0 * 1e9)

long long pace_steps_max(const struct run_spec *spec)
{
    return (spec->warmup_steps == FIELD_IS_AUTO ? WARMUP_STEPS_MAX : spec->warmup_steps) +
           (spec->steps == FIELD_IS_AUTO ? STEPS_MAX : spec->steps);
}

void pace_start(struct pace *pace, const struct run_spec *spec, double dollars_per_hour)
{
    *pace = (struct pace){.warmup_wanted = spec->warmup_steps,
                          .wanted = spec->steps,
                          .batch_size = spec->batch_size,
                          .min_ns = spec->min_seconds * NS_PER_SECOND,
                          .max_ns = spec->max_seconds * NS_PER_SECOND,
                          .target_percent = spec->target_percent,
                          .max_dollars = spec->max_dollars,
                          .dollars_per_ns = dollars_per_hour / NS_PER_HOUR};
    if (spec->warmup_steps == 0)
        pace->warmup.decided = true;
}

void pace_free(struct pace *pace)
{
    free(pace->nanoseconds);
    *pace = (struct pace){0};
}

static size_t measured_steps(const struct pace *pace)
{
    return pace->warmup.decided ? pace->steps - pace->warmup.steps : 0;
}

static void look_for_end_of_warmup(struct pace *pace)
{
    if (pace->warmup_wanted == FIELD_IS_AUTO)
        pace->warmup = warmup_detect(pace->nanoseconds, pace->steps);
    else
        pace->warmup = (struct warmup){.decided = (long long)pace->steps >= pace->warmup_wanted,
                                       .steps = (size_t)pace->warmup_wanted};
    if (!pace->warmup.decided)
        return;
    pace->warmup_ns = 0;
    for (size_t i = 0; i < pace->warmup.steps; i++)
        pace->warmup_ns += pace->nanoseconds[i];
}

static void look_at_interval(struct pace *pace)
{
    size_t count = measured_steps(pace);
    struct batch_means means;

    if ((double)count < LOOK_AGAIN * (double)pace->interval_steps)
        return;
    interval_of_mean(pace->nanoseconds + pace->warmup.steps, count, &means);
    if (!means.mean.known)
        return;
    pace->interval_steps = count;
    pace->half_width_percent =
        100 * (means.mean.high - means.mean.low) / (means.mean.high + means.mean.low);
}

bool pace_step(struct pace *pace, long long nanoseconds)
{
    if (pace->steps == pace->size) {
        size_t size = pace->size ? pace->size * 2 : 128;
        long long *grown = reallocarray(pace->nanoseconds, size, sizeof *grown);

        if (!grown)
            return false;
        pace->nanoseconds = grown;
        pace->size = size;
    }
    pace->nanoseconds[pace->steps++] = nanoseconds;
    pace->total_ns += nanoseconds;
    if (!pace->warmup.decided)
        look_for_end_of_warmup(pace);
    if (pace->warmup.decided)
        look_at_interval(pace);
    return true;
}

/* Whether the number is as sure as was asked. */
static bool has_hit_target(const struct pace *pace)
{
    return measured_steps(pace) >= STEPS_MIN &&
           pace->total_ns - pace->warmup_ns >= pace->min_ns && pace->interval_steps > 0 &&
           pace->half_width_percent <= pace->target_percent;
}

static double dollars_spent(const struct pace *pace, long long elapsed_ns)
{
    return pace->dollars_per_ns * (double)elapsed_ns;
}

enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns)
{
    long long measured = (long long)measured_steps(pace);

    if (pace->warmup.decided &&
        measured >= (pace->wanted == FIELD_IS_AUTO ? STEPS_MAX : pace->wanted))
        return PACE_ALL_STEPS;
    if (pace->wanted == FIELD_IS_AUTO && has_hit_target(pace))
        return PACE_TARGET;
    if (pace->max_dollars > 0 && dollars_spent(pace, elapsed_ns) >= pace->max_dollars)
        return PACE_DOLLARS_UP;
    return elapsed_ns >= pace->max_ns ? PACE_TIME_UP : PACE_GO_ON;
}

/* Mean seconds of a step, from the measured ones as soon as there are any. */
static double step_seconds(const struct pace *pace)
{
    size_t measured = measured_steps(pace);

    if (measured > 0)
        return (double)(pace->total_ns - pace->warmup_ns) / 1e9 / (double)measured;
    return pace->steps > 0 ? (double)pace->total_ns / 1e9 / (double)pace->steps : 0;
}

/* Steps to be measured. The interval narrows with the square root of their number. */
static double steps_wanted(const struct pace *pace, double each)
{
    double wanted = STEPS_MIN, narrow;

    if (pace->wanted != FIELD_IS_AUTO)
        return (double)pace->wanted;
    if (each > 0)
        wanted = fmax(wanted, ceil((double)pace->min_ns / 1e9 / each));
    narrow = pace->half_width_percent / pace->target_percent;
    if (narrow > 1)
        wanted = fmax(wanted, ceil((double)pace->interval_steps * narrow * narrow));
    return fmin(wanted, STEPS_MAX);
}

/* Seconds until a limit ends the run whatever it has. */
static double seconds_to_limit(const struct pace *pace, long long elapsed_ns)
{
    double left_ns = (double)(pace->max_ns - elapsed_ns);

    if (pace->max_dollars > 0 && pace->dollars_per_ns > 0)
        left_ns = fmin(left_ns, (pace->max_dollars - dollars_spent(pace, elapsed_ns)) /
                                    pace->dollars_per_ns);
    return left_ns / 1e9;
}

struct progress pace_progress(const struct pace *pace, long long elapsed_ns)
{
    struct progress progress = {.steps_done = (long long)pace->steps,
                                .phase = pace->warmup.decided ? "measuring" : "warm_up",
                                .half_width_percent = pace->half_width_percent,
                                .dollars = dollars_spent(pace, elapsed_ns),
                                .elapsed_seconds = (double)elapsed_ns / 1e9};
    double each = step_seconds(pace), most = seconds_to_limit(pace, elapsed_ns);
    /* A warm-up whose end is still looked for lasts for three windows at least. */
    double warmup = pace->warmup.decided                   ? (double)pace->warmup.steps
                    : pace->warmup_wanted == FIELD_IS_AUTO ? 1 + 3 * WARMUP_WINDOW
                                                           : (double)pace->warmup_wanted;

    progress.steps_planned = (long long)(warmup + steps_wanted(pace, each));
    if (progress.steps_planned < progress.steps_done)
        progress.steps_planned = progress.steps_done;
    if (each > 0) {
        progress.samples_per_second = (double)pace->batch_size / each;
        most = fmin(most, (double)(progress.steps_planned - progress.steps_done) * each);
    }
    progress.seconds_left = fmax(most, 0);
    return progress;
}

const char *pace_verdict_name(enum pace_verdict verdict)
{
    static const char *const names[] = {
        [PACE_GO_ON] = "go_on",     [PACE_ALL_STEPS] = "all_steps",
        [PACE_ENOUGH] = "enough",   [PACE_TARGET] = "target",
        [PACE_TIME_UP] = "time_up", [PACE_DOLLARS_UP] = "dollars_up"};
    return names[verdict];
}
