/* The real worker, seen through the server's own eyes. */
#include "engine/protocol/event.h"

#include "tests/engine/process/workers.h"

#include <math.h>

bool test_begin(void)
{
    return workers_can_be_started() && getenv("PENNYWORTH_TEST_WORKER");
}

static struct worker *start_worker(const char *spec, long long steps_max)
{
    char program[4096];

    snprintf(program, sizeof program, "%s", getenv("PENNYWORTH_TEST_WORKER"));
    return start_with((char *const[]){program, NULL}, CONFINE_OTHERS, spec, steps_max);
}

/* The next event but canaries, which is of this type. Returns how many canaries came before it:
 * they come before the first step, behind the last, and every ten seconds. */
static int expect_behind_canaries(struct worker *worker, enum event_type type,
                                  struct event *ret_event)
{
    struct error err = {0};

    for (int canaries = 0;; canaries++) {
        *ret_event = (struct event){0};
        EXPECT_INT(worker_next(worker, clock_monotonic_ns() + PATIENCE, -1, ret_event, &err),
                   WORKER_EVENT);
        if (ret_event->type != EVENT_CANARY) {
            EXPECT_INT(ret_event->type, type);
            return canaries;
        }
        EXPECT(ret_event->canary.hertz > 1e8);
        EXPECT(ret_event->canary.copy_bytes_per_second > 1e7);
    }
}

static long long sum_of(const struct step_split *split)
{
    return split->input + split->forward + split->backward + split->update + split->communication;
}

TEST(it_trains_what_the_spec_says)
{
    struct worker *worker =
        start_worker("{\"workload\":\"lstm2017\",\"precision\":\"f32\",\"warmup_steps\":2,"
                     "\"steps\":22,\"batch_size\":64,\"threads\":1,\"seed\":3}",
                     24);
    double first = 0, last = 0;
    struct event event;

    expect_event(worker, EVENT_HELLO, &event);
    EXPECT(strncmp(event.hello.software, "pennyworth-worker " PENNYWORTH_VERSION ", oneDNN ",
                   strlen("pennyworth-worker " PENNYWORTH_VERSION ", oneDNN ")) == 0);
    EXPECT_PART(event.hello.software, ", 1 threads");
    EXPECT_INT(event.hello.details.threads, 1);
    EXPECT_INT(event.hello.details.parameters, 103097);
    EXPECT_STR(event.hello.details.plan, "layerwise");
    EXPECT_STR(event.hello.details.layout, ""); /* it has no images */
    EXPECT(event.hello.details.peak_unit[0] != '\0');
    EXPECT(event.hello.details.peak_multiply_adds_per_second > 100000000);
    EXPECT(strncmp(event.hello.details.library, "oneDNN ", 7) == 0);
    EXPECT(event.hello.details.isa[0] != '\0');
    for (int i = 0; i < 24; i++) {
        EXPECT(expect_behind_canaries(worker, EVENT_STEP, &event) > 0 || i > 0);
        EXPECT_INT(event.step.index, i);
        EXPECT(event.step.nanoseconds > 0);
        EXPECT(event.step.split.forward > 0 && event.step.split.backward > 0);
        EXPECT(event.step.split.update > 0);
        last = event.step.loss;
        first = i == 0 ? last : first;
    }
    EXPECT_NEAR(first, log(57), 0.5);
    EXPECT(last < first - 0.2); /* a benchmark that skips the work looks wonderful */
    EXPECT(expect_behind_canaries(worker, EVENT_DONE, &event) > 0);
    EXPECT_INT(event.done.steps, 24);
    EXPECT_INT(event.done.samples, 24 * 64);
    EXPECT(!event.done.certified.whole_known); /* f32 is what others are held against */
    EXPECT(event.done.peak_memory_bytes > 1 << 20);
    expect_finished_and_free(worker);
}

/* Starts a step of ResNet-50 with instructions of AVX2 at most; returns what hello says of the
 * engine. */
static struct worker *start_resnet50(const char *precision, struct event *ret_hello)
{
    char spec[200];
    struct worker *worker;

    snprintf(
        spec, sizeof spec,
        "{\"workload\":\"resnet50\",\"precision\":\"%s\",\"plan\":\"fixed\",\"isa\":\"avx2\","
        "\"warmup_steps\":0,\"steps\":1,\"batch_size\":2}",
        precision);
    worker = start_worker(spec, 1);
    expect_event(worker, EVENT_HELLO, ret_hello);
    EXPECT_STR(ret_hello->hello.details.plan, "fixed");
    if (strcmp(ret_hello->hello.details.isa, "base") != 0) /* no more than was asked for */
        EXPECT_STR(ret_hello->hello.details.isa, "avx2");
    return worker;
}

/* Reads all up to "done", which it returns. */
static void expect_step_and_done(struct worker *worker, struct event *ret_done)
{
    struct event event;

    EXPECT(expect_behind_canaries(worker, EVENT_STEP, &event) > 0);
    EXPECT_NEAR(event.step.loss, log(1000), 0.5);
    EXPECT(event.step.split.forward > 0 && event.step.split.backward > 0);
    EXPECT(sum_of(&event.step.split) >= event.step.nanoseconds * 9 / 10);
    EXPECT(expect_behind_canaries(worker, EVENT_DONE, ret_done) > 0);
}

TEST(of_resnet50_it_says_how_it_is_trained)
{
    const struct engine_details *details;
    struct event event;
    struct worker *worker = start_resnet50("f32", &event);

    details = &event.hello.details;
    EXPECT_INT(details->parameters, 25557032);
    EXPECT_INT(details->multiply_adds, 4089184256);
    EXPECT_STR(details->layout, "nhwc");
    EXPECT_INT(details->backward_multiply_adds, 8060354560);
    EXPECT(strstr(details->peak_unit, "512") == NULL);
    EXPECT(details->memory_bytes > 100 << 20);
    EXPECT_INT(details->emulated, ANSWER_NO);
    expect_step_and_done(worker, &event);
    EXPECT_PART(event.done.implementations, "\"layer4.2.conv3\":{\"forward\":");
    EXPECT(strstr(event.done.implementations, "avx512") == NULL);
    event_clear(&event);
    expect_finished_and_free(worker);
}

TEST(bf16_without_its_instructions_is_said_to_be_emulated)
{
    struct event event;
    struct worker *worker = start_resnet50("bf16", &event);

    EXPECT_PART(event.hello.details.peak_unit, "bits"); /* as it computes */
    EXPECT_INT(event.hello.details.emulated, ANSWER_YES);
    worker_free(worker);
}

/* Ten seconds, and a minute with sanitizers. */
static bool has_time_for_a_certificate(void)
{
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    return !getenv("PENNYWORTH_TEST_SEED"); /* of ./test */
#endif
}

TEST_WHERE(has_time_for_a_certificate, in_bf16_it_certifies_the_gradient_of_resnet50)
{
    struct event event;
    struct worker *worker = start_resnet50("bf16", &event);

    expect_step_and_done(worker, &event);
    EXPECT(event.done.certified.whole_known && event.done.certified.worst_known);
    EXPECT(event.done.certified.whole > 0.99 && event.done.certified.whole < 1);
    event_clear(&event);
    expect_finished_and_free(worker);
}

static int threads_of_run(const char *process, const char *run_id)
{
    char path[300];

    snprintf(path, sizeof path, "/proc/%s/task", process);
    return process_is_of_run(process, run_id) ? directory_size(path) : 0;
}

/* Compared, because a sanitizer may add a thread of its own to a process that has several. */
TEST(it_uses_the_threads_of_its_spec_and_ends_on_request)
{
    static const char *const specs[] = {
        "{\"workload\":\"mlp2017\",\"steps\":\"auto\",\"threads\":2,\"batch_size\":64}",
        "{\"workload\":\"mlp2017\",\"steps\":\"auto\",\"threads\":5,\"batch_size\":64}",
    };
    int threads[COUNT(specs)];

    for (size_t i = 0; i < COUNT(specs); i++) {
        struct worker *worker = start_worker(specs[i], 1000005);

        for (int n = 0; n < 3; n++)
            EXPECT_INT(next_within(worker, PATIENCE), WORKER_EVENT);
        threads[i] = sum_over_processes(threads_of_run, run.text);
        if (i == 0)
            expect_done_soon(worker);
        worker_free(worker);
    }
    EXPECT(threads[0] >= 2);
    EXPECT_INT(threads[1] - threads[0], 3);
}

static const struct {
    const char *spec;
    int events;
    const char *message, *words;
} refusals[] = {
    {"{\"batch_size\":1}", 1, "batch_size: must be at least 2 for resnet50",
     "pennyworth-worker: batch_size: must be at least 2 for resnet50\n"},
    {"{\"workload\":\"mlp2017\",\"layout\":\"nchw\"}", 1,
     "layout: mlp2017 has one layout, so only auto",
     "pennyworth-worker: layout: mlp2017 has one layout, so only auto\n"},
    /* Before hello "failed" is not allowed: its stderr has the words. */
    {"{\"steps\":0}", 0, "the worker did not begin with 'hello'",
     "pennyworth-worker: steps: must be between 1 and 1000000, got 0\n"},
    {"nonsense", 0, "the worker did not begin with 'hello'", NULL},
    {"", 0, "the worker did not begin with 'hello'", NULL},
};

TEST(what_it_cannot_train_it_says)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct worker *worker = start_worker(refusals[i].spec, 1000);
        struct error err = {0};
        enum worker_read end;

        EXPECT_INT(read_all(worker, &end, &err), refusals[i].events);
        EXPECT_INT(end, WORKER_FAILED);
        EXPECT_STR(err.message, refusals[i].message);

        AUTO(freep) char *words = worker_last_words(worker);
        if (refusals[i].words)
            EXPECT_STR(words, refusals[i].words);
        worker_free(worker);
    }
}

/* Output of a command line, with stdin from /dev/null. */
static int output_of(const char *arguments, char *text, size_t size)
{
    char command[4200];

    snprintf(command, sizeof command, "'%s' %s 2>/dev/null", getenv("PENNYWORTH_TEST_WORKER"),
             arguments);
    FILE *output = popen(command, "re");
    size_t length = output ? fread(text, 1, size - 1, output) : 0;
    int status = output ? pclose(output) : -1;

    text[length] = '\0';
    return status >= 0 ? status >> 8 : -1;
}

TEST(people_can_ask_it_and_pipe_a_spec_into_it)
{
    char text[4000];

    EXPECT_INT(output_of("--version", text, sizeof text), 0);
    EXPECT_STR(text, "pennyworth-worker " PENNYWORTH_VERSION "\n");
    EXPECT_INT(output_of("--help", text, sizeof text), 0);
    EXPECT(strncmp(text, "Usage: pennyworth-worker < SPEC\n", 32) == 0);
    EXPECT_INT(output_of("--nonsense", text, sizeof text), 2);
    EXPECT_INT(output_of("</dev/null", text, sizeof text), 1);
    EXPECT_PART(text, "expected a spec of one line on stdin");

    /* The end of the file is no "enough": all steps are made. */
    EXPECT_INT(
        output_of("<<'END'\n{\"workload\":\"mlp2017\",\"steps\":3,\"warmup_steps\":0}\nEND\n",
                  text, sizeof text),
        0);
    EXPECT_PART(text, "{\"type\":\"done\",\"steps\":3,\"samples\":");
}
