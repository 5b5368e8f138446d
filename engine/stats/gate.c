#include "engine/stats/gate.h"

#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>

#define FAILS_NOT_WITH_ONE_EACH "one run each: the spread between runs is unknown"
#define FAILS_NOT_WITH_FEW "too few runs on one side to know their spread"

/* Mean and standard deviation of the logarithms. */
static void gate_describe(const struct gate_side *side, double *ret_mean, double *ret_spread)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < side->count; i++)
        mean += log(side->values[i]) / (double)side->count;
    for (size_t i = 0; i < side->count; i++)
        squares += (log(side->values[i]) - mean) * (log(side->values[i]) - mean);
    *ret_mean = mean;
    *ret_spread = sqrt(squares / (double)(side->count - 1));
}

/* A single run against many: the prediction interval of the next run, and the distance of this
 * one. The single run may be on either side. */
static struct ratio gate_predict(const struct gate_side *candidate,
                                 const struct gate_side *baseline)
{
    const struct gate_side *many = baseline->count > 1 ? baseline : candidate;
    const struct gate_side *one = many == baseline ? candidate : baseline;
    double mean, spread, log_ratio, half;

    assert(one->count == 1 && many->count > 1);
    gate_describe(many, &mean, &spread);
    log_ratio = log(one->values[0]) - mean;
    if (one == baseline)
        log_ratio = -log_ratio;
    half = stats_t95(many->count - 1) * spread * sqrt(1 + 1 / (double)many->count);
    return (struct ratio){.known = isfinite(half) && isfinite(log_ratio),
                          .value = exp(log_ratio),
                          .low = exp(log_ratio - half),
                          .high = exp(log_ratio + half)};
}

/* An unknown ratio has no ends, and no value. */
static struct ratio gate_honest_ratio(struct ratio ratio)
{
    if (!(ratio.value > 0) || !isfinite(ratio.value)) {
        ratio.value = NAN;
        ratio.known = false;
    }
    if (!(ratio.low > 0) || !isfinite(ratio.high))
        ratio.known = false;
    if (!ratio.known)
        ratio.low = ratio.high = NAN;
    return ratio;
}

/* `fails_not` is NULL where a slowdown may be found; else why it may not. `rests_on` is for a
 * verdict that was reached. */
static void gate_judge(struct gate_look *look, double margin, const char *rests_on,
                       const char *fails_not)
{
    const double bound = 1 - margin;

    look->verdict = GATE_CANNOT_TELL;
    look->detectable = NAN;
    look->ratio = gate_honest_ratio(look->ratio);
    if (!look->ratio.known) {
        look->because = fails_not ? fails_not : "the values make no ratio with an interval";
        return;
    }
    if (!fails_not)
        look->detectable = compare_detectable(&look->ratio, margin);
    if (look->ratio.low > bound) {
        look->verdict = GATE_PASS;
        look->because = rests_on;
    } else if (look->ratio.high < bound && !fails_not) {
        look->verdict = GATE_FAIL;
        look->because = rests_on;
    } else {
        look->because = look->ratio.high < bound
                            ? fails_not
                            : "the interval of the ratio contains 1 - margin";
    }
}

static struct measure gate_only_measure(const struct gate_side *side)
{
    return side->count == 1 ? (struct measure){side->values[0], side->only.low, side->only.high}
                            : (struct measure){NAN, 0, 0};
}

void gate_look(const struct gate_side *candidate, const struct gate_side *baseline, double margin,
               struct gate_look *ret_look)
{
    struct gate_look look = {.level = GATE_RUNS};

    if (candidate->count == 0 || baseline->count == 0 ||
        (candidate->count == 1 && baseline->count == 1)) {
        struct measure a = gate_only_measure(candidate), b = gate_only_measure(baseline);
        bool empty = candidate->count == 0 || baseline->count == 0;

        look.level = GATE_STEPS;
        look.ratio = compare_measures(&a, &b);
        gate_judge(&look, margin, "the intervals of one run each",
                   empty ? "one side has no runs" : FAILS_NOT_WITH_ONE_EACH);
    } else if (candidate->count > 1 && baseline->count > 1) {
        look.ratio =
            compare_runs(candidate->values, candidate->count, baseline->values, baseline->count);
        compare_widen(&look.ratio, candidate->stretch, baseline->stretch);
        gate_judge(&look, margin, "the spread of the runs on both sides", NULL);
    } else {
        look.ratio = gate_predict(candidate, baseline);
        compare_widen(&look.ratio, candidate->stretch, baseline->stretch);
        gate_judge(&look, margin, "the spread of the runs on one side, and a single run",
                   baseline->count >= GATE_BASELINE_MIN ? NULL : FAILS_NOT_WITH_FEW);
    }
    *ret_look = look;
}

void gate_look_at_pairs(const struct gate_side *candidate, const struct gate_side *baseline,
                        double margin, struct gate_look *ret_look)
{
    size_t count = candidate->count;
    double more = candidate->stretch - baseline->stretch;
    struct gate_look look = {.level = GATE_PAIRS,
                             .ratio = compare_pairs(candidate->values, baseline->values, count)};

    assert(baseline->count == count);
    if (count == 1)
        look.ratio.value = candidate->values[0] / baseline->values[0];
    compare_widen(&look.ratio, fmax(more, 0), fmax(-more, 0));
    gate_judge(&look, margin, "pairs that were measured side by side",
               count == 0   ? "no pair of valid runs"
               : count == 1 ? "one pair says nothing about the next pair"
                            : NULL);
    *ret_look = look;
}

enum gate_verdict gate_confirm(const struct gate_look *first, const struct gate_look *second)
{
    bool fails = first->verdict == GATE_FAIL || second->verdict == GATE_FAIL;
    bool passes = first->verdict == GATE_PASS || second->verdict == GATE_PASS;

    if (fails)
        return first->verdict == second->verdict ? GATE_FAIL : GATE_CANNOT_TELL;
    return passes ? GATE_PASS : GATE_CANNOT_TELL;
}

const char *const gate_verdict_names[] = {
    [GATE_PASS] = "pass", [GATE_FAIL] = "fail", [GATE_CANNOT_TELL] = "cannot_tell", NULL};
const char *const gate_level_names[] = {
    [GATE_STEPS] = "steps", [GATE_RUNS] = "runs", [GATE_PAIRS] = "pairs", NULL};
