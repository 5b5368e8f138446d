/* Runs long work on threads of its own, because request threads are few. A job is a function and
 * its state; its end is published as its topic (server/base/notifications.h). Each kind of job
 * has a queue with a limit, and each thread takes its kinds in turn, so one kind does not block
 * another. Within a kind, the client that was served last waits for the others. Thread-safe. */
#pragma once

#include "server/base/client_address.h"
#include "server/base/notifications.h"

#include <stdatomic.h>
#include <stdbool.h>

enum job_kind { JOB_IMPORT, JOB_LARGE_IMPORT, JOB_EXPORT, JOB_RECOMPUTE, JOB_LIST };
#define JOB_KINDS 5

#define IMPORT_JOBS_MAX 64 /* waiting or running, of each kind of import */
#define ANSWER_JOBS_MAX 64 /* the same, of each kind of answer */
#define ANSWER_JOBS_OF_CLIENT_MAX 32
#define LONG_JOB_THREADS 4 /* each uses one connection of the pool */

enum job_state { JOB_WAITS, JOB_WORKS, JOB_ENDED };

/* Embedded in the state of its function. The caller sets the first fields. */
struct long_job {
    /* Must return soon once *stop is true: the server stops. */
    void (*work)(void *user, const atomic_bool *stop);
    void *user;
    enum job_kind kind;
    bool goes_on; /* continues an answer: exempt from the queue limit */
    struct client_address client;

    struct topic topic; /* set by long_jobs_put() */

    enum job_state state; /* these two belong to the jobs */
    struct long_job *next;
};

struct long_jobs;

/* Starts the threads. `notifications` is borrowed. */
MUST_USE struct long_jobs *long_jobs_start(struct notifications *notifications,
                                           struct error *err);

/* Queues a job, which must stay valid until it has ended. ERROR_BUSY if the queue of its kind is
 * full or the server stops. */
MUST_USE bool long_jobs_put(struct long_jobs *jobs, struct long_job *job, struct error *err);

bool long_jobs_has_ended(struct long_jobs *jobs, const struct long_job *job);

/* Waits until it has ended. */
void long_jobs_finish(struct long_jobs *jobs, const struct long_job *job);

/* Removes a waiting job from its queue; waits for the end of a running one. */
void long_jobs_cancel(struct long_jobs *jobs, struct long_job *job);

/* Number of jobs of a kind, waiting or running. */
int long_jobs_count(struct long_jobs *jobs, enum job_kind kind);

/* "exports", for metrics. */
const char *job_kind_name(enum job_kind kind);

/* Ends every job; waiting jobs are called, too, with `*stop` true. Accepts NULL and a second
 * call. */
void long_jobs_stop(struct long_jobs *jobs);

/* After long_jobs_stop(). NULL is fine. */
void long_jobs_free(struct long_jobs *jobs);
