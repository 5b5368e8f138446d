/* Work that takes long, on threads of its own: the threads that answer requests are few. A job is
 * a function and its state, and the end of a job is published as its topic
 * (server/base/notifications.h). Each kind of job has a queue of its own, with a limit, and each
 * thread takes the kinds of its row in turn: no kind waits behind a crowd of another. Within a
 * kind, a job goes before the next one of the client that was served last. Thread-safe. */
#pragma once

#include "server/base/client_address.h"
#include "server/base/notifications.h"

#include <stdatomic.h>
#include <stdbool.h>

enum job_kind { JOB_IMPORT, JOB_LARGE_IMPORT, JOB_EXPORT, JOB_RECOMPUTE, JOB_LIST };
#define JOB_KINDS 5

#define IMPORT_JOBS_MAX 64 /* that wait or are at work, of each kind of import */
#define ANSWER_JOBS_MAX 64 /* the same of each kind of answer */
#define ANSWER_JOBS_OF_CLIENT_MAX 32
#define LONG_JOB_THREADS 4 /* each uses one connection of the pool */

enum job_state { JOB_WAITS, JOB_WORKS, JOB_ENDED };

/* Embedded in what its function works on. The caller sets the first fields. */
struct long_job {
    /* Once *stop is true the server stops: return soon. */
    void (*work)(void *user, const atomic_bool *stop);
    void *user;
    enum job_kind kind;
    bool goes_on; /* of an answer that has begun: not refused for being one too many */
    struct client_address client;

    struct topic topic; /* set by long_jobs_put() */

    enum job_state state; /* these two belong to the jobs */
    struct long_job *next;
};

struct long_jobs;

/* Starts the threads. `notifications` is borrowed. */
MUST_USE struct long_jobs *long_jobs_start(struct notifications *notifications,
                                           struct error *err);

/* Queues a job, which the caller keeps until it has ended. ERROR_BUSY when too many of its kind
 * are there already, or the server stops. */
MUST_USE bool long_jobs_put(struct long_jobs *jobs, struct long_job *job, struct error *err);

bool long_jobs_has_ended(struct long_jobs *jobs, const struct long_job *job);

/* Waits until it has ended. */
void long_jobs_finish(struct long_jobs *jobs, const struct long_job *job);

/* Takes a job that waits out of its queue; waits for the end of one that is at work. */
void long_jobs_cancel(struct long_jobs *jobs, struct long_job *job);

/* How many of a kind wait or are at work. */
int long_jobs_count(struct long_jobs *jobs, enum job_kind kind);

/* "exports", for metrics. */
const char *job_kind_name(enum job_kind kind);

/* Ends every job: with `*stop` true, also those that wait are called. NULL is fine, and so is a
 * second call. */
void long_jobs_stop(struct long_jobs *jobs);

/* After long_jobs_stop(). NULL is fine. */
void long_jobs_free(struct long_jobs *jobs);
