#include "server/imports/import_jobs.h"

#include "common/cleanup.h"
#include "tests/db/database.h"
#include "tests/server/base/untimed.h"

#define LARGE (4 * SMALL_IMPORT)
#define THREADS 2 /* that take imports */

struct scene {
    struct folder folder;
    struct db_pool *pool;
    struct notifications *notifications;
    struct long_jobs *jobs;
};

#define TEST_WITH_JOBS(name) TEST_GIVEN(name, struct scene *scene, with_jobs)

static void with_jobs(void (*test)(struct scene *scene))
{
    struct scene scene = {.folder = folder_make(), .notifications = untimed_notifications()};

    scene.pool = db_pool_open(scene.folder.file, THREADS, NULL);
    scene.jobs = long_jobs_start(scene.notifications, NULL);
    EXPECT(scene.pool && scene.jobs);
    test(&scene);
    long_jobs_stop(scene.jobs);
    long_jobs_free(scene.jobs);
    notifications_free(scene.notifications);
    db_pool_free(scene.pool);
    folder_remove(&scene.folder);
}

/* Documents that are refused: reading them needs no database, ending with them does. */
static struct import_job lines_of(const char *text, size_t length)
{
    return (struct import_job){.lines = true,
                               .body = {.text = text, .length = length, .sender = ""}};
}

static bool put(const struct scene *scene, struct import_job *job, struct error *err)
{
    job->pool = scene->pool;
    import_job_begin(job);
    return long_jobs_put(scene->jobs, &job->job, err);
}

TEST_WITH_JOBS(a_job_ends_with_its_report)
{
    struct import_job job = lines_of("{}\n\n{}\n", 7);

    EXPECT_OK(put(scene, &job, &err));
    EXPECT_INT(job.job.topic.kind, TOPIC_LONG_JOB);
    long_jobs_finish(scene->jobs, &job.job);
    EXPECT(long_jobs_has_ended(scene->jobs, &job.job));
    EXPECT(job.ok);
    EXPECT_HAS(job.report, (refused, 2), (refusals[1].line, 3));
}

TEST_WITH_JOBS(one_document_is_refused_with_its_reason)
{
    struct import_job job = {.body = {.text = "[]", .length = 2, .sender = ""}};

    EXPECT_OK(put(scene, &job, &err));
    long_jobs_finish(scene->jobs, &job.job);
    EXPECT(!job.ok);
    EXPECT_INT(job.err.kind, ERROR_INVALID);
}

/* With the connections of the pool lent, no job ends. */
static void lend(struct scene *scene, struct db_loan loans[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        loans[i] = db_borrow(scene->pool);
}

static void give_back(struct db_loan loans[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        db_loan_end(&loans[i]);
}

TEST_WITH_JOBS(a_job_too_many_is_refused_and_may_come_again)
{
    struct import_job jobs[IMPORT_JOBS_MAX + 1];
    struct db_loan loans[THREADS];
    struct error err = {0};

    lend(scene, loans);
    for (int i = 0; i <= IMPORT_JOBS_MAX; i++) {
        jobs[i] = lines_of("{}\n", 3);
        EXPECT_INT(put(scene, &jobs[i], &err), i < IMPORT_JOBS_MAX);
    }
    EXPECT_INT(err.kind, ERROR_BUSY);
    EXPECT(!long_jobs_has_ended(scene->jobs, &jobs[0].job));
    give_back(loans);
    for (int i = 0; i < IMPORT_JOBS_MAX; i++)
        long_jobs_finish(scene->jobs, &jobs[i].job);
    EXPECT(put(scene, &jobs[IMPORT_JOBS_MAX], &err));
    long_jobs_finish(scene->jobs, &jobs[IMPORT_JOBS_MAX].job);
    EXPECT(jobs[IMPORT_JOBS_MAX].ok);
}

/* Each waits for the one connection that is left, so both are at work at once. */
TEST_WITH_JOBS(a_small_job_does_not_wait_for_large_ones)
{
    static char blanks[LARGE];
    struct import_job large[2], small = lines_of("{}\n", 3);
    struct db_loan loans[THREADS];

    memset(blanks, '\n', sizeof blanks);
    memcpy(blanks, "{}", 2);
    lend(scene, loans);
    for (int i = 0; i < 2; i++) {
        large[i] = lines_of(blanks, sizeof blanks);
        EXPECT_OK(put(scene, &large[i], &err));
    }
    EXPECT_OK(put(scene, &small, &err));
    db_loan_end(&loans[0]);
    long_jobs_finish(scene->jobs, &small.job);
    EXPECT(small.ok);
    db_loan_end(&loans[1]);
    long_jobs_finish(scene->jobs, &large[1].job);
    EXPECT(long_jobs_has_ended(scene->jobs, &large[0].job));
}

TEST_WITH_JOBS(a_stop_ends_every_job_and_takes_no_other)
{
    static char blanks[LARGE];
    struct import_job jobs[8], later = lines_of("{}\n", 3);

    for (size_t i = 0; i + 3 < sizeof blanks; i += 3)
        memcpy(blanks + i, "{}\n", 3);
    for (size_t i = 0; i < COUNT(jobs); i++) {
        jobs[i] = lines_of(blanks, sizeof blanks - sizeof blanks % 3);
        EXPECT_OK(put(scene, &jobs[i], &err));
    }
    long_jobs_stop(scene->jobs);
    for (size_t i = 0; i < COUNT(jobs); i++) {
        EXPECT(long_jobs_has_ended(scene->jobs, &jobs[i].job));
        EXPECT(jobs[i].ok || jobs[i].err.kind == ERROR_BUSY);
    }
    EXPECT(!jobs[COUNT(jobs) - 1].ok);
    EXPECT_ERROR(put(scene, &later, &err), ERROR_BUSY);
}
