#include "engine/process/worker.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "engine/machine/proc.h"
#include "engine/process/leftovers.h"
#include "engine/process/spawn.h"
#include "engine/protocol/dialogue.h"
#include "engine/protocol/lines.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define LAST_WORDS_MAX 4096
#define CHUNK 16384
_Static_assert(LAST_WORDS_MAX <= CHUNK, "one read fills the last words");

/* Workers of this process that are not reaped yet. */
static atomic_int living;

struct worker {
    struct child child;
    int exit_status;
    long long peak_bytes; /* known once it has exited */
    bool exited;
    long long began; /* as the kernel counts; -1 where it does not say */
    struct lines lines;
    struct dialogue dialogue;
    struct error broken;  /* the rule it broke; returned behind the events read before */
    struct event *events; /* (event_size): event_next to event_count are not yet returned */
    size_t event_count, event_next, event_size;
    struct bytes words; /* tail of stderr */
};

struct worker *worker_start(const struct launch *launch, const char *spec_text,
                            long long steps_max, struct error *err)
{
    struct worker *worker = xcalloc(1, sizeof *worker);
    char process[16];

    worker->dialogue.steps_max = steps_max;
    leftovers_adopt();
    worker->words.limit = LAST_WORDS_MAX;
    if (!spawn_child(&worker->child, launch, err)) {
        free(worker);
        return NULL;
    }
    atomic_fetch_add(&living, 1);
    snprintf(process, sizeof process, "%d", (int)worker->child.pid);
    worker->began = proc_stat_number("", process, PROC_STAT_START);
    if (!child_tell(&worker->child, spec_text, err)) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

/* The event is then the worker's. */
static void keep_event(struct worker *worker, const struct event *event)
{
    worker->events =
        xgrow(worker->events, worker->event_count, &worker->event_size, sizeof *event);
    worker->events[worker->event_count++] = *event;
}

static bool take_line(const char *line, size_t length, void *user, struct error *err)
{
    struct worker *worker = user;
    struct event event;

    if (!event_read(line, length, &event, err))
        return false;
    if (!dialogue_accept(&worker->dialogue, &event, err)) {
        event_clear(&event);
        return false;
    }
    keep_event(worker, &event);
    return true;
}

/* False when the pipe is at its end, which closes it. */
static bool read_pipe(int *pipe, char *buffer, ssize_t *ret_length)
{
    ssize_t length = read(*pipe, buffer, CHUNK);

    *ret_length = length > 0 ? length : 0;
    if (length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR)))
        return true;
    closep(pipe);
    return false;
}

static void read_events(struct worker *worker)
{
    char buffer[CHUNK];
    ssize_t length;

    do {
        if (!read_pipe(&worker->child.output, buffer, &length))
            return;
        if (!lines_feed(&worker->lines, buffer, (size_t)length, take_line, worker,
                        &worker->broken))
            closep(&worker->child.output);
        /* Reads a dead worker's pipe to its end; a live one may write faster than we read, so
         * then one piece at a time. */
    } while (worker->exited && length > 0 && worker->child.output >= 0);

    if (worker->exited)
        closep(&worker->child.output); /* a grandchild may hold the other end open for ever */
}

/* True when there may be more. */
static bool read_words(struct worker *worker)
{
    struct bytes *words = &worker->words;
    char buffer[CHUNK];
    ssize_t length;

    if (worker->child.errors < 0 || !read_pipe(&worker->child.errors, buffer, &length) ||
        length == 0)
        return false;

    size_t fresh = (size_t)length < words->limit ? (size_t)length : words->limit;
    if (words->used + fresh > words->limit)
        bytes_drop(words, words->used + fresh - words->limit);
    assert(words->used + fresh <= words->limit);
    return bytes_add(words, buffer + (size_t)length - fresh, fresh);
}

static void worker_reap(struct worker *worker)
{
    struct rusage usage;

    if (wait4(worker->child.pid, &worker->exit_status, WNOHANG, &usage) != worker->child.pid)
        return;
    assert(!worker->exited);
    worker->exited = true;
    worker->peak_bytes = usage.ru_maxrss * 1024LL;
}

static enum worker_read worker_conclude(struct worker *worker, struct error *err)
{
    int status = worker->exit_status;

    assert(worker->exited || worker->broken.kind != ERROR_NONE);
    for (int piece = 0; piece < 16 && read_words(worker); piece++)
        ; /* the last words may still be in the pipe */
    if (worker->broken.kind != ERROR_NONE) {
        if (err && err->kind == ERROR_NONE)
            *err = worker->broken;
    } else if (WIFSIGNALED(status)) {
        error_set(err, ERROR_UPSTREAM, NULL, "the worker was killed by signal %d (%s)",
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        error_set(err, ERROR_UPSTREAM, NULL, "the worker exited with status %d",
                  WEXITSTATUS(status));
    } else if (!worker->dialogue.done) {
        error_set(err, ERROR_UPSTREAM, NULL, "the worker ended without 'done'");
    } else {
        return WORKER_FINISHED;
    }
    return WORKER_FAILED;
}

static int milliseconds_until(long long deadline_ns)
{
    long long left = deadline_ns - clock_monotonic_ns();

    if (left <= 0)
        return 0;
    return left / NS_PER_MS >= 3600000 ? 3600000 : (int)(left / NS_PER_MS) + 1;
}

enum worker_read worker_next(struct worker *worker, long long deadline_ns, int wake,
                             struct event *ret_event, struct error *err)
{
    /* A worker that never stops writing to stderr keeps poll() busy: the clock decides too. */
    for (bool late = false;; late = clock_monotonic_ns() >= deadline_ns) {
        if (worker->event_next < worker->event_count) {
            *ret_event = worker->events[worker->event_next++];
            return WORKER_EVENT;
        }
        assert(worker->event_next == worker->event_count); /* each was returned once */
        worker->event_next = worker->event_count = 0;
        if (worker->broken.kind != ERROR_NONE || (worker->exited && worker->child.output < 0))
            return worker_conclude(worker, err);
        if (late)
            return WORKER_QUIET;

        /* poll() skips negative descriptors: closed ones are not waited for. */
        struct pollfd watched[] = {{worker->child.output, POLLIN, 0},
                                   {worker->child.errors, POLLIN, 0},
                                   {worker->exited ? -1 : worker->child.pidfd, POLLIN, 0},
                                   {wake, POLLIN, 0}};
        int ready = poll(watched, COUNT(watched), milliseconds_until(deadline_ns));

        if (ready == 0 || (ready > 0 && watched[3].revents))
            return WORKER_QUIET;
        if (watched[1].revents)
            (void)read_words(worker);
        if (watched[2].revents)
            worker_reap(worker);
        if (watched[0].revents || worker->exited)
            read_events(worker);
    }
}

pid_t worker_pid(const struct worker *worker)
{
    return worker->child.pid;
}

bool worker_was_killed(const struct worker *worker, long long *ret_peak_bytes)
{
    if (!worker->exited || !WIFSIGNALED(worker->exit_status) ||
        WTERMSIG(worker->exit_status) != SIGKILL)
        return false;
    *ret_peak_bytes = worker->peak_bytes;
    return true;
}

void worker_enough(struct worker *worker)
{
    /* If it ignores the request, the caller's deadline ends it. */
    (void)!child_tell(&worker->child, "{\"type\":\"enough\"}", NULL);
}

void worker_terminate(struct worker *worker)
{
    kill(-worker->child.pid, SIGTERM);
}

char *worker_last_words(const struct worker *worker)
{
    size_t used = worker->words.used;
    char *words;

    if (used == 0)
        return NULL;
    words = xmemdup(worker->words.data, used + 1);
    text_make_clean(words, used);
    return words;
}

void worker_free(struct worker *worker)
{
    if (!worker)
        return;
    kill(-worker->child.pid, SIGKILL);
    if (!worker->exited)
        waitpid(worker->child.pid, NULL, 0);
    /* With another worker running, leftovers may be that one's. */
    if (atomic_fetch_sub(&living, 1) == 1 && worker->began >= 0)
        leftovers_kill(worker->began);
    closep(&worker->child.input);
    closep(&worker->child.output);
    closep(&worker->child.errors);
    closep(&worker->child.pidfd);
    bytes_free(&worker->words);
    while (worker->event_next < worker->event_count)
        event_clear(&worker->events[worker->event_next++]);
    free(worker->events);
    free(worker);
}
