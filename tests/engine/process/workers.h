/* Starts workers to be tested: the fake one, and shells where it cannot misbehave that way. */
#pragma once

#include "engine/process/worker.h"
#include "engine/spec/run_id.h"
#include "tests/engine/process/processes.h"

#include <signal.h>
#include <sys/resource.h>

#define STEPS 3
#define SPEC "{\"warmup_steps\":0,\"steps\":3}"
#define PATIENCE (PATIENCE_SECONDS * NS_PER_SECOND)
#define HELLO "echo '{\"type\":\"hello\",\"protocol\":1}';"
#define DONE "echo '{\"type\":\"done\",\"steps\":0}';"

/* What every such test begins with. */
static inline bool workers_can_be_started(void)
{
    const struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGPIPE, SIG_IGN); /* as the server does */
    if (!getenv("PENNYWORTH_TEST_FAKE"))
        fputs("PENNYWORTH_TEST_FAKE must name the fake worker\n", stderr);
    return getenv("PENNYWORTH_TEST_FAKE") != NULL;
}

static struct run_id run; /* a new one for every worker */

static inline struct worker *start_with(char *const command[], enum confine_how how,
                                        const char *spec, long long steps_max)
{
    struct error err = {0};
    struct worker *worker;

    EXPECT(run_id_new(clock_calendar_us(), &run, NULL));
    worker =
        worker_start(&(struct launch){command, run.text, "", how, NULL}, spec, steps_max, &err);
    EXPECT_STR(err.message, "");
    EXPECT(worker != NULL);
    return worker;
}

static inline struct worker *start(char *const command[])
{
    return start_with(command, CONFINE_OTHERS, SPEC, STEPS);
}

static inline struct worker *start_fake(const char *behaviour)
{
    char program[4096], words[32], no_pause[] = "0";

    snprintf(program, sizeof program, "%s", getenv("PENNYWORTH_TEST_FAKE"));
    snprintf(words, sizeof words, "%s", behaviour);
    return start((char *const[]){program, words, no_pause, NULL});
}

static inline struct worker *start_shell(const char *script)
{
    char shell[] = "sh", dash_c[] = "-c", text[1000];

    snprintf(text, sizeof text, "%s", script);
    return start((char *const[]){shell, dash_c, text, NULL});
}

static inline enum worker_read next_within(struct worker *worker, long long time_ns)
{
    AUTO(event_clear) struct event event = {0};

    return worker_next(worker, clock_monotonic_ns() + time_ns, -1, &event, NULL);
}

/* The next event, which is of this type; what it owns is the caller's. */
static inline void expect_event(struct worker *worker, enum event_type type,
                                struct event *ret_event)
{
    struct error err = {0};

    *ret_event = (struct event){0};
    EXPECT_INT(worker_next(worker, clock_monotonic_ns() + PATIENCE, -1, ret_event, &err),
               WORKER_EVENT);
    EXPECT_STR(err.message, "");
    EXPECT_INT(ret_event->type, type);
}

static inline void expect_finished_and_free(struct worker *worker)
{
    struct event event;
    struct error err = {0};

    EXPECT_INT(worker_next(worker, clock_monotonic_ns() + PATIENCE, -1, &event, &err),
               WORKER_FINISHED);
    EXPECT_STR(err.message, "");
    worker_free(worker);
}

/* Told that it is enough, a worker of a million steps ends after the one at hand. */
static inline void expect_done_soon(struct worker *worker)
{
    struct event event;
    struct error err = {0};
    enum worker_read read;

    worker_enough(worker);
    do
        read = worker_next(worker, clock_monotonic_ns() + PATIENCE, -1, &event, &err);
    while (read == WORKER_EVENT);
    EXPECT_STR(err.message, "");
    EXPECT_INT(read, WORKER_FINISHED);
    EXPECT_INT(event.type, EVENT_DONE);
    EXPECT(event.done.steps >= 1 && event.done.steps < 1000005);
}

/* Reads to the end; returns how many events there were. */
static inline int read_all(struct worker *worker, enum worker_read *ret_end, struct error *err)
{
    long long deadline = clock_monotonic_ns() + PATIENCE;
    struct event event;
    int events = 0;

    while ((*ret_end = worker_next(worker, deadline, -1, &event, err)) == WORKER_EVENT) {
        event_clear(&event);
        events++;
    }
    return events;
}
