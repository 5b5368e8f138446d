#include "engine/pace.h"

#include "common/clock.h"

#include <math.h>

/* "auto": five steps of warm-up, then at least thirty steps and ten seconds. */
#define AUTO_WARMUP 5
#define AUTO_STEPS 30
#define AUTO_NS (10 * NS_PER_SECOND)
#define AUTO_STEPS_MAX 1000000

long long pace_warmup_steps(const struct run_spec *spec)
{
    return spec->warmup_steps == FIELD_IS_AUTO ? AUTO_WARMUP : spec->warmup_steps;
}

long long pace_steps_max(const struct run_spec *spec)
{
    return pace_warmup_steps(spec) +
           (spec->steps == FIELD_IS_AUTO ? AUTO_STEPS_MAX : spec->steps);
}

void pace_start(struct pace *pace, const struct run_spec *spec)
{
    *pace = (struct pace){.warmup = pace_warmup_steps(spec),
                          .wanted = spec->steps,
                          .batch_size = spec->batch_size,
                          .max_ns = spec->max_seconds * NS_PER_SECOND};
}

void pace_step(struct pace *pace, long long nanoseconds)
{
    if (pace->steps++ < pace->warmup)
        pace->warmup_ns += nanoseconds;
    else
        pace->measured_ns += nanoseconds;
}

enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns)
{
    long long measured = pace->steps - pace->warmup;

    if (measured >= (pace->wanted == FIELD_IS_AUTO ? AUTO_STEPS_MAX : pace->wanted))
        return PACE_ALL_STEPS;
    if (pace->wanted == FIELD_IS_AUTO && measured >= AUTO_STEPS && pace->measured_ns >= AUTO_NS)
        return PACE_ENOUGH;
    return elapsed_ns >= pace->max_ns ? PACE_TIME_UP : PACE_GO_ON;
}

/* Mean seconds of a step, from the measured ones as soon as there are any. */
static double step_seconds(const struct pace *pace)
{
    long long measured = pace->steps - pace->warmup;

    if (measured > 0)
        return (double)pace->measured_ns / 1e9 / (double)measured;
    return pace->steps > 0 ? (double)pace->warmup_ns / 1e9 / (double)pace->steps : 0;
}

struct progress pace_progress(const struct pace *pace, long long elapsed_ns)
{
    struct progress progress = {.steps_done = pace->steps,
                                .elapsed_seconds = (double)elapsed_ns / 1e9};
    double each = step_seconds(pace);
    double most = (double)(pace->max_ns - elapsed_ns) / 1e9;
    double wanted = (double)pace->wanted;

    if (pace->wanted == FIELD_IS_AUTO)
        wanted = each > 0 ? fmax(AUTO_STEPS, ceil((double)AUTO_NS / 1e9 / each)) : AUTO_STEPS;
    wanted = fmin(wanted, AUTO_STEPS_MAX);
    progress.steps_planned = pace->warmup + (long long)wanted;
    if (progress.steps_planned < pace->steps)
        progress.steps_planned = pace->steps;
    if (each > 0) {
        double left = (double)(progress.steps_planned - pace->steps) * each;

        progress.samples_per_second = (double)pace->batch_size / each;
        most = fmin(most, left);
    }
    progress.seconds_left = fmax(most, 0);
    return progress;
}

const char *pace_verdict_name(enum pace_verdict verdict)
{
    static const char *const names[] = {[PACE_GO_ON] = "go_on",
                                        [PACE_ALL_STEPS] = "all_steps",
                                        [PACE_ENOUGH] = "enough",
                                        [PACE_TIME_UP] = "time_up"};
    return names[verdict];
}
