/* Imports as long jobs (server/base/long_jobs.h): an upload of 16 MiB takes seconds. Small bodies
 * do not wait for large ones. */
#pragma once

#include "server/base/long_jobs.h"
#include "server/imports/import.h"

#define SMALL_IMPORT (64 * 1024)

/* One import. The caller sets the first fields, and reads the others when the job has ended. */
struct import_job {
    struct db_pool *pool;
    struct import_body body; /* borrowed until the job has ended */
    bool lines;              /* a document a line; else one document */

    struct long_job job; /* the caller sets its client */
    bool ok;
    struct error err;
    struct import_report report; /* of lines; also where it failed: some are stored */
    struct run_id id;            /* of one document */
    enum import_fate fate;
};

/* Queues it, as long_jobs_put() does. A stop of the jobs ends it after the document that it is
 * at, with ERROR_BUSY. */
bool import_job_put(struct long_jobs *jobs, struct import_job *import, struct error *err)
    __attribute__((warn_unused_result));
