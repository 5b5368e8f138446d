/* Tested by tests/api/test_check.py. */
#include "answers/gate/load.h"

#include "answers/compare/unmatched_lists.h"
#include "answers/gate/confirmation.h"
#include "answers/gate/judge.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "db/runs/runs.h"
#include "db/runs/trust.h"

void gate_check_freep(struct gate_check **check)
{
    if (!*check)
        return;
    gate_subject_clear(&(*check)->candidate_subject);
    gate_subject_clear(&(*check)->baseline_subject);
    freep(check);
}

/* Why a run is not ranked: the words of its worst finding. */
static void explain_invalid(const struct run *run, const char *which, char *ret_words)
{
    AUTO(freep) char *words = findings_words(run->findings, VALIDITY_INVALID, 1);

    snprintf(ret_words, CHECK_WORDS_SIZE, "%s %s%s%s", which,
             run->validity == VALIDITY_UNKNOWN ? "was never judged" : "is not valid",
             *words ? ": " : "", words);
}

static bool is_valid(const struct run *run)
{
    return run->validity == VALIDITY_OK || run->validity == VALIDITY_WARN;
}

/* Runs of untrusted senders are excluded, as the run and as its baseline. */
static bool look_at_sender(struct db *db, const struct run *run, const char *which,
                           char *ret_words, struct error *err)
{
    bool trusted;

    if (!trust_has(db, run->sender, &trusted, err))
        return false;
    if (!trusted && !ret_words[0])
        snprintf(ret_words, CHECK_WORDS_SIZE, "%s was sent by %s, " GATE_NOT_TRUSTED, which,
                 run->sender);
    return true;
}

static bool load_repeats(struct db *db, const struct gate_subject *subject,
                         struct gate_check_side *side, struct error *err)
{
    return gate_runs_repeats(db, subject, GATE_TRUSTED, side->runs, &side->count, err) &&
           gate_runs_repeats(db, subject, GATE_LEFT_OUT, side->left_out, &side->left_out_count,
                             err) &&
           gate_runs_lost(db, subject, side->lost, &side->lost_count, err);
}

/* A finished run and its contender. */
static bool load_subject(struct db *db, const struct run_id *id, struct run *run,
                         struct gate_subject *subject, struct run_id *ret_waits_for,
                         struct error *err)
{
    if (!runs_find(db, id->text, run, err))
        return false;
    if (run->voided.at_us > 0)
        return error_set(err, ERROR_CONFLICT, NULL, "the run %s was voided: %.180s", id->text,
                         run->voided.reason);
    if (run->state == RUN_FINISHED)
        return gate_subject_find(db, run->number, subject, err);
    if (!run_state_is_final(run->state))
        *ret_waits_for = *id;
    return error_set(err, ERROR_CONFLICT, NULL,
                     "the run %s is %s%s%.140s: only a finished one can be checked", id->text,
                     run_state_name(run->state), run->reason[0] ? ", " : "", run->reason);
}

/* The fields in which the two sides differ; names of run_spec_fields. */
static void find_differences(struct gate_check *check)
{
    const struct gate_subject *a = &check->candidate_subject, *b = &check->baseline_subject;
    size_t count = 0;

    if (strcmp(a->engine, b->engine) != 0)
        check->differs[count++] = "engine";
    configuration_differences(&a->setup, &b->setup, check->differs + count);
}

static bool are_comparable(const struct gate_subject *a, const struct gate_subject *b,
                           struct error *err)
{
    if (strcmp(a->workload, b->workload) != 0)
        return error_set(err, ERROR_UNABLE, "baseline",
                         "trained %s, not %s: only runs of one workload can be compared",
                         b->workload, a->workload);
    if (strcmp(a->stratum, b->stratum) != 0 || strcmp(a->instance, b->instance) != 0 ||
        strcmp(a->provider, b->provider) != 0)
        return error_set(err, ERROR_UNABLE, "baseline",
                         "was measured on another machine: only runs of one instance type and "
                         "hardware can be compared");
    return true;
}

/* If the two sides differ only in the run's id, each has just that run. */
static void keep_only(struct gate_check_side *side, long long number)
{
    size_t kept = 0;

    for (size_t i = 0; i < side->count; i++)
        if (side->runs[i].number == number)
            side->runs[kept++] = side->runs[i];
    side->count = kept;
}

static bool have_same_labels(const struct run_spec *a, const struct run_spec *b)
{
    bool same = a->label_count == b->label_count;

    for (int i = 0; same && i < a->label_count; i++)
        same = strcmp(a->labels[i].key, b->labels[i].key) == 0 &&
               strcmp(a->labels[i].value, b->labels[i].value) == 0;
    return same;
}

static bool load_baseline_run(struct db *db, struct gate_check *check,
                              struct run_id *ret_waits_for, struct error *err)
{
    const struct gate_subject *mine = &check->candidate_subject;
    struct gate_subject *theirs = &check->baseline_subject;
    AUTO(run_clear) struct run run = {0};

    if (strcmp(check->request.run.text, check->run.text) == 0)
        return error_set(err, ERROR_INVALID, "baseline", "is the run itself");
    if (!load_subject(db, &check->request.run, &run, theirs, ret_waits_for, err) ||
        !are_comparable(mine, theirs, err) || !load_repeats(db, theirs, &check->baseline, err) ||
        !look_at_sender(db, &run, "the run it is compared with", check->invalid, err))
        return false;
    find_differences(check);
    if (mine->contender == theirs->contender && have_same_labels(&check->spec, &run.spec)) {
        keep_only(&check->candidate, mine->number);
        keep_only(&check->baseline, theirs->number);
    }
    if (!is_valid(&run) && !check->invalid[0])
        explain_invalid(&run, "the run it is compared with", check->invalid);
    return true;
}

/* A label without runs is mostly a typo, or a branch that was not measured yet. */
static bool look_for_label(struct db *db, struct gate_check *check, struct error *err)
{
    const struct gate_request *request = &check->request;
    const struct run_filter filter = {.labels = {{.key = request->key, .value = request->value}},
                                      .label_count = 1};
    AUTO(freep) struct unmatched_list *list = xcalloc(1, sizeof *list);

    if (!unmatched_runs(db, &filter, list, err))
        return false;
    if (list->count > 0) {
        check->unmatched = list->list[0];
        check->unmatched.parameter = "baseline";
    }
    return true;
}

static bool load_baseline(struct db *db, struct gate_check *check, struct run_id *ret_waits_for,
                          struct error *err)
{
    const struct gate_request *request = &check->request;
    struct gate_others wanted = {.subject = &check->candidate_subject,
                                 .key = request->kind == BASELINE_LABEL ? request->key : NULL,
                                 .value = request->value,
                                 .limit = request->window};
    struct gate_check_side *side = &check->baseline;

    if (request->kind == BASELINE_RUN)
        return load_baseline_run(db, check, ret_waits_for, err);
    if (!gate_runs_others(db, &wanted, side->runs, &side->count, err))
        return false;
    wanted.whose = GATE_LEFT_OUT;
    if (!gate_runs_others(db, &wanted, side->left_out, &side->left_out_count, err))
        return false;
    return request->kind != BASELINE_LABEL || side->count + side->left_out_count > 0 ||
           look_for_label(db, check, err);
}

static bool load_both_sides(struct db *db, struct gate_check *check, struct run_id *ret_waits_for,
                            struct error *err)
{
    struct gate_subject *subject = &check->candidate_subject;
    AUTO(run_clear) struct run run = {0};

    if (!load_subject(db, &check->run, &run, subject, ret_waits_for, err) ||
        !load_repeats(db, subject, &check->candidate, err) ||
        !look_at_sender(db, &run, "the run", check->invalid, err))
        return false;
    check->spec = run.spec;
    if (!is_valid(&run))
        explain_invalid(&run, "the run", check->invalid);
    if (!check->invalid[0] && !subject->stratum[0])
        snprintf(check->invalid, sizeof check->invalid,
                 "it is not known on which hardware the run was measured");
    if (!load_baseline(db, check, ret_waits_for, err))
        return false;
    gate_check_judge(check);
    return !check->request.confirm || !check->fails_first ||
           gate_load_confirmation(db, check, err);
}

struct gate_check *gate_check_load(struct db *db, const struct run_id *id,
                                   const struct gate_request *request,
                                   struct run_id *ret_waits_for, struct error *err)
{
    AUTO(gate_check_freep) struct gate_check *check = xcalloc(1, sizeof *check);

    ret_waits_for->text[0] = '\0';
    check->request = *request;
    check->run = *id;
    return load_both_sides(db, check, ret_waits_for, err) ? take(&check) : NULL;
}
