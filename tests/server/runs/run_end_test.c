#include "server/runs/run_end.h"

#include "common/clock.h"
#include "tests/test.h"

static void expect_end(const struct job_end *end, enum run_state state, const char *reason)
{
    struct run run = {
        .state = RUN_RUNNING, .reason = "an old one", .created_us = 1, .started_us = 5000000};
    struct job_end lasting = *end;

    lasting.lasted_ns = 2 * NS_PER_SECOND;
    run_end_as_job(&run, &lasting);
    EXPECT_STR(run_state_name(run.state), run_state_name(state));
    EXPECT_HAS(run, (reason, reason), (ended_us, 7000000));
}

TEST(a_finished_or_cancelled_run_needs_no_reason)
{
    expect_end(&(struct job_end){.result = JOB_FINISHED}, RUN_FINISHED, "");
    expect_end(&(struct job_end){.result = JOB_STOPPED, .stopped_by = STOP_CANCELLED},
               RUN_CANCELLED, "");
}

TEST(a_preempted_run_has_the_reason_of_the_cloud)
{
    expect_end(&(struct job_end){.result = JOB_STOPPED,
                                 .stopped_by = STOP_PREEMPTED,
                                 .preemption = "AWS takes this machine back (terminate)"},
               RUN_PREEMPTED, "AWS takes this machine back (terminate)");
}

TEST(a_shutdown_interrupts_the_run)
{
    expect_end(&(struct job_end){.result = JOB_STOPPED,
                                 .stopped_by = STOP_SHUTDOWN,
                                 .preemption = "of an earlier notice"},
               RUN_INTERRUPTED, "the server was stopped during the run");
}

TEST(a_failed_run_has_the_message_or_says_that_the_disk_is_full)
{
    struct error failure = {0};

    error_set(&failure, ERROR_UPSTREAM, NULL, "the worker was silent");
    expect_end(&(struct job_end){.result = JOB_FAILED, .failure = &failure}, RUN_FAILED,
               "the worker was silent");
    error_clear(&failure);
    error_set(&failure, ERROR_STORAGE, NULL, "database or disk is full");
    expect_end(&(struct job_end){.result = JOB_FAILED, .failure = &failure}, RUN_FAILED,
               "the disk is full: its steps could not be stored");
}
