/* Inputs of a job, and its result. */
#pragma once

#include "db/db.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"
#include "server/runs/engines.h"

#include <stdint.h>
#include <unistd.h>

/* Why a job has to end before its work is done. */
enum stop_reason {
    STOP_NONE,
    STOP_CANCELLED, /* by a person */
    STOP_PREEMPTED, /* the cloud takes the machine back */
    STOP_SHUTDOWN   /* of the server */
};

struct job_parts {
    struct db *db;
    const struct engines *engines;
    struct this_machine *this_machine;
    struct notifications *notifications;
    long long silence_ns;
    double dollars_per_hour; /* 0 unknown */
    bool stops_for_little;   /* see PACE_LITTLE_MORE */
    bool confine;            /* our own worker, as far as the kernel supports it */
    int wake;                /* becomes readable when stop_reason() has changed */
    enum stop_reason (*stop_reason)(void *user);
    void *user;
};

/* Resets `wake` and asks the owner whether the job has to end. */
static inline enum stop_reason job_stop_reason(const struct job_parts *parts)
{
    uint64_t rings;

    (void)!read(parts->wake, &rings, sizeof rings);
    return parts->stop_reason(parts->user);
}

enum job_result {
    JOB_FINISHED, /* run->summary, run->ended_by are filled */
    JOB_FAILED,   /* err says why */
    JOB_STOPPED   /* *ret_stopped_by says why */
};
