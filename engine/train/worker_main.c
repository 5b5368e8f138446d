/* pennyworth-worker: trains what the spec on its stdin says and tells of each step on its stdout.
 * ../PROTOCOL.md is the conversation. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "engine/event.h"
#include "engine/pace.h"
#include "engine/run_spec.h"
#include "engine/train/dnn.h"
#include "engine/train/host.h"
#include "engine/train/verify.h"
#include "engine/train/workload.h"

#include <poll.h>

#define SPEC_MAX 65536

static bool read_spec(struct run_spec *ret_spec, struct error *err)
{
    AUTO(freep) char *line = NULL;
    size_t size = 0;
    /* Unbuffered: what follows the line must stay in the pipe, where poll() sees it. */
    ssize_t length;

    setvbuf(stdin, NULL, _IONBF, 0);
    length = getline(&line, &size, stdin);
    if (length <= 0 || length > SPEC_MAX)
        return error_set(err, ERROR_INVALID, NULL, "expected a spec of one line on stdin");
    return run_spec_from_text(line, (size_t)length, ret_spec, err);
}

/* A second line means: finish. An end of file does not, so that a spec can be piped in. */
static bool told_enough(void)
{
    static bool ended;
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char byte;

    if (ended || poll(&input, 1, 0) <= 0)
        return false;
    ended = read(0, &byte, 1) != 1;
    return !ended;
}

static bool say_hello(int threads, struct error *err)
{
    struct event hello = {.type = EVENT_HELLO, .hello = {.protocol = PROTOCOL_VERSION}};
    char library[32];

    dnn_version(library, sizeof library);
    snprintf(hello.hello.software, sizeof hello.hello.software,
             "pennyworth-worker " PENNYWORTH_VERSION ", %s, %d threads", library, threads);
    return event_write(stdout, &hello, err);
}

static bool train(const struct run_spec *spec, const struct workload *workload, void *state,
                  struct error *err)
{
    long long most = pace_steps_max(spec), index = 0;
    struct event done = {.type = EVENT_DONE};

    for (; index < most && !told_enough(); index++) {
        struct event step = {.type = EVENT_STEP, .step = {.index = index}};
        long long start = clock_monotonic_ns();

        if (!workload->step(state, &step.step.loss, err))
            return false;
        step.step.nanoseconds = clock_monotonic_ns() - start;
        if (!event_write(stdout, &step, err))
            return false;
    }
    done.done.steps = index;
    return event_write(stdout, &done, err);
}

static bool work(struct error *err)
{
    const struct workload *workload;
    struct run_spec spec;
    void *state;
    bool ok;

    if (!read_spec(&spec, err))
        return false;
    int threads = spec.threads > 0 ? (int)spec.threads : host_processors();
    host_set_threads(threads);
    workload = workload_find(spec.workload, err);
    if (!say_hello(threads, err) || !workload || !workload->check(&spec, err))
        return false;
    state = workload->make(&spec, err);
    ok = state && train(&spec, workload, state, err);
    workload->release(state);
    return ok;
}

static int tell_failure(const struct error *err)
{
    struct event failed = {.type = EVENT_FAILED};
    char text[sizeof err->field + sizeof err->message + 2];

    snprintf(text, sizeof text, "%s%s%s", err->field, err->field[0] ? ": " : "", err->message);
    fprintf(stderr, "pennyworth-worker: %s\n", text);
    memcpy(failed.failed.message, text, sizeof failed.failed.message - 1); /* cut to fit */
    (void)!event_write(stdout, &failed, NULL);
    return 1;
}

int main(int argc, char *argv[])
{
    struct error err = {0};

    if (argc > 1 && strcmp(argv[1], "verify") == 0)
        return verify_main(argc - 2, argv + 2);
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("pennyworth-worker " PENNYWORTH_VERSION);
        return 0;
    }
    if (argc > 1) {
        puts(
            "Usage: pennyworth-worker < SPEC\n"
            "Trains what the spec (one line of JSON on stdin) says, and writes one line of JSON\n"
            "for each step to stdout. Try: echo '{\"steps\": 20}' | pennyworth-worker");
        return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    return work(&err) ? 0 : tell_failure(&err);
}
