/* One run, from its worker's start to its end: follows the events, stores the steps, keeps the
 * limits. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"
#include "server/base/notifications.h"
#include "server/runs/engines.h"

/* What whoever runs the job wants of it. */
enum job_order { JOB_GO_ON, JOB_CANCEL, JOB_STOP, JOB_LEAVE /* the machine is taken back */ };

struct job_parts {
    struct db *db;
    const struct engines *engines;
    struct notifications *notifications;
    long long silence_ns;
    double dollars_per_hour; /* 0 unknown */
    bool stops_for_little;   /* see PACE_LITTLE_MORE */
    bool confine;            /* our own worker, as far as this kernel can */
    int wake;                /* becomes readable when orders() has something new to say */
    enum job_order (*orders)(void *user);
    void *user;
};

enum job_result {
    JOB_FINISHED, /* run->summary, run->ended_by are filled */
    JOB_FAILED,   /* err says why */
    JOB_CANCELLED,
    JOB_STOPPED,
    JOB_LEFT,
};

/* Fills also run->steps, run->stderr_tail and all that the worker has told, however it ends. */
enum job_result job_run(const struct job_parts *parts, struct run *run, struct error *err)
    __attribute__((warn_unused_result));
