/* Tested by tests/server/http/json/present_check_test.c and tests/api/test_check.py. */
#include "answers/gate/judge.h"

#include "common/cleanup.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>

const char *const confirmation_state_names[] = {[CONFIRM_NONE] = "none",
                                                [CONFIRM_RUNNING] = "running",
                                                [CONFIRM_FINISHED] = "finished",
                                                [CONFIRM_CANCELLED] = "cancelled",
                                                NULL};
const char *const confirmation_kind_names[] = {
    [CONFIRM_INTERLEAVED] = "interleaved", [CONFIRM_RERUN] = "rerun", NULL};
const char *const confirmation_kind_words[] = {
    [CONFIRM_INTERLEAVED] = "both sides in turns on this machine",
    [CONFIRM_RERUN] = "not interleaved, because the baseline's build is not on this machine: "
                      "register it as another --engine"};

static void fill_side(struct gate_check_side *side)
{
    double speeds = 0, dollars = 0;

    assert(side->count <= GATE_RUNS_MAX);
    side->unpriced = 0;
    side->stretch = 0;
    for (size_t i = 0; i < side->count; i++) {
        const struct gate_run *run = &side->runs[i];

        side->values[i] = run->throughput.value;
        side->stretch += compare_stretch(&run->throughput) / (double)side->count;
        side->per_dollar[i] = run->throughput.value * 3600 / run->dollars;
        side->unpriced += !(run->dollars > 0);
        speeds += log(run->throughput.value);
        dollars += run->dollars > 0 ? log(run->dollars) : 0;
    }
    side->value = side->count > 1    ? exp(speeds / (double)side->count)
                  : side->count == 1 ? side->values[0] /* to the last digit */
                                     : NAN;
    side->dollars =
        side->count > 0 && side->unpriced == 0 ? exp(dollars / (double)side->count) : NAN;
}

static struct gate_side speeds_of(const struct gate_check_side *side)
{
    return (struct gate_side){.values = side->values,
                              .count = side->count,
                              .stretch = side->stretch,
                              .only = side->runs[0].throughput};
}

/* Scales the interval of a single run's steps: the price is exact. */
static struct gate_side bargains_of(const struct gate_check_side *side)
{
    const struct gate_run *run = &side->runs[0];
    double factor = 3600 / run->dollars;

    return (struct gate_side){.values = side->per_dollar,
                              .count = side->count,
                              .stretch = side->stretch,
                              .only = {.value = run->throughput.value * factor,
                                       .low = run->throughput.low * factor,
                                       .high = run->throughput.high * factor}};
}

static void look_first(struct gate_check *check)
{
    struct gate_side candidate = speeds_of(&check->candidate);
    struct gate_side baseline = speeds_of(&check->baseline);
    double margin = check->request.margin;

    gate_look(&candidate, &baseline, margin, &check->code.first);
    check->code.known = true;
    check->dollars.known = check->candidate.dollars > 0 && check->baseline.dollars > 0;
    if (!check->dollars.known)
        return;
    candidate = bargains_of(&check->candidate);
    baseline = bargains_of(&check->baseline);
    gate_look(&candidate, &baseline, margin, &check->dollars.first);
}

/* The confirming runs use the prices of the sides, because these are compared. */
static void look_again(const struct gate_check *check, double candidate_factor,
                       const struct gate_side *baseline, double baseline_factor,
                       struct gate_look *ret_look)
{
    const struct confirmation *again = &check->confirmation;
    double candidates[GATE_RUNS_MAX] = {0}, baselines[GATE_RUNS_MAX] = {0};
    const struct gate_side candidate = {
        .values = candidates,
        .count = again->count,
        .stretch = again->candidate_stretch,
        .only = {.value = again->candidate[0] * candidate_factor}};
    const struct gate_side turns = {
        .values = baselines, .count = again->count, .stretch = again->baseline_stretch};

    for (size_t i = 0; i < again->count; i++) {
        candidates[i] = again->candidate[i] * candidate_factor;
        baselines[i] = again->baseline[i] * baseline_factor;
    }
    if (again->kind == CONFIRM_INTERLEAVED)
        gate_look_at_pairs(&candidate, &turns, check->request.margin, ret_look);
    else
        gate_look(&candidate, baseline, check->request.margin, ret_look);
}

static void look_second(struct gate_check *check)
{
    struct gate_side baseline = speeds_of(&check->baseline);

    look_again(check, 1, &baseline, 1, &check->code.second);
    if (!check->dollars.known)
        return;
    baseline = bargains_of(&check->baseline);
    look_again(check, 3600 / check->candidate.dollars, &baseline, 3600 / check->baseline.dollars,
               &check->dollars.second);
}

/* Combines the tracks; without a price the dollars are unknown. */
static enum gate_verdict verdict_combine(const struct gate_check *check, enum gate_verdict code,
                                         enum gate_verdict dollars)
{
    if (!check->request.fails_on_price || code == GATE_FAIL)
        return code;
    if (!check->dollars.known)
        return GATE_CANNOT_TELL;
    if (dollars == GATE_FAIL || code == GATE_CANNOT_TELL)
        return dollars == GATE_FAIL ? GATE_FAIL : GATE_CANNOT_TELL;
    return dollars;
}

static bool is_over(const struct gate_check *check)
{
    return check->confirmation.state == CONFIRM_FINISHED ||
           check->confirmation.state == CONFIRM_CANCELLED;
}

static void judge_track(const struct gate_check *check, struct gate_track *track)
{
    track->verdict = track->first.verdict;
    track->second_decides = is_over(check) && track->first.verdict == GATE_FAIL;
    if (track->verdict != GATE_FAIL || !track->known)
        return;
    if (check->confirmation.state == CONFIRM_RUNNING)
        track->verdict = GATE_CANNOT_TELL;
    else if (is_over(check))
        track->verdict = gate_confirm(&track->first, &track->second);
}

const struct gate_look *gate_track_look(const struct gate_track *track)
{
    return track->second_decides ? &track->second : &track->first;
}

int gate_check_confirmed(const struct gate_check *check)
{
    if (!check->fails_first || check->confirmation.state == CONFIRM_RUNNING)
        return -1;
    return is_over(check) && check->verdict == GATE_FAIL;
}

static void verdict_say(struct gate_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void verdict_say(struct gate_check *check, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(check->words, sizeof check->words, format, arguments);
    va_end(arguments);
}

static void say_cannot_tell(struct gate_check *check, const struct gate_track *track)
{
    if (check->invalid[0])
        verdict_say(check, "Cannot tell: %s.", check->invalid);
    else if (check->confirmation.state == CONFIRM_RUNNING)
        verdict_say(check, "Cannot tell yet: it looks slower, and is being measured again.");
    else if (check->confirmation.state == CONFIRM_CANCELLED)
        verdict_say(check,
                    "Cannot tell: it looked slower, and measuring it again was cancelled.");
    else if (track->second_decides && track->second.verdict == GATE_PASS)
        verdict_say(check, "Cannot tell: it looked slower, but measured again it did not.");
    else if (track->second_decides)
        verdict_say(check, "Cannot tell: it looked slower, and was measured again: %s.",
                    track->second.because);
    else if (check->unmatched.parameter)
        verdict_say(check, "Cannot tell: the baseline %s matches nothing: %s.",
                    check->unmatched.value, check->unmatched.words);
    else if (check->baseline.count == 0)
        verdict_say(check, "Cannot tell: there is no valid run to compare with.");
    else if (check->request.fails_on_price && !check->dollars.known)
        verdict_say(check, "Cannot tell: the price of an hour is not known for all runs.");
    else
        verdict_say(check, "Cannot tell: %s.", track->first.because);
}

/* The sentence for people, about the code, or about dollars if only they fail. */
static void say_verdict(struct gate_check *check)
{
    bool by_dollars = check->request.fails_on_price && check->dollars.known &&
                      check->code.verdict != GATE_FAIL &&
                      check->dollars.verdict == check->verdict && check->verdict != GATE_PASS;
    const struct gate_track *track = by_dollars ? &check->dollars : &check->code;
    const struct ratio *ratio = &gate_track_look(track)->ratio;
    const char *what = by_dollars ? "samples per dollar" : "samples per second";
    double margin = 100 * check->request.margin;

    if (check->verdict == GATE_CANNOT_TELL)
        say_cannot_tell(check, track);
    else if (check->verdict == GATE_PASS)
        verdict_say(
            check,
            "Not slower by more than %.3g %%: %.4g times the %s of the baseline (%.4g to %.4g).",
            margin, ratio->value, what, ratio->low, ratio->high);
    else
        verdict_say(
            check,
            "Slower by more than %.3g %%: %.4g times the %s of the baseline (%.4g to %.4g)%s.",
            margin, ratio->value, what, ratio->low, ratio->high,
            gate_check_confirmed(check) > 0 ? ", and measured again too"
                                            : "; a first look, which confirm=true would check");
}

void gate_check_judge(struct gate_check *check)
{
    check->code = check->dollars = (struct gate_track){.verdict = GATE_CANNOT_TELL};
    check->fails_first = false;
    fill_side(&check->candidate);
    fill_side(&check->baseline);
    look_first(check);
    if (check->invalid[0])
        check->code.first.verdict = check->dollars.first.verdict = GATE_CANNOT_TELL;
    check->fails_first = verdict_combine(check, check->code.first.verdict,
                                         check->dollars.first.verdict) == GATE_FAIL;
    if (is_over(check))
        look_second(check);
    judge_track(check, &check->code);
    judge_track(check, &check->dollars);
    check->verdict = verdict_combine(check, check->code.verdict, check->dollars.verdict);
    /* Only code, or a price where that counts, fails a check. */
    assert(check->verdict != GATE_FAIL || check->code.verdict == GATE_FAIL ||
           (check->request.fails_on_price && check->dollars.verdict == GATE_FAIL));
    say_verdict(check);
}
