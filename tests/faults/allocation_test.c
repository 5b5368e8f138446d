/* Every allocation fails, each in its turn: nothing crashes, nothing leaks (the address sanitizer
 * looks), and who asks again when there is memory is served.
 *
 * The texts that are parsed here have no token over 15 bytes: jansson 2.14 does not notice when
 * it cannot make room for a longer one. */
#include "tests/faults/shortages.h"

#include "common/clock.h"
#include "engine/process/worker.h"
#include "engine/protocol/event.h"
#include "engine/run/run_roofline.h"
#include "engine/stats/summary.h"
#include "tests/faults/template.h"

#include <signal.h>

#define SPEC "{\"workload\":\"mlp\",\"batch_size\":8,\"labels\":{\"branch\":\"main\",\"x\":\"\"}}"
#define HELLO "{\"type\":\"hello\",\"protocol\":1,\"isa\":\"avx2\",\"emulated\":true}"
#define DONE "{\"type\":\"done\",\"steps\":1,\"samples\":7}"
#define STEP "{\"type\":\"step\",\"index\":1,\"nanoseconds\":5,\"loss\":1.5}"

static bool or_out_of_memory(bool ok, struct error *err)
{
    return ok || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static bool read_spec(struct error *err)
{
    struct run_spec spec = {.batch_size = 77};

    ration_start();
    bool ok = run_spec_from_text(SPEC, strlen(SPEC), &spec, err);
    ration_stop();
    EXPECT_INT(spec.batch_size, ok ? 8 : 77);
    EXPECT(!ok || (spec.label_count == 2 && strcmp(spec.labels[0].value, "main") == 0));
    return ok;
}

static bool write_spec(struct error *err)
{
    struct run_spec spec = labelled_spec(), again = {0};

    ration_start();
    AUTO(freep) char *text = run_spec_to_text(&spec);
    ration_stop();
    if (text) {
        EXPECT(run_spec_from_text(text, strlen(text), &again, NULL));
        EXPECT_INT(again.label_count, 2);
        EXPECT_STR(again.engine, spec.engine);
    }
    return or_out_of_memory(text != NULL, err);
}

static bool describe_spec(struct error *err)
{
    AUTO(json_decrefp) json_t *whole = run_spec_schema();

    ration_start();
    AUTO(json_decrefp) json_t *schema = run_spec_schema();
    ration_stop();
    EXPECT(!schema || json_equal(schema, whole)); /* nothing is left out */
    return or_out_of_memory(schema != NULL, err);
}

static bool read_event(struct error *err)
{
    struct event event = {.step.nanoseconds = 77};

    ration_start();
    bool ok = event_read(STEP, strlen(STEP), &event, err);
    ration_stop();
    EXPECT_INT(event.step.nanoseconds, ok ? 5 : 77);
    return ok;
}

static bool write_event(struct error *err)
{
    const struct event event = {EVENT_STEP, .step = {.index = 1, .nanoseconds = 5, .loss = 1.5}};
    char text[200] = "";
    AUTO(fclosep) FILE *out = fmemopen(text, sizeof text, "w");
    bool ok;

    setvbuf(out, NULL, _IONBF, 0);
    ration_start();
    ok = event_write(out, &event, err);
    ration_stop();
    if (ok)
        EXPECT_STR(text, STEP "\n");
    return ok;
}

/* With all optional members. */
static bool read_talkative_events(struct error *err)
{
    AUTO(event_clear) struct event done = {0};
    struct event hello;

    ration_start();
    bool ok = event_read(HELLO, strlen(HELLO), &hello, err) &&
              event_read(DONE, strlen(DONE), &done, err);
    ration_stop();
    if (ok) {
        EXPECT_STR(hello.hello.details.isa, "avx2");
        EXPECT(done.done.samples == 7);
    }
    return ok;
}

static bool write_talkative_events(struct error *err)
{
    static char implementations[] = "{\"fc\":{\"fwd\":\"jit\"}}";
    const struct event hello = {.type = EVENT_HELLO, .hello = {1, "s", {.isa = "avx2"}}};
    const struct event step = {.type = EVENT_STEP, .step = {1, 5, 1.5, {1, 1, 1, 1, 0}}};
    const struct event done = {.type = EVENT_DONE, .done = {.implementations = implementations}};
    char text[400] = "";
    AUTO(fclosep) FILE *out = fmemopen(text, sizeof text, "w");

    setvbuf(out, NULL, _IONBF, 0);
    ration_start();
    bool ok = event_write(out, &hello, err) && event_write(out, &step, err) &&
              event_write(out, &done, err);
    ration_stop();
    if (ok)
        EXPECT(strstr(text, ",\"isa\":\"avx2\"}\n") && strstr(text, "\"communication\":0}}\n") &&
               strstr(text, ":{\"fc\":{\"fwd\":\"jit\"}}}\n"));
    return ok;
}

static bool describe_engine(struct error *err)
{
    const struct engine_details details = {.isa = "avx2", .emulated = ANSWER_YES};

    ration_start();
    AUTO(freep) char *text = engine_details_to_text(&details);
    ration_stop();
    if (text)
        EXPECT(strstr(text, "\"isa\":\"avx2\"") && strstr(text, "\"huge_pages\":null"));
    return or_out_of_memory(text != NULL, err);
}

static bool find_roof(struct error *err)
{
    static char spec[] = "{\"batch_size\":8}", details[] = "{\"isa\":null,\"threads\":2}",
                summary[] = "{\"split\":{\"input_seconds\":0.25}}";
    const struct run run = {.state = RUN_FINISHED,
                            .spec_text = spec,
                            .engine_details = details,
                            .summary_text = summary,
                            .summary = {.measured_steps = 2, .measured_seconds = 1}};
    struct engine_details read;
    struct roofline roofline;
    bool known = false;

    ration_start();
    bool ok = run_roofline(&run, &known, &read, &roofline, err);
    ration_stop();
    if (ok)
        EXPECT(known && read.threads == 2 && roofline.phases[0].seconds == 0.25);
    return ok;
}

static bool list_implementations(struct error *err)
{
    static const struct implementation list[] = {
        {"a", "f", "x"}, {"a", "b", "y"}, {"c", "f", "z"}};

    ration_start();
    AUTO(freep) char *text = implementations_to_text(list, COUNT(list), err);
    ration_stop();
    if (text)
        EXPECT_STR(text, "{\"a\":{\"f\":\"x\",\"b\":\"y\"},\"c\":{\"f\":\"z\"}}");
    return text != NULL;
}

static bool read_implementations(struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_pack("{s:{s:s}}", "a", "f", "x");

    ration_start();
    AUTO(freep) char *text = implementations_from_json(json, err);
    ration_stop();
    if (text)
        EXPECT_STR(text, "{\"a\":{\"f\":\"x\"}}");
    return text != NULL;
}

static bool add_bytes(struct error *err)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 100000};
    char piece[700] = {0};
    size_t added = 0;
    bool ok = true;

    ration_start();
    for (int i = 0; ok && i < 100; i++) {
        ok = bytes_add(&bytes, piece, sizeof piece) && bytes_printf(&bytes, "%d", 7);
        added += ok ? sizeof piece + 1 : 0;
    }
    ration_stop();
    EXPECT(bytes.used == added || bytes.used == added + sizeof piece);
    return or_out_of_memory(ok, err);
}

static bool add_steps(struct error *err)
{
    AUTO(steps_free) struct steps steps = {0};
    size_t added = 0;

    ration_start();
    while (added < 1000 && steps_add(&steps, (struct step){.nanoseconds = (long long)added + 1}))
        added++;
    ration_stop();
    EXPECT_INT((long long)steps.count, (long long)added);
    for (size_t i = 0; i < steps.count; i++)
        EXPECT_INT(steps.items[i].nanoseconds, (long long)i + 1);
    return or_out_of_memory(added == 1000, err);
}

static bool summarize(struct error *err)
{
    struct step items[] = {{.nanoseconds = 1000}, {.nanoseconds = 2000}, {.nanoseconds = 4000}};
    struct steps steps = {items, 3, 3};
    const struct summary_rules rules = {.warmup_steps = 1, .steps = 2, .run_id = ""};
    struct summary summary = {0};

    ration_start();
    bool ok = summary_compute(&steps, &rules, &summary, err);
    ration_stop();
    EXPECT_INT(summary.measured_steps, ok ? 2 : 0);
    return ok;
}

static void texts_and_values_survive_every_shortage(void)
{
    survive_every_shortage("read spec", read_spec);
    survive_every_shortage("write spec", write_spec);
    survive_every_shortage("describe spec", describe_spec);
    survive_every_shortage("read event", read_event);
    survive_every_shortage("write event", write_event);
    survive_every_shortage("read more events", read_talkative_events);
    survive_every_shortage("write more events", write_talkative_events);
    survive_every_shortage("describe engine", describe_engine);
    survive_every_shortage("find roof", find_roof);
    survive_every_shortage("list implementations", list_implementations);
    survive_every_shortage("read implementations", read_implementations);
    survive_every_shortage("bytes", add_bytes);
    survive_every_shortage("steps", add_steps);
    survive_every_shortage("summary", summarize);
}

/* Says what a healthy worker says, once it has its spec. */
static struct worker *start_worker(struct error *err)
{
    static char shell[] = "sh", dash_c[] = "-c";
    static char script[] = "read spec; echo '{\"type\":\"hello\",\"protocol\":1}';"
                           "echo '{\"type\":\"step\",\"index\":0,\"nanoseconds\":5,\"loss\":1}';"
                           "echo '{\"type\":\"done\",\"steps\":1}'";
    static char *const command[] = {shell, dash_c, script, NULL};

    return worker_start(&(struct launch){command, "allocation-test", "", CONFINE_OTHERS, NULL},
                        "{}", 1, err);
}

static bool begin_worker(struct error *err)
{
    ration_start();
    struct worker *worker = start_worker(err);
    ration_stop();
    worker_free(worker);
    return worker != NULL;
}

static bool listen_to_worker(struct error *err)
{
    long long deadline = clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND;
    struct worker *worker = start_worker(NULL);
    enum worker_read got = WORKER_EVENT;
    struct event event;
    int events = 0;

    EXPECT(worker != NULL);
    ration_start();
    while (worker && (got = worker_next(worker, deadline, -1, &event, err)) == WORKER_EVENT)
        events++;
    ration_stop();
    worker_free(worker);
    EXPECT(got == WORKER_FINISHED ? events == 3 : got == WORKER_FAILED);
    return got == WORKER_FINISHED;
}

static void a_worker_starts_and_reports_or_fails_cleanly_without_memory(void)
{
    survive_every_shortage("start worker", begin_worker);
    survive_every_shortage("worker's words", listen_to_worker);
}

static void memory_really_runs_out(void)
{
    ration_set(1, false);
    ration_start();
    char *volatile first = strdup("a"), *volatile second = strdup("b");
    char *volatile third = strdup("c"); /* volatile: the compiler knows what strdup() does */
    ration_stop();
    EXPECT(first && !second && third);
    free(first);
    free(third);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the server does */
    RUN(memory_really_runs_out);
    RUN(texts_and_values_survive_every_shortage);
    RUN(a_worker_starts_and_reports_or_fails_cleanly_without_memory);
    return test_result();
}
