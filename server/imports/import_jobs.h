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

    struct long_job job; /* set by import_job_begin() */
    bool ok;
    struct error err;
    struct import_report report; /* of lines; set on failure, too: some are stored */
    struct run_id id;            /* of one document */
    enum import_fate fate;
};

/* Makes import->job, for long_jobs_put(). A stop ends it after the current document, with
 * ERROR_BUSY. */
void import_job_begin(struct import_job *import);
