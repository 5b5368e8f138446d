/* Imports on threads of their own: an upload of 16 MiB takes seconds, and the threads that answer
 * requests are few. One thread takes small bodies only, so that these do not wait for large ones.
 * The end of a job is published as its topic (server/base/notifications.h). */
#pragma once

#include "server/base/notifications.h"
#include "server/imports/import.h"

#include <stdbool.h>

#define IMPORT_JOBS_MAX 64 /* that wait or are at work */
#define IMPORT_THREADS 2   /* each uses one connection of the pool */
#define SMALL_IMPORT (64 * 1024)

enum import_state { IMPORT_WAITS, IMPORT_WORKS, IMPORT_ENDED };

/* One import. The caller sets the first fields, and reads the others when it has ended. */
struct import_job {
    struct import_body body; /* borrowed until the job has ended */
    bool lines;              /* a document a line; else one document */

    struct topic topic; /* set by import_jobs_put() */
    bool ok;
    struct error err;
    struct import_report report; /* of lines; also where it failed: some are stored */
    struct run_id id;            /* of one document */
    enum import_fate fate;

    enum import_state state; /* these two belong to the jobs */
    struct import_job *next;
};

struct import_jobs;

/* Starts the threads. Both pointers are borrowed. */
struct import_jobs *import_jobs_start(struct db_pool *pool, struct notifications *notifications,
                                      struct error *err) __attribute__((warn_unused_result));

/* Queues a job, which the caller keeps until it has ended. ERROR_BUSY when IMPORT_JOBS_MAX are
 * there already, or the server stops. */
bool import_jobs_put(struct import_jobs *jobs, struct import_job *job, struct error *err)
    __attribute__((warn_unused_result));

bool import_jobs_has_ended(struct import_jobs *jobs, const struct import_job *job);

/* Waits until it has ended. */
void import_jobs_finish(struct import_jobs *jobs, const struct import_job *job);

/* Ends every job: those at work after the document that they are at, with ERROR_BUSY. NULL is
 * fine, and so is a second call. */
void import_jobs_stop(struct import_jobs *jobs);

/* After import_jobs_stop(). NULL is fine. */
void import_jobs_free(struct import_jobs *jobs);
