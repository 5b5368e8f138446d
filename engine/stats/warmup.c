#include "engine/stats/warmup.h"

#include <math.h>

#define LATE 0.4       /* of the trace: a cut behind it may be an accident of few steps */
#define STEADY_SCORE 5 /* standard errors from which a drift is beyond doubt */
#define MATERIAL 0.02  /* relative error of the number that matters */

static double batch_mean(const long long *batch)
{
    double sum = 0;

    for (size_t i = 0; i < DRIFT_BATCH; i++)
        sum += (double)batch[i];
    return sum / DRIFT_BATCH;
}

/* How many batches to leave out so that the squared standard error of the rest, taken as
 * independent, is the smallest; the first of equals. */
static size_t smallest_error(const long long *steps, size_t batches)
{
    double reference = batch_mean(steps + (batches - 1) * DRIFT_BATCH), sum = 0, squares = 0;
    double least = INFINITY;
    size_t best = 0;

    /* From the last batch to the first, so that each cut costs one batch more. */
    for (size_t cut = batches; cut-- > 0;) {
        double off = batch_mean(steps + cut * DRIFT_BATCH) - reference;
        double left = (double)(batches - cut), error;

        sum += off;
        squares += off * off;
        error = fmax(squares - sum * sum / left, 0) / (left * left);
        if (cut <= batches / 2 && error <= least) {
            least = error;
            best = cut;
        }
    }
    return best;
}

static struct warmup judge(const long long *nanoseconds, size_t count, size_t steps)
{
    struct warmup warmup = {.decided = true, .steps = steps};

    if (count - steps < 2 * DRIFT_BATCH)
        return warmup;
    warmup.drift = drift_of(nanoseconds + steps, count - steps);
    warmup.settled = warmup.drift.score <= DRIFT_SEEN;
    warmup.steady = warmup.drift.off <= MATERIAL || warmup.drift.score <= STEADY_SCORE;
    return warmup;
}

struct warmup warmup_detect(const long long *nanoseconds, size_t count)
{
    size_t batches, cut;
    struct warmup warmup;

    if (count < WARMUP_STEPS_MIN)
        return (struct warmup){.steps = count};
    batches = (count - 1) / DRIFT_BATCH;
    cut = smallest_error(nanoseconds + 1, batches);
    cut += (2 * cut + 2) / 3;
    if (cut > batches / 2)
        cut = batches / 2;
    warmup = judge(nanoseconds, count, 1 + cut * DRIFT_BATCH);
    warmup.settled = warmup.settled && (double)(cut * DRIFT_BATCH) <= LATE * (double)(count - 1);
    return warmup;
}

struct warmup warmup_fixed(const long long *nanoseconds, size_t count, size_t steps)
{
    if (count < steps)
        return (struct warmup){.steps = count};
    return judge(nanoseconds, count, steps);
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

const char *trace_class_name(enum trace_class trace)
{
    static const char *const names[] = {[TRACE_FLAT] = "flat",
                                        [TRACE_WARM_UP] = "warm_up",
                                        [TRACE_SLOW_DOWN] = "slow_down",
                                        [TRACE_NO_STEADY_STATE] = "no_steady_state"};
    return names[trace];
}
