#include "engine/run/pace.h"

#include "common/clock.h"
#include "common/limits.h"
#include "common/memory.h"
#include "engine/stats/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MIN 30    /* measured steps at least, if steps is "auto" */
#define LOOK_AGAIN 1.05 /* all steps are looked at when there are so many times more */
#define GO_ON_STEPS 60  /* beyond a fixed number, for a warm-up whose end is to be found */
#define ROUGH_STEPS 5
#define ROUGH_LEAST 0.1
#define ROUGH_WIDTH (2.8 * 2.4) /* Student's t of four, and sqrt((1 + 0.7) / (1 - 0.7)) */
#define OBEY_NS (60 * NS_PER_SECOND)
#define NS_PER_HOUR (3600.0 * 1e9)

long long pace_steps_max(const struct run_spec *spec)
{
    return (spec->warmup_steps == FIELD_IS_AUTO ? GO_ON_STEPS : spec->warmup_steps) +
           (spec->steps == FIELD_IS_AUTO ? RUN_STEPS_MAX : spec->steps);
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

void pace_shorten(struct pace *pace, long long spent_ns)
{
    pace->max_ns -= spent_ns;
    if (pace->max_ns < NS_PER_SECOND)
        pace->max_ns = NS_PER_SECOND;
    if (pace->min_ns > pace->max_ns / 2)
        pace->min_ns = pace->max_ns / 2;
    if (pace->max_dollars > 0)
        pace->max_dollars -= pace->dollars_per_ns * (double)spent_ns;
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
    pace->warmup =
        pace->warmup_wanted == FIELD_IS_AUTO
            ? warmup_detect(pace->nanoseconds, pace->steps)
            : warmup_fixed(pace->nanoseconds, pace->steps, (size_t)pace->warmup_wanted);
    pace->warmup_ns = 0;
    for (size_t i = 0; i < pace->warmup.steps; i++)
        pace->warmup_ns += pace->nanoseconds[i];
}

static void look_at_interval(struct pace *pace)
{
    size_t count = measured_steps(pace);
    struct mean_interval interval;

    interval_of_mean(pace->nanoseconds + pace->warmup.steps, count, &interval);
    pace->interval_steps = interval.mean.known ? count : 0;
    pace->half_width_percent = 0;
    if (interval.mean.known)
        pace->half_width_percent = 100 * (interval.mean.high - interval.mean.low) /
                                   (interval.mean.high + interval.mean.low);
}

/* Whether the requested minimum is measured, and more steps would not move the number. */
static bool has_number(const struct pace *pace)
{
    return pace->warmup.settled && measured_steps(pace) >= STEPS_MIN &&
           pace->total_ns - pace->warmup_ns >= pace->min_ns && pace->interval_steps > 0;
}

/* Whether the target is reached. */
static bool has_hit_target(const struct pace *pace)
{
    return has_number(pace) && pace->half_width_percent <= pace->target_percent;
}

/* Whether the requested number of steps is done. A detected warm-up has some more steps to end
 * in; then the last ones count, and the summary tells whether they are steady. */
static bool has_all_steps(const struct pace *pace)
{
    long long measured = (long long)measured_steps(pace);

    if (pace->wanted == FIELD_IS_AUTO)
        return measured >= RUN_STEPS_MAX;
    if (pace->warmup_wanted == FIELD_IS_AUTO &&
        (long long)pace->steps >= pace->wanted + GO_ON_STEPS)
        return true;
    return pace->warmup.decided && measured >= pace->wanted &&
           (pace->warmup.steady || pace->warmup_wanted != FIELD_IS_AUTO);
}

static bool has_what_was_asked(const struct pace *pace)
{
    return has_all_steps(pace) || (pace->wanted == FIELD_IS_AUTO && has_hit_target(pace));
}

/* A look costs time in proportion to the steps. Before an earlier look ends the run, all steps
 * are checked once more, because the summary uses all. Only once, since a fast worker sends
 * thousands of steps before it stops. */
static bool is_time_to_look(const struct pace *pace)
{
    return !pace->warmup.decided || (double)pace->steps >= LOOK_AGAIN * (double)pace->looked_at ||
           (!pace->end_seen && has_what_was_asked(pace));
}

void pace_step(struct pace *pace, long long nanoseconds)
{
    pace->nanoseconds =
        xgrow(pace->nanoseconds, pace->steps, &pace->size, sizeof *pace->nanoseconds);
    pace->nanoseconds[pace->steps++] = nanoseconds;
    pace->total_ns += nanoseconds;
    if (is_time_to_look(pace)) {
        look_for_end_of_warmup(pace);
        look_at_interval(pace);
        pace->looked_at = pace->steps;
        pace->end_seen = has_what_was_asked(pace);
    }
}

static double dollars_spent(const struct pace *pace, long long elapsed_ns)
{
    return pace->dollars_per_ns * (double)elapsed_ns;
}

/* Seconds until a limit of time or money ends the run. */
static double seconds_to_limit(const struct pace *pace, long long elapsed_ns)
{
    double left_ns = (double)(pace->max_ns - elapsed_ns);

    if (pace->max_dollars > 0 && pace->dollars_per_ns > 0)
        left_ns = fmin(left_ns, (pace->max_dollars - dollars_spent(pace, elapsed_ns)) /
                                    pace->dollars_per_ns);
    return left_ns / 1e9;
}

double pace_within_reach(double half_width, double seconds, double more)
{
    return seconds > 0 && more > 0 ? half_width * sqrt(seconds / (seconds + more)) : half_width;
}

static double measured_seconds(const struct pace *pace)
{
    return (double)(pace->total_ns - pace->warmup_ns) / 1e9;
}

/* The width of the interval if the run goes on until a limit ends it. */
static double within_reach(const struct pace *pace, long long elapsed_ns)
{
    return pace_within_reach(pace->half_width_percent, measured_seconds(pace),
                             seconds_to_limit(pace, elapsed_ns));
}

static bool buys_little(const struct pace *pace, long long elapsed_ns)
{
    double reach = within_reach(pace, elapsed_ns);

    return pace->stops_for_little && has_number(pace) && reach > pace->target_percent &&
           reach >= PACE_HARDLY_NARROWER * pace->half_width_percent;
}

enum pace_verdict pace_judge(const struct pace *pace, long long elapsed_ns)
{
    if (has_what_was_asked(pace))
        return has_all_steps(pace) ? PACE_ALL_STEPS : PACE_TARGET;
    if (pace->max_dollars > 0 && dollars_spent(pace, elapsed_ns) >= pace->max_dollars)
        return PACE_DOLLARS_UP;
    if (elapsed_ns >= pace->max_ns)
        return PACE_TIME_UP;
    return pace->wanted == FIELD_IS_AUTO && buys_little(pace, elapsed_ns) ? PACE_LITTLE_MORE
                                                                          : PACE_GO_ON;
}

long long pace_obey_ns(const struct pace *pace)
{
    long long longest = 0;

    for (size_t i = 0; i < pace->steps; i++)
        if (pace->nanoseconds[i] > longest)
            longest = pace->nanoseconds[i];
    return 2 * longest > OBEY_NS ? 2 * longest : OBEY_NS;
}

/* Mean seconds of a step, from measured steps if there are any. */
static double step_seconds(const struct pace *pace)
{
    size_t measured = measured_steps(pace);

    if (measured > 0)
        return (double)(pace->total_ns - pace->warmup_ns) / 1e9 / (double)measured;
    return pace->steps > 0 ? (double)pace->total_ns / 1e9 / (double)pace->steps : 0;
}

/* Steps to measure. The interval narrows with the square root of their number. */
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
    return fmin(wanted, RUN_STEPS_MAX);
}

/* A first estimate for people who watch, from few steps, which may still be warm-up: all but the
 * first, which often is set-up. Neighbouring steps are correlated, by 0.7 on shared machines, so
 * they count as fewer. */
static double rough_half_width(const struct pace *pace)
{
    double mean = 0, squares = 0, count = (double)pace->steps - 1;

    if (pace->half_width_percent > 0 || pace->steps < ROUGH_STEPS + 1)
        return 0;
    for (size_t i = 1; i < pace->steps; i++)
        mean += (double)pace->nanoseconds[i] / count;
    for (size_t i = 1; i < pace->steps; i++)
        squares += ((double)pace->nanoseconds[i] - mean) * ((double)pace->nanoseconds[i] - mean);
    if (mean <= 0)
        return 0;
    return fmax(100 * ROUGH_WIDTH * sqrt(squares / (count - 1) / count) / mean, ROUGH_LEAST);
}

/* Seconds until more time gains little, if the target is out of reach; `most` otherwise. */
static double seconds_to_little(const struct pace *pace, long long elapsed_ns, double most)
{
    double measured = measured_seconds(pace), left = seconds_to_limit(pace, elapsed_ns);
    const double share = PACE_HARDLY_NARROWER * PACE_HARDLY_NARROWER;

    if (!pace->stops_for_little || pace->half_width_percent <= 0 ||
        within_reach(pace, elapsed_ns) <= pace->target_percent)
        return most;
    return fmin(most, fmax(share * (measured + left), (double)pace->min_ns / 1e9) - measured);
}

struct progress pace_progress(const struct pace *pace, long long elapsed_ns)
{
    struct progress progress = {.steps_done = (long long)pace->steps,
                                .phase = pace->warmup.decided ? "measuring" : "warm_up",
                                .half_width_percent = pace->half_width_percent,
                                .rough_percent = rough_half_width(pace),
                                .dollars = dollars_spent(pace, elapsed_ns),
                                .elapsed_seconds = (double)elapsed_ns / 1e9};
    double each = step_seconds(pace), most = seconds_to_limit(pace, elapsed_ns);
    /* A warm-up with an unknown end takes at least the steps needed to decide. */
    double warmup = pace->warmup.decided                   ? (double)pace->warmup.steps
                    : pace->warmup_wanted == FIELD_IS_AUTO ? WARMUP_STEPS_MIN
                                                           : (double)pace->warmup_wanted;

    if (pace->half_width_percent > 0)
        progress.within_reach_percent = within_reach(pace, elapsed_ns);
    progress.steps_planned = (long long)(warmup + steps_wanted(pace, each));
    if (progress.steps_planned < progress.steps_done)
        progress.steps_planned = progress.steps_done;
    if (each > 0) {
        progress.samples_per_second = (double)pace->batch_size / each;
        most = fmin(most, (double)(progress.steps_planned - progress.steps_done) * each);
    }
    progress.seconds_left = fmax(seconds_to_little(pace, elapsed_ns, most), 0);
    return progress;
}

const char *const pace_verdict_names[] = {[PACE_GO_ON] = "go_on",
                                          [PACE_ALL_STEPS] = "all_steps",
                                          [PACE_TARGET] = "target",
                                          [PACE_TIME_UP] = "time_up",
                                          [PACE_DOLLARS_UP] = "dollars_up",
                                          [PACE_LITTLE_MORE] = "little_more",
                                          NULL};

const char *pace_verdict_name(enum pace_verdict verdict)
{
    return pace_verdict_names[verdict];
}

const char *pace_verdict_from_name(const char *name)
{
    for (int verdict = PACE_ALL_STEPS; verdict <= PACE_LITTLE_MORE; verdict++)
        if (strcmp(pace_verdict_name((enum pace_verdict)verdict), name) == 0)
            return pace_verdict_name((enum pace_verdict)verdict);
    return NULL;
}
