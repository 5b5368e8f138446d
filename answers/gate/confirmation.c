/* Tested by tests/api/test_check.py. */
#include "answers/gate/confirmation.h"

#include "answers/gate/judge.h"
#include "common/cleanup.h"
#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"

#include <assert.h>

void gate_confirmation_key(const struct gate_check *check, char ret_key[CONFIRM_KEY_SIZE])
{
    char baseline[BASELINE_TEXT_SIZE];

    gate_baseline_text(&check->request, baseline);
    snprintf(ret_key, CONFIRM_KEY_SIZE, GATE_SWEEP_KEY "%s: %s", check->run.text, baseline);
}

/* The valid run of a cell in a block: the latest, because interrupted runs are repeated. */
static const struct measure *find_run(const struct sweep_row_run *runs, size_t count, size_t cell,
                                      long long block)
{
    for (size_t i = count; i-- > 0;) {
        const struct sweep_run *run = &runs[i].run;

        if (run->cell == cell && run->block == block && run->state == RUN_FINISHED &&
            !run->is_void && (run->validity == VALIDITY_OK || run->validity == VALIDITY_WARN))
            return &run->throughput;
    }
    return NULL;
}

/* Blocks in which all runs are valid. */
static void confirmation_collect(struct confirmation *again, const struct sweep_row_run *runs,
                                 size_t count)
{
    long long blocks =
        again->kind == CONFIRM_INTERLEAVED ? CONFIRM_BLOCKS_INTERLEAVED : CONFIRM_BLOCKS_RERUN;

    again->count = 0;
    again->candidate_stretch = again->baseline_stretch = 0;
    for (long long block = 0; block < blocks; block++) {
        static const struct measure none = {1, 0, 0};
        const struct measure *candidate = find_run(runs, count, 0, block);
        const struct measure *baseline =
            again->kind == CONFIRM_RERUN ? &none : find_run(runs, count, 1, block);

        if (!candidate || !baseline || !(candidate->value > 0) || !(baseline->value > 0))
            continue;
        assert(again->count < COUNT(again->candidate));
        again->candidate[again->count] = candidate->value;
        again->baseline[again->count++] = baseline->value;
        again->candidate_stretch += compare_stretch(candidate);
        again->baseline_stretch += compare_stretch(baseline);
    }
    if (again->count > 0) {
        again->candidate_stretch /= (double)again->count;
        again->baseline_stretch /= (double)again->count;
    }
}

bool gate_load_confirmation(struct db *db, struct gate_check *check, struct error *err)
{
    static const enum confirmation_state states[] = {[SWEEP_RUNNING] = CONFIRM_RUNNING,
                                                     [SWEEP_FINISHED] = CONFIRM_FINISHED,
                                                     [SWEEP_CANCELLED] = CONFIRM_CANCELLED};
    struct confirmation *again = &check->confirmation;
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    AUTO(freep) struct sweep_row_run *runs = NULL;
    char key[CONFIRM_KEY_SIZE];
    size_t count = 0;
    bool found;

    gate_confirmation_key(check, key);
    again->kind = check->differs[0] ? CONFIRM_INTERLEAVED : CONFIRM_RERUN;
    if (!gate_sweep_find(db, key, &again->sweep, &found, err))
        return false;
    if (!found)
        return true;
    if (!sweeps_find(db, again->sweep.text, &row, err) ||
        !sweeps_runs(db, row.number, &runs, &count, err))
        return false;
    again->state = states[row.state];
    confirmation_collect(again, runs, count);
    gate_check_judge(check);
    return true;
}
