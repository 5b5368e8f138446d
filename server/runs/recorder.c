#include "server/runs/recorder.h"

#include "common/clock.h"
#include "db/evidence_rows.h"
#include "db/step_rows.h"
#include "engine/machine/process_sampler.h"

#define FLUSH_STEPS 1024         /* steps kept in memory before they are stored */
#define FLUSH_NS NS_PER_SECOND   /* and for how long */
#define OBSERVE_NS NS_PER_SECOND /* between two looks at the worker */

static bool out_of_memory(struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

bool recorder_look(struct recorder *recorder, long long now_ns, struct error *err)
{
    struct observation seen;

    recorder->observed_ns = now_ns;
    witness_look("", recorder->worker, &seen);
    seen.steps = recorder->run->steps + (long long)recorder->pending.count;
    seen.taken_ns = now_ns - recorder->started_ns;
    return evidence_observe(&recorder->evidence, &seen) || out_of_memory(err);
}

bool recorder_start(struct recorder *recorder, pid_t worker, long long now_ns, struct error *err)
{
    recorder->worker = worker;
    recorder->started_ns = recorder->flushed_ns = now_ns;
    return recorder_look(recorder, now_ns, err);
}

bool recorder_flush(struct recorder *recorder, long long now_ns, struct error *err)
{
    struct evidence *evidence = &recorder->evidence;
    struct run *run = recorder->run;

    if (!step_rows_append(recorder->db, run->number, run->steps, recorder->pending.items,
                          recorder->pending.count, err))
        return false;
    run->steps += (long long)recorder->pending.count;
    recorder->pending.count = 0;
    if (!evidence_rows_append(recorder->db, run->number, recorder->observations, recorder->songs,
                              evidence, err))
        return false;
    recorder->observations += (long long)evidence->observation_count;
    recorder->songs += (long long)evidence->song_count;
    evidence->observation_count = evidence->song_count = 0;
    recorder->flushed_ns = now_ns;
    return true;
}

bool recorder_step(struct recorder *recorder, const struct step *step, long long now_ns,
                   struct error *err)
{
    if (!steps_add(&recorder->pending, *step))
        return out_of_memory(err);
    /* The first step is behind everything that was loaded and built: what that took is no news of
     * those that follow. */
    if (recorder->run->steps + (long long)recorder->pending.count == 1 &&
        !recorder_look(recorder, now_ns, err))
        return false;
    return recorder->pending.count < FLUSH_STEPS || recorder_flush(recorder, now_ns, err);
}

bool recorder_sing(struct recorder *recorder, const struct canary *canary, struct error *err)
{
    const struct song song = {recorder->run->steps + (long long)recorder->pending.count, *canary};

    return evidence_sing(&recorder->evidence, &song) || out_of_memory(err);
}

bool recorder_tend(struct recorder *recorder, long long now_ns, struct error *err)
{
    if (now_ns - recorder->observed_ns >= OBSERVE_NS && !recorder_look(recorder, now_ns, err))
        return false;
    return now_ns - recorder->flushed_ns < FLUSH_NS || recorder_flush(recorder, now_ns, err);
}

long long recorder_due(const struct recorder *recorder)
{
    long long look_ns = recorder->observed_ns + OBSERVE_NS;
    long long flush_ns = recorder->flushed_ns + FLUSH_NS;

    return look_ns < flush_ns ? look_ns : flush_ns;
}

void recorder_free(struct recorder *recorder)
{
    steps_free(&recorder->pending);
    evidence_free(&recorder->evidence);
}
