/* Tested by tests/api/test_check.py. */
#include "server/runs/confirm.h"

#include "answers/gate/confirmation.h"
#include "answers/gate/judge.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/json_text.h"
#include "db/runs/sweeps.h"
#include "engine/spec/run_spec_text.h"

/* The run's spec, with its labels replaced by one that names the check: the confirming runs must
 * not match the baseline's or candidate's label. */
static json_t *base_of(const struct gate_check *check)
{
    json_t *base = run_spec_to_json(&check->spec);

    json_object_set_new(base, "labels", json_pack("{s:s}", "check", check->run.text));
    return base;
}

/* The fields in which the baseline differs. */
static json_t *change_of(const struct gate_check *check)
{
    const struct gate_subject *theirs = &check->baseline_subject;
    json_t *change = json_object();

    for (const char *const *name = check->differs; *name; name++) {
        json_t *value = strcmp(*name, "engine") == 0
                            ? json_string(theirs->engine)
                            : configuration_member(&theirs->setup, *name);

        json_object_set_new(change, *name, value);
    }
    return change;
}

/* A sweep's request: one cell as the candidate, one as the baseline. */
static char *request_of(const struct gate_check *check)
{
    bool interleaved = check->confirmation.kind == CONFIRM_INTERLEAVED;
    AUTO(json_decrefp) json_t *base = base_of(check);
    AUTO(json_decrefp) json_t *change = interleaved ? change_of(check) : json_object();
    AUTO(json_decrefp) json_t *request = NULL;

    request = interleaved ? json_pack("{s:O,s:[{},O],s:i}", "base", base, "cells", change,
                                      "blocks", CONFIRM_BLOCKS_INTERLEAVED)
                          : json_pack("{s:O,s:[{}],s:i}", "base", base, "cells", "blocks",
                                      CONFIRM_BLOCKS_RERUN);
    return json_text(request);
}

/* A sweep's request, and the key that finds it again. */
struct wish {
    const char *text, *key;
};

static bool confirm_queue(struct db *db, struct this_machine *here, const struct wish *wish,
                          struct gate_queueing *queueing, struct run_id *ret_id,
                          struct error *err)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct place place = this_machine_place(here, db);
    struct identity identity;

    this_machine_identity(here, &identity);
    if (!sweep_from_text(wish->text, strlen(wish->text), &place, &sweep, err))
        return false;
    for (size_t i = 0; i < sweep.count; i++)
        if (sweep.cells[i].refused[0])
            return error_set(err, ERROR_UNABLE, "confirm", "the %s cannot be run here: %.180s",
                             i > 0 ? "baseline" : "run", sweep.cells[i].refused);
    if (!queueing->may(queueing->user, sweep.blocks * (long long)sweep.count))
        return false;
    return sweeps_create(db,
                         &(struct sweep_order){.sweep = &sweep,
                                               .blocks = sweep.blocks,
                                               .request = wish->text,
                                               .idempotency_key = wish->key,
                                               .instance = identity.instance_type,
                                               .now_us = clock_calendar_us(),
                                               .queue_limit = queueing->queue_limit},
                         ret_id, &queueing->was_there, err);
}

bool gate_queue_confirmation(struct db *db, struct this_machine *here, struct gate_check *check,
                             struct gate_queueing *queueing, struct error *err)
{
    AUTO(freep) char *text = NULL;
    struct error cause = {0};
    char key[CONFIRM_KEY_SIZE];

    if (strcmp(check->candidate_subject.stratum, here->machine.stratum) != 0)
        return error_set(err, ERROR_UNABLE, "confirm",
                         "the run was measured on another machine than this: nothing measured "
                         "here could confirm it");
    text = request_of(check);
    gate_confirmation_key(check, key);
    if (!confirm_queue(db, here, &(struct wish){text, key}, queueing, &check->confirmation.sweep,
                       &cause))
        /* A stored spec that is no longer valid is not the client's fault. */
        return cause.kind == ERROR_INVALID
                   ? error_set(err, ERROR_UNABLE, "confirm", "it cannot be run here: %.150s",
                               cause.message)
                   : error_set(err, cause.kind, cause.field[0] ? cause.field : NULL, "%s",
                               cause.message);
    check->confirmation.state = CONFIRM_RUNNING;
    gate_check_judge(check);
    return true;
}
