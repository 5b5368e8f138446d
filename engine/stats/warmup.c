#include "engine/stats/warmup.h"

#include "engine/stats/stall.h"

#include <assert.h>
#include <math.h>

#define LATE 0.4       /* of the trace: a cut behind it may be an accident of few steps */
#define STEADY_SCORE 5 /* standard errors from which a drift is beyond doubt */
#define MATERIAL 0.02  /* relative error of the number that matters */

static double batch_mean(const struct step_view *view, size_t batch)
{
    double sum = 0;

    for (size_t i = 0; i < DRIFT_BATCH; i++)
        sum += step_view_at(view, batch * DRIFT_BATCH + i);
    return sum / DRIFT_BATCH;
}

/* How many batches to leave out so that the squared standard error of the rest, taken as
 * independent, is the smallest; the first of equals. */
static size_t smallest_error(const struct step_view *view, size_t batches)
{
    double reference = batch_mean(view, batches - 1), sum = 0, squares = 0;
    double least = INFINITY;
    size_t best = 0;

    /* From the last batch to the first, so that each cut costs one batch more. */
    for (size_t cut = batches; cut-- > 0;) {
        double off = batch_mean(view, cut) - reference;
        double left = (double)(batches - cut), error;

        sum += off;
        squares += off * off;
        error = fmax(squares - sum * sum / left, 0) / (left * left);
        if (cut <= batches / 2 && error <= least) {
            least = error;
            best = cut;
        }
    }
    assert(best <= batches / 2);
    return best;
}

/* The later one of two cuts: a stall behind a slow start hides it, and one or two slow steps at
 * the start look like stalls. */
static size_t find_cut(const struct step_view *view, size_t batches)
{
    size_t cut = smallest_error(view, batches), beneath;

    if (!stall_is_in(view->nanoseconds, view->count))
        return cut;
    beneath = smallest_error(&(struct step_view){view->nanoseconds, view->count, true}, batches);
    return beneath > cut ? beneath : cut;
}

static bool is_steady(const struct drift *drift)
{
    return drift->off <= MATERIAL || drift->score <= STEADY_SCORE;
}

static struct warmup warmup_judge(const long long *nanoseconds, size_t count, size_t steps)
{
    struct warmup warmup = {.decided = true, .steps = steps};
    struct drift beneath;

    assert(steps <= count);
    if (count - steps < 2 * DRIFT_BATCH)
        return warmup;
    warmup.drift = drift_of(nanoseconds + steps, count - steps);
    warmup.settled = warmup.drift.score <= DRIFT_SEEN;
    warmup.steady = is_steady(&warmup.drift);
    if (!stall_is_in(nanoseconds + steps, count - steps))
        return warmup;
    beneath = drift_without_stalls(nanoseconds + steps, count - steps);
    warmup.settled = warmup.settled && beneath.score <= DRIFT_SEEN;
    warmup.steady = is_steady(&beneath);
    if (!warmup.steady)
        warmup.drift = beneath;
    return warmup;
}

/* Whether the first batch behind the cut is slower than the others are without stalls, beyond
 * their noise, and moves the mean: then the warm-up goes on in it. */
static bool goes_on_behind(const struct step_view *view, size_t cut, size_t batches)
{
    const struct step_view tamed = {view->nanoseconds, view->count, true};
    double first, sum = 0, squares = 0, count = (double)(batches - cut - 1);
    double mean, least;

    if (batches < cut + 4)
        return false;
    first = batch_mean(view, cut);
    for (size_t i = cut + 1; i < batches; i++)
        sum += batch_mean(&tamed, i);
    mean = sum / count;
    for (size_t i = cut + 1; i < batches; i++)
        squares += (batch_mean(&tamed, i) - mean) * (batch_mean(&tamed, i) - mean);
    least = fmax(MATERIAL * (count + 1) * mean, STEADY_SCORE * sqrt(squares / (count - 1)));
    /* A stall anywhere in the batch would make it slow, but a warm-up has its first step too. */
    return first - mean > least && step_view_at(view, cut * DRIFT_BATCH) - mean > least;
}

struct warmup warmup_detect(const long long *nanoseconds, size_t count)
{
    struct step_view counted = {nanoseconds + 1, count - 1, false};
    size_t batches, cut;
    struct warmup warmup;
    bool goes_on;

    if (count < WARMUP_STEPS_MIN)
        return (struct warmup){.steps = count};
    batches = counted.count / DRIFT_BATCH;
    cut = find_cut(&counted, batches);
    cut += (2 * cut + 2) / 3;
    if (cut > batches / 2)
        cut = batches / 2;
    goes_on = goes_on_behind(&counted, cut, batches);
    if (goes_on && cut < batches / 2) {
        cut++;
        goes_on = false;
    }
    warmup = warmup_judge(nanoseconds, count, 1 + cut * DRIFT_BATCH);
    warmup.settled = warmup.settled && (double)(cut * DRIFT_BATCH) <= LATE * (double)(count - 1);
    if (goes_on)
        warmup.settled = warmup.steady = false;
    return warmup;
}

struct warmup warmup_fixed(const long long *nanoseconds, size_t count, size_t steps)
{
    if (count < steps)
        return (struct warmup){.steps = count};
    return warmup_judge(nanoseconds, count, steps);
}

enum trace_class warmup_classify(const struct warmup *warmup)
{
    const struct drift *drift = &warmup->drift;

    if (!warmup->steady)
        return TRACE_NO_STEADY_STATE;
    if (drift->score > STEADY_SCORE && fabs(drift->change) > MATERIAL)
        return drift->change > 0 ? TRACE_SLOW_DOWN : TRACE_WARM_UP;
    return warmup->steps > 1 ? TRACE_WARM_UP : TRACE_FLAT;
}

const char *const trace_class_names[] = {[TRACE_FLAT] = "flat",
                                         [TRACE_WARM_UP] = "warm_up",
                                         [TRACE_SLOW_DOWN] = "slow_down",
                                         [TRACE_NO_STEADY_STATE] = "no_steady_state",
                                         NULL};
