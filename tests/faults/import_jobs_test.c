/* Every call that an import makes on its disk fails, each in its turn, while it is at work on a
 * thread of its own: the job ends and says so, and the threads go on with the next one. */
#include "server/imports/import_jobs.h"

#include "common/cleanup.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"
#include "tests/server/base/untimed.h"

#define THREADS 2 /* that take imports */

#define DOCUMENT(number)                                                                         \
    "{\"pennyworth_run\":1,\"id\":\"01HF7YAT000000000000000" number                              \
    "\",\"spec\":{\"workload\":\"mlp2017\","                                                     \
    "\"engine\":\"e\",\"labels\":{\"branch\":\"main\",\"commit\":\"f00\"}},"                     \
    "\"ended_at\":\"2026-01-02T03:04:05Z\",\"started_at\":\"2026-01-02T03:04:04Z\",\"steps\":"   \
    "{\"nanoseconds\":[9,10,11,12],\"loss\":[1,2,3,4]}}\n"

static const char documents[] = DOCUMENT("0B1") DOCUMENT("0B2");

static struct import_job job_of(struct db_pool *pool, bool lines)
{
    const size_t length = lines ? strlen(documents) : strlen(DOCUMENT("0B1"));

    return (struct import_job){.pool = pool,
                               .lines = lines,
                               .body = {.text = documents, .length = length, .sender = "c1"}};
}

static void do_job(struct long_jobs *jobs, struct import_job *job)
{
    import_job_begin(job);
    EXPECT_OK(long_jobs_put(jobs, &job->job, &err));
    long_jobs_finish(jobs, &job->job);
}

struct importing {
    struct template template;
    bool lines; /* or one document */
};

/* Only the thread of the import uses the disk meanwhile. */
static bool survive(const void *subject, struct fault_plan plan)
{
    const struct template *template = &((const struct importing *)subject)->template;
    const bool lines = ((const struct importing *)subject)->lines;
    const long long wanted = lines ? 2 : 1;

    template_restore(template);
    struct db_pool *pool = db_pool_open(template->folder.file, THREADS, NULL);
    struct notifications *notifications = untimed_notifications();
    struct long_jobs *jobs = long_jobs_start(notifications, NULL);
    struct import_job job = job_of(pool, lines), again = job_of(pool, lines);

    EXPECT(pool && jobs);
    fault_arm(plan);
    do_job(jobs, &job);
    long long failed = fault_disarm();
    EXPECT(job.ok || failed > 0);
    EXPECT(job.ok ? job.err.kind == ERROR_NONE : failed_by_the_disk(&job.err));
    EXPECT(!lines || job.report.imported == (job.ok ? wanted : 0));
    do_job(jobs, &again);
    EXPECT(again.ok);
    EXPECT_STR(again.err.message, "");
    EXPECT(!lines || again.report.imported + again.report.known == wanted);
    EXPECT(!lines || !job.ok || again.report.known == wanted);
    EXPECT(lines || !job.ok || again.fate == IMPORT_KNOWN);
    long_jobs_stop(jobs);
    long_jobs_free(jobs);
    notifications_free(notifications);
    db_pool_free(pool);
    AUTO(db_freep) struct db *reopened = open_database(&template->folder);
    EXPECT_ROWS(reopened, wanted, "runs WHERE sender = 'c1'");
    expect_whole(reopened);
    return failed == 0;
}

static void survive_every_fault(bool lines)
{
    struct importing importing = {template_make(fill_with_runs), lines};

    survive_accidents(lines ? "lines" : "one", survive, &importing);
    template_free(&importing.template);
}

TEST(an_import_of_lines_is_stored_or_ends_with_an_error)
{
    survive_every_fault(true);
}

TEST(an_import_of_one_document_is_stored_or_ends_with_an_error)
{
    survive_every_fault(false);
}
