/* Tested by tests/server/imports/import_jobs_test.c. */
#include "server/imports/import_jobs.h"

static void import_jobs_run(void *user, const atomic_bool *stop)
{
    struct import_job *import = user;

    import->body.stop = stop;
    import->ok =
        import->lines
            ? import_lines(import->pool, &import->body, &import->report, &import->err)
            : import_one(import->pool, &import->body, &import->id, &import->fate, &import->err);
}

void import_job_begin(struct import_job *import)
{
    import->job = (struct long_job){
        .work = import_jobs_run,
        .user = import,
        .kind = import->body.length <= SMALL_IMPORT ? JOB_IMPORT : JOB_LARGE_IMPORT};
}
