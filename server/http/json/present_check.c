/* Tested by tests/server/http/json/present_check_test.c. */
#include "server/http/json/present_check.h"

#include "answers/gate/judge.h"
#include "server/http/json/page.h"

#include <math.h>

static const struct members gate_verdict_members = {.name = "GateVerdict",
                                                    .meaning =
                                                        "`cannot_tell` is never a failure.",
                                                    .words = gate_verdict_names};

MEMBER_KNOWN(look_is_known, struct gate_look, look, isfinite(look->ratio.value))

static void write_bound(struct json_writer *out, const struct member *row, const void *object)
{
    const struct gate_look *look = object;

    jsonw_number(out, row->name, look->ratio.known ? MEMBER_VALUE(double, row, object) : NAN);
}

static const struct member check_ratio_rows[] = {
    {MEMBER_AS(struct gate_look, "value", ratio.value), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct gate_look, "low", ratio.low), .nullable = true, .write = write_bound},
    {MEMBER_AS(struct gate_look, "high", ratio.high), .nullable = true, .write = write_bound},
    {MEMBER(struct gate_look, level), .words = gate_level_names},
    {0},
};
static const struct members check_ratio_members = {
    .name = "GateRatio",
    .meaning = "Candidate divided by baseline. `level` says what the interval is based on: the "
               "steps of one run each, which says nothing about the next run; the spread of "
               "runs; or pairs measured side by side. null means not known.",
    .rows = check_ratio_rows,
    .is_known = look_is_known};

MEMBER_KNOWN(check_ratio_is_known, struct ratio, ratio, ratio->known)

static const struct member check_interval_rows[] = {
    {MEMBER(struct ratio, low)},
    {MEMBER(struct ratio, high)},
    {0},
};
static const struct members check_interval_members = {.rows = check_interval_rows,
                                                      .is_known = check_ratio_is_known};

MEMBER_FINDS(find_interval, struct gate_track, track, &gate_track_look(track)->ratio)

MEMBER_WRITES(write_value, number, struct gate_track, track, gate_track_look(track)->ratio.value)

/* Without a price, dollars are unknown. */
MEMBER_KNOWN(track_is_known, struct gate_track, track, track->known)

static const struct member check_part_rows[] = {
    {MEMBER_WRITTEN("ratio", MEMBER_NUMBER, write_value), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER_FOUND("interval", &check_interval_members, find_interval), .nullable = true},
    {MEMBER(struct gate_track, verdict), .members = &gate_verdict_members},
    {0},
};
static const struct members check_part_members = {
    .name = "GatePart", .rows = check_part_rows, .is_known = track_is_known};

static void write_because(struct json_writer *out, const struct member *row, const void *object)
{
    const struct gate_run *run = object;
    char because[TOKEN_NAME_SIZE + 64];

    snprintf(because, sizeof because, "sent by %s, " GATE_NOT_TRUSTED, run->sender);
    jsonw_text(out, row->name, because);
}

static const struct member left_out_rows[] = {
    {MEMBER_AS(struct gate_run, "run", id.text), .reference = "RunId"},
    {MEMBER(struct gate_run, sender), .filled = true, .meaning = "The name of a token."},
    {MEMBER_WRITTEN("because", MEMBER_TEXT, write_because), .filled = true,
     .meaning = "Why, for people."},
    {0},
};
static const struct members left_out_members = {.name = "LeftOutRun", .rows = left_out_rows};

static const char *const lost_ways[] = {"failed",    "cancelled", "interrupted",
                                        "preempted", "invalid",   NULL};

static const struct member lost_rows[] = {
    {MEMBER_AS(struct gate_lost_run, "run", id.text), .reference = "RunId"},
    {MEMBER(struct gate_lost_run, how), .words = lost_ways,
     .meaning = "Its state, or `invalid` of one that has finished."},
    {MEMBER(struct gate_lost_run, because), .nullable = true, .filled = true,
     .meaning = "Why, for people; null where nothing is known."},
    {0},
};
static const struct members lost_members = {.name = "LostRun", .rows = lost_rows};

static void write_check_runs(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct gate_check_side *side = object;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < side->count; i++)
        jsonw_text(out, NULL, side->runs[i].id.text);
    jsonw_close(out, ']');
}

MEMBER_LISTS(write_left_out, struct gate_check_side, side, side->left_out, side->left_out_count)

MEMBER_LISTS(write_check_lost, struct gate_check_side, side, side->lost, side->lost_count)

static const struct member side_rows[] = {
    {MEMBER_WRITTEN("runs", MEMBER_LIST, write_check_runs), .reference = "RunId",
     .most = GATE_RUNS_MAX, .meaning = "Newest first."},
    {MEMBER(struct gate_check_side, value), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "Geometric mean of samples per second; null without runs."},
    {MEMBER_AS(struct gate_check_side, "n", count), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_LIST_OF("left_out", &left_out_members), .write = write_left_out,
     .most = GATE_RUNS_MAX,
     .meaning = "Runs that do not count because of their sender, newest first, at most 200."},
    {MEMBER_LIST_OF("lost", &lost_members), .write = write_check_lost, .most = GATE_LOST_MAX,
     .meaning =
         "Repeats, runs of the same spec with the same labels, that failed or are not valid, "
         "with the reason; newest first, at most 20. Of a baseline only where it is a run."},
    {0},
};
static const struct members side_members = {.rows = side_rows};

static void write_baseline_words(struct json_writer *out, const struct member *row,
                                 const void *object)
{
    const struct gate_check *check = object;
    char words[BASELINE_TEXT_SIZE];

    gate_baseline_text(&check->request, words);
    jsonw_text(out, row->name, words);
}

static const struct member baseline_rows[] = {
    {MEMBER_AS(struct gate_check, "kind", request.kind), .words = baseline_kind_names},
    {MEMBER_WRITTEN("words", MEMBER_TEXT, write_baseline_words), .filled = true},
    {MEMBER_ROWS(&side_members), .offset = offsetof(struct gate_check, baseline)},
    {0},
};
static const struct members baseline_members = {.rows = baseline_rows};

static void price_words(const struct gate_check *check, size_t size, char ret_words[])
{
    const struct gate_check_side *candidate = &check->candidate, *baseline = &check->baseline;
    double ratio = candidate->dollars / baseline->dollars;

    if (candidate->unpriced + baseline->unpriced > 0)
        snprintf(ret_words, size, "the price of an hour is unknown for %zu of %zu runs",
                 candidate->unpriced + baseline->unpriced, candidate->count + baseline->count);
    else if (!isfinite(ratio))
        snprintf(ret_words, size, "there are no runs to compare");
    else if (fabs(ratio - 1) < 1e-9)
        snprintf(ret_words, size, "an hour costs the same on both sides");
    else
        snprintf(ret_words, size, "an hour of the candidate costs %.4g times the baseline's",
                 ratio);
}

static void write_price_words(struct json_writer *out, const struct member *row,
                              const void *object)
{
    char words[128];

    price_words(object, sizeof words, words);
    jsonw_text(out, row->name, words);
}

MEMBER_WRITES(write_price_ratio, number, struct gate_check, check,
              check->candidate.dollars / check->baseline.dollars)

static const struct member price_rows[] = {
    {MEMBER_WRITTEN("ratio", MEMBER_NUMBER, write_price_ratio), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct gate_check, "candidate_per_hour", candidate.dollars), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct gate_check, "baseline_per_hour", baseline.dollars), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("words", MEMBER_TEXT, write_price_words), .filled = true},
    {0},
};
static const struct members price_members = {.rows = price_rows};

MEMBER_WRITES(write_kind_words, text, struct gate_check, check,
              confirmation_kind_words[check->confirmation.kind])

MEMBER_FINDS(find_second, struct gate_check, check,
             check->confirmation.state == CONFIRM_RUNNING ? NULL : &check->code.second)

MEMBER_KNOWN(check_is_confirmed, struct gate_check, check,
             check->confirmation.state != CONFIRM_NONE)

static const struct member confirmation_rows[] = {
    {MEMBER_AS(struct gate_check, "kind", confirmation.kind), .words = confirmation_kind_names},
    {MEMBER_AS(struct gate_check, "sweep", confirmation.sweep.text), .reference = "RunId"},
    {MEMBER_AS(struct gate_check, "state", confirmation.state),
     .words = confirmation_state_names + CONFIRM_RUNNING, .first = CONFIRM_RUNNING},
    {MEMBER_WRITTEN("words", MEMBER_TEXT, write_kind_words), .filled = true},
    {MEMBER_AS(struct gate_check, "n", confirmation.count), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Number of valid pairs, or runs."},
    {MEMBER_OBJECT_AT(struct gate_check, "first", code.first), .members = &check_ratio_members,
     .nullable = true},
    {MEMBER_FOUND("second", &check_ratio_members, find_second), .nullable = true},
    {0},
};
static const struct members confirmation_members = {.rows = confirmation_rows,
                                                    .is_known = check_is_confirmed};

static void write_confirmed(struct json_writer *out, const struct member *row, const void *object)
{
    int confirmed = gate_check_confirmed(object);

    if (confirmed < 0)
        jsonw_null(out, row->name);
    else
        jsonw_bool(out, row->name, confirmed > 0);
}

MEMBER_FINDS(find_look, struct gate_check, check, gate_track_look(&check->code))

MEMBER_WRITES(write_check_margin, number, struct gate_check, check, check->request.margin * 100)

MEMBER_WRITES(write_check_detectable, number, struct gate_check, check,
              gate_track_look(&check->code)->detectable * 100)

static const char *const failing_parts[] = {"code", "code_and_price", NULL};

MEMBER_WRITES(write_fails_on, text, struct gate_check, check,
              failing_parts[check->request.fails_on_price])

static void write_differs(struct json_writer *out, const struct member *row, const void *object)
{
    const struct gate_check *check = object;

    jsonw_open(out, row->name, '[');
    for (const char *const *name = check->differs; *name; name++)
        jsonw_text(out, NULL, *name);
    jsonw_close(out, ']');
}

MEMBER_LISTS(write_check_unmatched, struct gate_check, it, &it->unmatched,
             it->unmatched.parameter != NULL)

static const struct member check_rows[] = {
    {MEMBER_AS(struct gate_check, "run", run.text), .reference = "RunId"},
    {MEMBER(struct gate_check, verdict), .members = &gate_verdict_members},
    {MEMBER_WRITTEN("confirmed", MEMBER_BOOL, write_confirmed), .nullable = true,
     .meaning = "Whether a second look has failed too. null where the first look did not fail, "
                "or while it is measured again."},
    {MEMBER(struct gate_check, words), .filled = true, .meaning = "One sentence for people."},
    {MEMBER_FOUND("ratio", &check_ratio_members, find_look), .nullable = true,
     .meaning = "Ratio of samples per second, in the look that decides."},
    {MEMBER_WRITTEN("margin_percent", MEMBER_NUMBER, write_check_margin),
     .range = MEMBER_NOT_NEGATIVE, .schema = "{\"maximum\": " LIMIT_TEXT(PERCENT_MAX) "}"},
    {MEMBER_WRITTEN("smallest_detectable_percent", MEMBER_NUMBER, write_check_detectable),
     .nullable = true, .range = MEMBER_NOT_NEGATIVE,
     .meaning =
         "The smallest slowdown that would mostly have been found; null where none could be."},
    {MEMBER_WRITTEN("fails_on", MEMBER_TEXT, write_fails_on), .words = failing_parts},
    {MEMBER_WRITTEN("differs", MEMBER_LIST, write_differs), .schema = "{\"type\": \"string\"}",
     .meaning = "Fields in which the spec of a baseline run differs."},
    {MEMBER_OBJECT_AT(struct gate_check, "candidate", candidate), .members = &side_members},
    {MEMBER_GROUP("baseline", &baseline_members)},
    {MEMBER_LIST_OF("unmatched", &unmatched_members), .write = write_check_unmatched, .most = 1,
     .meaning = "The baseline, if no run has its label."},
    {MEMBER_OBJECT_AT(struct gate_check, "code", code), .members = &check_part_members,
     .meaning = "Ratio of samples per second."},
    {MEMBER_GROUP("price", &price_members),
     .meaning = "Dollars per hour when the runs began; null unless known for all of them."},
    {MEMBER_OBJECT_AT(struct gate_check, "samples_per_dollar", dollars),
     .members = &check_part_members, .nullable = true,
     .meaning = "Ratio of samples per dollar; null where a price is not known."},
    {MEMBER_GROUP("confirmation", &confirmation_members), .nullable = true,
     .meaning = "The second measurement; null unless requested and needed."},
    {0},
};
const struct members check_members = {.name = "Check", .rows = check_rows};
