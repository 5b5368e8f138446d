/* Tested by tests/engine/train/worker_main_test.c and tests/engine/train/ranks_test.py. */
#include "engine/train/worker_program.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "engine/protocol/event.h"
#include "engine/run/native.h"
#include "engine/run/pace.h"
#include "engine/run/run_request.h"
#include "engine/spec/spec_ranks.h"
#include "engine/train/canary_run.h"
#include "engine/train/peak_run.h"
#include "engine/train/threads/host.h"
#include "engine/train/verify/verify.h"
#include "engine/train/workloads/fastest_isa.h"
#include "engine/train/workloads/workload.h"

#include <math.h>
#include <poll.h>

#define SPEC_MAX 65536
#define IMPLEMENTATIONS 512            /* passes of all layers */
#define CANARY_NS (10 * NS_PER_SECOND) /* of training between two canaries */

/* layer_conv_names() of the plain plan has the most: five of a layer. */
_Static_assert(IMPLEMENTATIONS >= 5 * LAYERS_MAX, "the list has room for every layer");

/* The line of the spec, or NULL: the first rank reads it, and shares it with the others. */
static char *read_line(struct joiner *joiner, size_t *ret_length, struct error *err)
{
    AUTO(freep) char *line = NULL;
    size_t size = 0;
    ssize_t length = -1;

    if (joiner_rank(joiner) == 0) {
        /* Unbuffered: what follows the line must stay in the pipe, where poll() sees it. */
        setvbuf(stdin, NULL, _IONBF, 0);
        length = getline(&line, &size, stdin);
    }
    joiner_share(joiner, &length, sizeof length);
    if (length <= 0 || length > SPEC_MAX) {
        error_set(err, ERROR_INVALID, NULL, "expected a spec of one line on stdin");
        return NULL;
    }
    if (joiner_rank(joiner) > 0)
        line = xmalloc((size_t)length + 1);
    joiner_share(joiner, line, (size_t)length);
    *ret_length = (size_t)length;
    return take(&line);
}

static bool read_spec(struct joiner *joiner, struct run_spec *ret_spec, struct error *err)
{
    size_t length;
    AUTO(freep) char *line = read_line(joiner, &length, err), *rest = NULL;

    if (!line)
        return false;
    if (!joiner)
        return run_request_from_text(line, length, NULL, ret_spec, err);
    rest = spec_without_ranks(line, length, joiner->ranks, err);
    return rest && run_request_from_text(rest, strlen(rest), NULL, ret_spec, err);
}

/* A second line means: finish. An end of file does not, so that a spec can be piped in. */
static bool received_enough(void)
{
    static bool ended;
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char byte;

    if (ended || poll(&input, 1, 0) <= 0)
        return false;
    ended = read(0, &byte, 1) != 1;
    return !ended;
}

/* What a run is worked with. */
struct work {
    struct joiner *joiner; /* of the ranks, or NULL */
    struct run_spec spec;
    enum cpu_isa isa;
    struct peaks peaks;
    const struct workload *workload;
    struct net *net; /* NULL before it is made, and after worker_certify() has freed it */
};

static void worker_describe(const struct net *net, struct engine_details *details)
{
    const struct net_facts facts = net_facts(net);

    snprintf(details->plan, sizeof details->plan, "%s", facts.plan);
    snprintf(details->layout, sizeof details->layout, "%s", facts.layout ? facts.layout : "");
    details->parameters = facts.parameters;
    details->multiply_adds = facts.multiply_adds;
    details->backward_multiply_adds = facts.backward_multiply_adds;
    details->step_bytes = facts.step_bytes;
    details->memory_bytes = (long long)facts.memory;
    details->huge_pages = facts.huge_pages;
    details->emulated = facts.emulated;
}

static void tell_peaks(const struct peaks *peaks, struct engine_details *details)
{
    if (peaks->multiply_adds_per_second > 0)
        snprintf(details->peak_unit, sizeof details->peak_unit, "%s", peaks->unit);
    details->peak_multiply_adds_per_second = (long long)peaks->multiply_adds_per_second;
    details->peak_read_bytes_per_second = (long long)peaks->read_bytes_per_second;
}

static bool say_hello(const struct work *work, struct error *err)
{
    struct event hello = {.type = EVENT_HELLO, .hello = {.protocol = PROTOCOL_VERSION}};
    struct engine_details *details = &hello.hello.details;

    dnn_version(details->library, sizeof details->library);
    snprintf(details->isa, sizeof details->isa, "%s", cpu_isa_name(work->isa));
    details->threads = workload_threads(&work->spec);
    if (work->net)
        worker_describe(work->net, details);
    tell_peaks(&work->peaks, details);
    if (work->joiner)
        snprintf(hello.hello.software, sizeof hello.hello.software,
                 "pennyworth-worker-mpi " PENNYWORTH_VERSION ", %s, %d ranks, %lld threads",
                 details->library, work->joiner->ranks, details->threads);
    else
        snprintf(hello.hello.software, sizeof hello.hello.software,
                 "pennyworth-worker " PENNYWORTH_VERSION ", %s, %lld threads", details->library,
                 details->threads);
    return event_write(stdout, &hello, err);
}

/* The list of implementations while it grows. */
struct implementations {
    struct implementation list[IMPLEMENTATIONS];
    size_t count;
};

static void add_implementation(void *user, const char *layer, const char *pass, const char *name)
{
    struct implementations *all = user;

    if (all->count < COUNT(all->list))
        all->list[all->count++] = (struct implementation){layer, pass, name};
    /* The reference implementation computes the same, many times slower: the log must show it. */
    if (strstr(name, "ref"))
        fprintf(stderr, "%s of %s runs on oneDNN's %s\n", pass, layer, name);
}

/* Reported where it is available; its lack alone fails no run. */
static void worker_certify(struct work *work, struct event *done)
{
    const struct workload *workload = work->workload;
    struct certificate certificate;
    struct error err = {0};

    net_free(work->net); /* the certificate needs its memory */
    work->net = NULL;
    if (joiner_rank(work->joiner) > 0)
        return; /* the first rank prints it */
    if (strcmp(work->spec.precision, "f32") == 0)
        return;
    if (!workload->certify(&work->spec, work->isa, &certificate, &err)) {
        fprintf(stderr, "pennyworth-worker: no certificate of the gradient: %s\n", err.message);
        return;
    }
    done->done.certified = (struct certified){.whole_known = true,
                                              .whole = certificate.cosine,
                                              .worst_known = true,
                                              .worst = certificate.worst};
    if (certificate.worst < CERTIFICATE_WORST_MIN)
        fprintf(
            stderr,
            "pennyworth-worker: the gradient of %s differs from the f32 gradient: cosine %.4f\n",
            certificate.worst_name, certificate.worst);
}

static bool say_done(struct work *work, long long steps, struct error *err)
{
    struct event done = {
        .type = EVENT_DONE,
        .done = {.steps = steps,
                 .samples = steps * work->spec.batch_size * joiner_ranks(work->joiner),
                 .peak_memory_bytes = host_peak_memory() - canary_memory()}};
    struct implementations all = {.count = 0};
    bool ok = true;

    net_names(work->net, add_implementation, &all);
    if (all.count > 0) {
        done.done.implementations = implementations_to_text(all.list, all.count, err);
        ok = done.done.implementations != NULL;
    }
    worker_certify(work, &done);
    ok = ok && event_write(stdout, &done, err);
    event_clear(&done);
    return ok;
}

static bool tell_canary(struct error *err)
{
    struct event event = {.type = EVENT_CANARY, .canary = canary_run()};

    return event_write(stdout, &event, err);
}

static bool tell_step(long long index, const struct step *step, struct error *err)
{
    struct event event = {.type = EVENT_STEP,
                          .step = {.index = index,
                                   .nanoseconds = step->nanoseconds,
                                   .loss = step->loss,
                                   .split = step->split}};

    if (!isfinite(step->loss))
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the loss of step %lld is not a number: training has diverged", index);
    return event_write(stdout, &event, err);
}

/* The first rank decides for all whether there is a next step. */
static bool goes_on(struct work *work, long long index, long long most)
{
    bool on = index < most && (joiner_rank(work->joiner) > 0 || !received_enough());

    joiner_share(work->joiner, &on, sizeof on);
    return on;
}

/* The clock is read once between two steps, so writing the line of one step counts as part of the
 * next. Only canaries are outside of all steps. */
static bool worker_train(struct work *work, struct error *err)
{
    long long most = pace_steps_max(&work->spec), index = 0;
    long long border, canary_at;

    if (!tell_canary(err))
        return false;
    border = canary_at = host_clock_ns();
    for (; goes_on(work, index, most); index++) {
        struct step step = {0};
        long long end;

        if (border - canary_at >= CANARY_NS) {
            if (!tell_canary(err))
                return false;
            border = canary_at = host_clock_ns();
        }
        if (!net_step(work->net, &step.loss, &step.split, err))
            return false;
        end = host_clock_ns();
        step.nanoseconds = end - border;
        border = end;
        if (!tell_step(index, &step, err))
            return false;
    }
    return tell_canary(err) && say_done(work, index, err);
}

static struct peaks peaks_of(const struct work *work)
{
    const enum dnn_type type = workload_type(&work->spec);
    enum cpu_isa isa = work->isa;

    if (type == DNN_F32 && isa > work->workload->f32_most)
        isa = work->workload->f32_most;
    return peaks_measure(workload_threads(&work->spec), isa, type);
}

static bool worker_prepare(struct work *work, struct error *err)
{
    work->workload = workload_find(work->spec.workload, err);
    if (!work->workload || !host_settle(&work->spec, err) ||
        !native_can_train(&work->spec, err) ||
        !fastest_isa_use(work->spec.isa, workload_type(&work->spec), &work->isa, err))
        return false;
    work->peaks = peaks_of(work);
    work->net = work->workload->make(&work->spec, work->isa, work->joiner, err);
    return work->net != NULL;
}

static bool worker_work(struct joiner *joiner, struct error *err)
{
    struct work work = {.joiner = joiner};
    bool ok;

    if (!read_spec(joiner, &work.spec, err))
        return false;
    if (work.spec.batch_size == FIELD_IS_AUTO)
        return error_set(err, ERROR_INVALID, "batch_size",
                         "must be a number: the server chooses it for the worker");
    ok = worker_prepare(&work, err);
    /* The protocol wants a hello first, also from a worker that cannot start. */
    ok = say_hello(&work, ok ? err : NULL) && ok && worker_train(&work, err);
    net_free(work.net);
    return ok;
}

static int tell_failure(const struct joiner *joiner, const struct error *err)
{
    struct event failed = {.type = EVENT_FAILED};
    char text[sizeof err->field + sizeof err->message + 2];

    snprintf(text, sizeof text, "%s%s%s", err->field, err->field[0] ? ": " : "", err->message);
    joiner_complain(joiner, "pennyworth-worker", text);
    memcpy(failed.failed.message, text, sizeof failed.failed.message - 1); /* cut to fit */
    (void)!event_write(stdout, &failed, NULL);
    return 1;
}

int worker_program(int argc, char *argv[], struct joiner *joiner)
{
    struct error err = {0};

    if (argc > 1 && strcmp(argv[1], "verify") == 0)
        return verify_main(argc - 2, argv + 2, joiner);
    if (argc == 2 && strcmp(argv[1], "workloads") == 0) {
        workloads_list(stdout);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("pennyworth-worker " PENNYWORTH_VERSION);
        return 0;
    }
    if (argc > 1) {
        puts(
            "Usage: pennyworth-worker < SPEC\n"
            "       pennyworth-worker workloads | verify [OPTIONS]\n"
            "Trains what the spec (one line of JSON on stdin) says, and writes one line of JSON\n"
            "for each step to stdout. Try: echo '{\"steps\": 20}' | pennyworth-worker");
        return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    return worker_work(joiner, &err) ? 0 : tell_failure(joiner, &err);
}
