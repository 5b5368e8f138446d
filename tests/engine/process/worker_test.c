/* The events of a worker, and how its end is reported; worker_life_test.c has the rest. */
#include "engine/process/worker.h"

#include "tests/engine/process/workers.h"

#include <sys/eventfd.h>
#include <sys/wait.h>

bool test_begin(void)
{
    return workers_can_be_started();
}

TEST(all_events_of_a_good_worker_arrive)
{
    struct worker *worker = start_fake("ok");
    struct event event;

    expect_event(worker, EVENT_HELLO, &event);
    EXPECT_STR(event.hello.software, "fake-worker");
    for (int i = 0; i < STEPS; i++) {
        expect_event(worker, EVENT_STEP, &event);
        EXPECT_HAS(event, (step.index, i), (step.nanoseconds, 1000));
        EXPECT_NEAR(event.step.loss, 5.0 / (i + 1), 1e-3);
    }
    expect_event(worker, EVENT_DONE, &event);
    EXPECT_INT(event.done.steps, STEPS);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_FINISHED);
    EXPECT(worker_last_words(worker) == NULL);
    expect_finished_and_free(worker); /* it says so again */
}

TEST(all_details_of_a_talkative_worker_arrive)
{
    struct worker *worker = start_fake("talkative");
    AUTO(event_clear) struct event event = {0};

    expect_event(worker, EVENT_HELLO, &event);
    EXPECT_STR(event.hello.details.isa, "avx2");
    for (int i = 0; i < STEPS; i++) {
        expect_event(worker, EVENT_STEP, &event);
        EXPECT_INT(event.step.split.forward, 300);
    }
    expect_event(worker, EVENT_DONE, &event);
    EXPECT_INT(event.done.samples, 32 * STEPS);
    EXPECT_STR(event.done.implementations,
               "{\"conv1\":{\"forward\":\"jit:avx2\",\"backward\":\"ref:any\"},\"fc\":{}}");
    expect_finished_and_free(worker);
}

/* In one write, so that both events are read at once. */
#define HELLO_AND_DONE(steps)                                                                    \
    "printf '{\"type\":\"hello\",\"protocol\":1}\\n{\"type\":\"done\",\"steps\":" #steps         \
    ",\"implementations\":{\"fc\":{}}}\\n'"

/* The address sanitizer sees whether what they own is freed. */
TEST(events_without_a_reader_are_freed)
{
    struct worker *given_up = start_shell(HELLO_AND_DONE(0));
    struct worker *refused = start_shell(HELLO_AND_DONE(5));
    struct error err = {0};
    enum worker_read end;

    EXPECT_INT(next_within(given_up, PATIENCE), WORKER_EVENT);
    worker_free(given_up);
    EXPECT_INT(read_all(refused, &end, &err), 1);
    EXPECT_STR(err.message, "the worker counted 5 steps, but sent 0");
    worker_free(refused);
}

static const struct {
    const char *behaviour;
    int events; /* all allowed ones before the end are reported */
    const char *message, *words;
} ends[] = {
    {"slow", STEPS + 2, "", NULL},
    {"crash", 2, "the worker was killed by signal 6 (Aborted)", "about to crash\n"},
    {"garbage", 2, "a worker line is not JSON: ", NULL},
    {"endless", 2, "the worker wrote a line over 65536 bytes", NULL},
    {"too-many", STEPS + 1, "the worker sent more than the 3 steps it was asked for", NULL},
    {"no-done", 2, "the worker ended without 'done'", NULL},
    {"exit", 0, "the worker exited with status 7", NULL},
    {"gap", 2, "the worker sent step 2 instead of 1", NULL},
    {"failed", 2, "no such precision here", NULL},
};

TEST(every_bad_end_has_its_own_error)
{
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct worker *worker = start_fake(ends[i].behaviour);
        bool well = ends[i].message[0] == '\0';
        struct error err = {0}, again = {0};
        enum worker_read end;

        EXPECT_INT(read_all(worker, &end, &err), ends[i].events);
        EXPECT_INT(end, well ? WORKER_FINISHED : WORKER_FAILED);
        EXPECT_INT(err.kind, well ? ERROR_NONE : ERROR_UPSTREAM);
        EXPECT(strncmp(err.message, ends[i].message, strlen(ends[i].message)) == 0);

        EXPECT_INT(read_all(worker, &end, &again), 0); /* asked again, it says the same */
        EXPECT_STR(again.message, err.message);

        AUTO(freep) char *words = worker_last_words(worker);
        EXPECT_STR(words, ends[i].words);
        worker_free(worker);
        EXPECT(run_reaches_count(run.text, 0));
    }
}

TEST(how_it_ends_counts_as_much_as_what_it_said)
{
    EACH(struct pair, script, {HELLO DONE, ""},
         {HELLO DONE "exit 9", "the worker exited with status 9"},
         {HELLO DONE "kill -9 $$", "the worker was killed by signal 9 (Killed)"},
         {HELLO DONE DONE, "the worker went on after 'done'"},
         {HELLO "printf '{\"type\":\"done\",\"steps\":0}'", "the worker ended without 'done'"},
         {HELLO "echo; " DONE, "a worker line is not JSON: "},
         {"", "the worker ended without 'done'"},
         {"exec >&-; exit 3", "the worker exited with status 3"},
         {HELLO DONE "exec >&- 2>&-; sleep 0.05", ""}, /* deaf and mute, then gone */
         /* It does not die of SIGPIPE only because we ignore that signal ourselves. */
         {"kill -PIPE $$; exit 4", "the worker was killed by signal 13 (Broken pipe)"}) {
        struct worker *worker = start_shell(script.given);
        bool well = script.wanted[0] == '\0';
        struct error err = {0};
        enum worker_read end;

        read_all(worker, &end, &err);
        EXPECT_INT(end, well ? WORKER_FINISHED : WORKER_FAILED);
        err.message[strlen(script.wanted)] = '\0';
        EXPECT_STR(err.message, script.wanted);
        worker_free(worker);
    }
}

TEST(an_earlier_error_is_not_overwritten)
{
    struct error err = {.kind = ERROR_BUSY, .message = "the cause"};
    struct worker *worker = start_fake("gap");
    enum worker_read end;

    read_all(worker, &end, &err);
    EXPECT_INT(end, WORKER_FAILED);
    EXPECT_STR(err.message, "the cause");
    worker_free(worker);
}

TEST(silence_is_quiet_until_the_deadline)
{
    struct worker *worker = start_fake("silent");

    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);

    long long start_ns = clock_monotonic_ns();
    EXPECT_INT(next_within(worker, 50 * NS_PER_MS), WORKER_QUIET);
    EXPECT(clock_monotonic_ns() - start_ns >= 50 * NS_PER_MS);
    EXPECT_INT(next_within(worker, -NS_PER_SECOND), WORKER_QUIET); /* long over */
    worker_free(worker);
    EXPECT(run_reaches_count(run.text, 0));
}

/* Its words keep poll() busy for ever; the deadline holds all the same. */
TEST(an_endless_flood_of_words_does_not_stop_the_clock)
{
    struct worker *worker = start_shell("exec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >&2");
    long long start_ns = clock_monotonic_ns();

    for (int i = 0; i < 20; i++)
        EXPECT_INT(next_within(worker, 10 * NS_PER_MS), WORKER_QUIET);
    EXPECT(clock_monotonic_ns() - start_ns < PATIENCE);

    AUTO(freep) char *words = worker_last_words(worker);
    EXPECT_INT((long long)strlen(words), 4096);
    worker_free(worker);
}

TEST(a_ring_wakes_the_waiting)
{
    struct worker *worker = start_fake("silent");
    int bell = eventfd(1, EFD_CLOEXEC);
    long long start_ns = clock_monotonic_ns(), far = start_ns + 3 * PATIENCE;
    struct event event;

    EXPECT_INT(worker_next(worker, far, bell, &event, NULL), WORKER_QUIET);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT); /* nothing is lost by it */
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    EXPECT_INT(worker_next(worker, far, bell, &event, NULL), WORKER_QUIET);
    EXPECT(clock_monotonic_ns() - start_ns < PATIENCE);
    close(bell);
    worker_free(worker);
}

TEST(it_finishes_early_on_enough)
{
    char program[4096], slow[] = "slow", pause[] = "5";
    struct worker *worker;

    snprintf(program, sizeof program, "%s", getenv("PENNYWORTH_TEST_FAKE"));
    worker = start_with((char *const[]){program, slow, pause, NULL}, CONFINE_OTHERS,
                        "{\"steps\":1000000}", 1000005);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    expect_done_soon(worker);
    worker_free(worker);
}

TEST(spec_and_enough_arrive_as_lines_on_stdin)
{
    struct worker *worker =
        start_shell("read -r a; " HELLO "read -r b; echo \"$a|$b\" >&2; " DONE);
    enum worker_read end;

    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    EXPECT_INT(next_within(worker, 50 * NS_PER_MS), WORKER_QUIET); /* stdin stays open */
    worker_enough(worker);
    EXPECT_INT(read_all(worker, &end, NULL), 1);
    EXPECT_INT(end, WORKER_FINISHED);

    AUTO(freep) char *words = worker_last_words(worker);
    EXPECT_STR(words, SPEC "|{\"type\":\"enough\"}\n");
    worker_enough(worker); /* the worker reads no more */
    worker_free(worker);
}

/* The grandchild holds the pipes open; the end of the worker is the end of the run. */
TEST(a_grandchild_left_behind_is_not_waited_for)
{
    struct worker *worker = start_shell("sleep 600 & " HELLO DONE "exit 0");
    struct error err = {0};
    enum worker_read end;

    EXPECT_INT(read_all(worker, &end, &err), 2);
    EXPECT_INT(end, WORKER_FINISHED);
    EXPECT(run_reaches_count(run.text, 1));
    worker_free(worker);
    EXPECT(run_reaches_count(run.text, 0));
}

TEST(everything_a_dead_worker_wrote_is_read)
{
    struct worker *worker =
        start_shell(HELLO "printf '{\"type\":\"done\",\"steps\":0,\"more\":\"%050000d\"}\n' 0");
    enum worker_read end;

    EXPECT_INT(waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOWAIT), 0); /* before we look */
    EXPECT_INT(read_all(worker, &end, NULL), 2);
    EXPECT_INT(end, WORKER_FINISHED);
    worker_free(worker);
}
