/* Tested by tests/server/runs/runner_test.c and tests/attack/test_locked_database.py. */
#include "server/runs/recorder.h"

#include "common/clock.h"
#include "common/haste.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "engine/machine/process_sampler.h"

#define FLUSH_STEPS 1024         /* steps kept in memory before they are stored */
#define FLUSH_NS NS_PER_SECOND   /* and for how long */
#define FLUSH_PATIENCE_MS 100    /* with another process that has locked the database */
#define OBSERVE_NS NS_PER_SECOND /* between two looks at the worker */

void recorder_look(struct recorder *recorder, long long now_ns)
{
    struct observation seen;

    recorder->observed_ns = now_ns;
    process_sampler_read("", recorder->worker, &seen);
    seen.steps = recorder->run->steps + (long long)recorder->pending.count;
    seen.taken_ns = now_ns - recorder->started_ns;
    evidence_observe(&recorder->evidence, &seen);
}

void recorder_start(struct recorder *recorder, pid_t worker, long long now_ns)
{
    recorder->worker = worker;
    recorder->started_ns = recorder->flushed_ns = now_ns;
    recorder_look(recorder, now_ns);
}

static bool recorder_store(struct recorder *recorder, struct error *err)
{
    struct evidence *evidence = &recorder->evidence;
    struct run *run = recorder->run;

    if (!step_rows_append(recorder->db, run->number, run->steps, recorder->pending.items,
                          recorder->pending.count, err))
        return false;
    run->steps += (long long)recorder->pending.count;
    recorder->pending.count = 0;
    if (!evidence_rows_append(recorder->db, run->number, recorder->observations,
                              recorder->readings, evidence, err))
        return false;
    recorder->observations += (long long)evidence->observation_count;
    recorder->readings += (long long)evidence->reading_count;
    evidence->observation_count = evidence->reading_count = 0;
    return true;
}

bool recorder_flush(struct recorder *recorder, long long now_ns, struct error *err)
{
    struct error why = {0};
    bool ok;

    db_set_patience(recorder->db, FLUSH_PATIENCE_MS);
    ok = recorder_store(recorder, &why);
    db_set_patience(recorder->db, DB_PATIENCE_MS);
    recorder->flushed_ns = now_ns;
    recorder->blocked = !ok && why.kind == ERROR_BUSY;
    return ok || error_set(err, why.kind, NULL, "%s", why.message);
}

/* The same, but a locked database is not a failure. */
static bool flush_if_free(struct recorder *recorder, long long now_ns, struct error *err)
{
    struct error why = {0};

    return recorder_flush(recorder, now_ns, &why) || recorder->blocked ||
           error_set(err, why.kind, NULL, "%s", why.message);
}

bool recorder_step(struct recorder *recorder, const struct step *step, long long now_ns,
                   struct error *err)
{
    steps_add(&recorder->pending, *step);
    /* Loading and setting up ended with the first step: the counters up to here do not describe
     * the steps that follow. */
    if (recorder->run->steps + (long long)recorder->pending.count == 1)
        recorder_look(recorder, now_ns);
    /* Behind a lock the next try is recorder_tend()'s, or each step would wait. */
    return recorder->pending.count < FLUSH_STEPS || recorder->blocked ||
           flush_if_free(recorder, now_ns, err);
}

void recorder_add_reading(struct recorder *recorder, const struct canary *canary)
{
    const struct canary_reading reading = {
        recorder->run->steps + (long long)recorder->pending.count, *canary};

    evidence_add_reading(&recorder->evidence, &reading);
}

bool recorder_tend(struct recorder *recorder, long long now_ns, struct error *err)
{
    if (now_ns - recorder->observed_ns >= OBSERVE_NS)
        recorder_look(recorder, now_ns);
    return now_ns - recorder->flushed_ns < haste_pause(FLUSH_NS) ||
           flush_if_free(recorder, now_ns, err);
}

long long recorder_due(const struct recorder *recorder)
{
    long long look_ns = recorder->observed_ns + OBSERVE_NS;
    long long flush_ns = recorder->flushed_ns + haste_pause(FLUSH_NS);

    return look_ns < flush_ns ? look_ns : flush_ns;
}

void recorder_free(struct recorder *recorder)
{
    steps_free(&recorder->pending);
    evidence_free(&recorder->evidence);
}
