/* How a worker is born and how it dies: with what it is given, by whose hand, and with us. */
#include "engine/process/worker.h"

#include "engine/machine/proc.h"
#include "tests/engine/process/workers.h"

#include <pthread.h>
#include <sys/wait.h>

bool test_begin(void)
{
    return workers_can_be_started();
}

TEST(terminating_reaches_the_whole_family)
{
    struct worker *worker;
    sigset_t term, before;
    struct error err = {0};
    enum worker_read end;

    /* A server's threads block signals; its workers must not inherit that. */
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    worker = start_fake("family");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    EXPECT(run_reaches_count(run.text, 2));
    worker_terminate(worker);
    EXPECT_INT(read_all(worker, &end, &err), 2);
    EXPECT_STR(err.message, "the worker was killed by signal 15 (Terminated)");
    EXPECT(run_reaches_count(run.text, 0));
    worker_free(worker);
}

TEST(freeing_ends_even_the_stubborn_and_their_children)
{
    struct worker *worker = start_fake("stubborn");

    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    worker_terminate(worker);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    EXPECT_INT(next_within(worker, 50 * NS_PER_MS), WORKER_QUIET);
    EXPECT(run_reaches_count(run.text, 1));
    worker_free(worker);
    EXPECT(run_reaches_count(run.text, 0));

    worker = start_fake("family");
    EXPECT(run_reaches_count(run.text, 2));
    worker_free(worker);
    EXPECT(run_reaches_count(run.text, 0));
    worker_free(NULL);
}

/* Starts a worker, hears its hello, tells its run, and waits to be killed. */
static _Noreturn void live_until_killed(int tell)
{
    struct worker *worker = start_fake("silent");

    if (next_within(worker, PATIENCE) == WORKER_EVENT)
        (void)!write(tell, run.text, sizeof run.text);
    for (;;)
        pause();
}

TEST(it_dies_when_the_process_that_started_it_is_killed)
{
    int ends[2];
    char run_id[sizeof run.text] = "";

    EXPECT_INT(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0)
        live_until_killed(ends[1]);
    close(ends[1]);
    EXPECT_INT(read(ends[0], run_id, sizeof run_id), sizeof run_id);
    EXPECT_INT(processes_of_run(run_id), 1);

    kill(parent, SIGKILL);
    EXPECT_INT(waitpid(parent, NULL, 0), parent);
    EXPECT(run_reaches_count(run_id, 0));
    close(ends[0]);
}

static void *start_in_thread(void *unused)
{
    struct worker *worker = start_fake("silent");

    (void)unused;
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
    return worker;
}

/* So the thread that starts workers must live as long as the process means to. */
TEST(it_dies_with_the_thread_that_started_it)
{
    struct error err = {0};
    enum worker_read end;
    pthread_t thread;
    void *worker = NULL;

    int problem = pthread_create(&thread, NULL, start_in_thread, NULL);
    if (problem == 0) /* the thread counts checks too, so until it is gone we do not */
        problem = pthread_join(thread, &worker);
    EXPECT_INT(problem, 0);
    EXPECT_INT(read_all(worker, &end, &err), 0);
    EXPECT_INT(end, WORKER_FAILED);
    EXPECT_STR(err.message, "the worker was killed by signal 9 (Killed)");
    worker_free(worker);
}

/* The last words of a shell script's worker, after it has ended. */
static char *words_of(const char *script)
{
    struct worker *worker = start_shell(script);
    enum worker_read end;
    char *words;

    read_all(worker, &end, NULL);
    EXPECT_INT(end, WORKER_FAILED);
    words = worker_last_words(worker);
    worker_free(worker);
    return words;
}

TEST(our_own_variables_are_not_passed_on)
{
    char wanted[200];

    setenv("PENNYWORTH_WRITE_TOKEN", "secret", 1);
    setenv("PENNYWORTH_RUN", "another", 1);
    setenv("PENNYWORTHY", "passed on", 1);
    setenv("OMP_PROC_BIND_TEST", "passed on", 1);
    AUTO(freep) char *words = words_of("env | grep -E 'PENNYWORTH|BIND_TEST' | sort >&2");
    snprintf(wanted, sizeof wanted,
             "OMP_PROC_BIND_TEST=passed on\nPENNYWORTHY=passed on\nPENNYWORTH_RUN=%s\n",
             run.text);
    EXPECT_STR(words, wanted);
    EXPECT_STR(getenv("PENNYWORTH_WRITE_TOKEN"), "secret"); /* ours stays as it was */
    EXPECT_STR(getenv("PENNYWORTH_RUN"), "another");
    unsetenv("PENNYWORTH_WRITE_TOKEN");
    unsetenv("PENNYWORTH_RUN");
}

TEST(last_words_are_kept_as_clean_utf8)
{
    EACH(struct pair, utterance, {"", NULL}, {"echo one >&2; echo two >&2", "one\ntwo\n"},
         {"printf 'no newline' >&2", "no newline"},
         {"printf 'caf\\303\\251\\ttab\\n' >&2", "caf\xc3\xa9\ttab\n"},
         {"printf '\\377\\303(\\000\\033[0m\\r\\n' >&2", "??"
                                                         "(?"
                                                         "?[0m?\n"},
         {"printf 'half a letter \\303' >&2; exit 3", "half a letter ?"},
         {"echo killed >&2; kill -9 $$", "killed\n"}) {
        AUTO(freep) char *words = words_of(utterance.given);

        EXPECT_STR(words, utterance.wanted);
    }
}

TEST(of_many_words_the_last_four_kilobytes_are_kept)
{
    AUTO(freep)
    char *in_pieces =
        words_of("i=0; while [ $i -lt 700 ]; do i=$((i+1)); echo line $i >&2; done");
    AUTO(freep) char *exactly = words_of("printf 'first%04086dlast!' 0 >&2");

    EXPECT_INT((long long)strlen(in_pieces), 4096);
    EXPECT_STR(in_pieces + 4096 - 18, "line 699\nline 700\n");

    EXPECT_INT((long long)strlen(exactly), 4096);
    EXPECT(strncmp(exactly, "first0", 6) == 0);
}

/* More than one read, and all of it written before the first read. */
TEST(the_words_of_the_dead_are_read_to_their_end)
{
    struct worker *worker = start_shell("printf 'first%050000dlast' 0 >&2");
    enum worker_read end;

    EXPECT_INT(waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    read_all(worker, &end, NULL);
    AUTO(freep) char *words = worker_last_words(worker);
    EXPECT_INT((long long)strlen(words), 4096);
    EXPECT_STR(words + 4096 - 5, "0last");
    worker_free(worker);
}

/* The tail begins in the middle of a letter: two bytes each, and one odd byte at the end. */
TEST(a_letter_cut_in_half_is_no_letter)
{
    AUTO(freep)
    char *words = words_of(
        "i=0; while [ $i -lt 2100 ]; do i=$((i+1)); printf '\\303\\251'; done >&2; printf ! >&2");

    EXPECT_INT((long long)strlen(words), 4096);
    EXPECT(strncmp(words, "?\xc3\xa9\xc3\xa9", 5) == 0);
    EXPECT_STR(words + 4096 - 3, "\xc3\xa9!");
}

TEST(a_spec_that_is_too_long_is_not_waited_for)
{
    char shell[] = "sh", dash_c[] = "-c", script[] = "sleep 600";
    AUTO(freep) char *spec = calloc(1, 2000001);

    memset(spec, ' ', 2000000);
    EXPECT(run_id_new(clock_calendar_us(), &run, NULL));
    EXPECT_MESSAGE(worker_start(&(struct launch){(char *const[]){shell, dash_c, script, NULL},
                                                 run.text, "", CONFINE_OTHERS, NULL},
                                spec, 3, &err),
                   "a spec of 2000000 bytes does not fit into the worker's pipe");
    EXPECT(run_reaches_count(run.text, 0));
}

/* The one that left its session and its environment is found by descent alone. */
static int is_child_of_ours(const char *process, const char *unused)
{
    (void)unused;
    return proc_stat_number("", process, 4) == getpid();
}

TEST(a_daemon_ends_with_the_run_that_started_it)
{
    struct worker *worker;
    enum worker_read end;
    struct error err = {0};

    while (waitpid(-1, NULL, WNOHANG) > 0) /* orphans of the tests above, which became ours */
        continue;
    worker = start_fake("daemon");
    read_all(worker, &end, &err);
    EXPECT_INT(sum_over_processes(is_child_of_ours, ""), 1);
    worker_free(worker);
    EXPECT_INT(sum_over_processes(is_child_of_ours, ""), 0);
}

TEST(no_descriptor_and_no_zombie_is_left_by_any_worker)
{
    char missing[] = "no-such-worker";
    int before = open_descriptors();

    EACH_TEXT(behaviour, "ok", "crash", "garbage", "silent", "family", "failed", "endless") {
        struct worker *unheard = start_fake(behaviour);
        struct worker *worker = start_fake(behaviour);

        worker_free(unheard);
        while (next_within(worker, 20 * NS_PER_MS) == WORKER_EVENT)
            ;
        worker_free(worker);
        EXPECT_MESSAGE(worker_start(&(struct launch){(char *const[]){missing, NULL}, "RUN", "",
                                                     CONFINE_OTHERS, NULL},
                                    SPEC, 3, &err),
                       "cannot start the worker 'no-such-worker': No such file or directory");
        EXPECT_INT(open_descriptors(), before);
    }
    EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1);
}
