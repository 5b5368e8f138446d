/* Tested by tests/server/imports/import_jobs_test.c. */
#include "server/imports/import_jobs.h"

static void work(void *user, const atomic_bool *stop)
{
    struct import_job *import = user;

    import->body.stop = stop;
    import->ok =
        import->lines
            ? import_lines(import->pool, &import->body, &import->report, &import->err)
            : import_one(import->pool, &import->body, &import->id, &import->fate, &import->err);
}

bool import_job_put(struct long_jobs *jobs, struct import_job *import, struct error *err)
{
    import->job.work = work;
    import->job.user = import;
    import->job.kind = import->body.length <= SMALL_IMPORT ? JOB_IMPORT : JOB_LARGE_IMPORT;
    return long_jobs_put(jobs, &import->job, err);
}
