#include "engine/event.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <math.h>
#include <signal.h>

static bool read_text(const char *line, struct event *event, struct error *err)
{
    return event_read(line, strlen(line), event, err);
}

static void hello_is_read(void)
{
    struct event event;

    EXPECT(
        read_text("{\"type\":\"hello\",\"protocol\":1,\"software\":\"mine 3.1\"}", &event, NULL));
    EXPECT_INT(event.type, EVENT_HELLO);
    EXPECT_INT(event.hello.protocol, 1);
    EXPECT_STR(event.hello.software, "mine 3.1");

    EXPECT(read_text("{\"type\":\"hello\",\"protocol\":2}", &event, NULL));
    EXPECT_INT(event.hello.protocol, 2); /* whether we speak it is for the dialogue */
    EXPECT_STR(event.hello.software, "");
}

static void step_is_read(void)
{
    struct event event;

    EXPECT(read_text("{\"type\":\"step\",\"index\":7,\"nanoseconds\":123456789012,\"loss\":2.5}",
                     &event, NULL));
    EXPECT_INT(event.type, EVENT_STEP);
    EXPECT_INT(event.step.index, 7);
    EXPECT_INT(event.step.nanoseconds, 123456789012);
    EXPECT_NEAR(event.step.loss, 2.5, 0);

    EXPECT(
        read_text("{\"loss\":-3,\"index\":0,\"nanoseconds\":1,\"type\":\"step\"}", &event, NULL));
    EXPECT_NEAR(event.step.loss, -3, 0); /* a whole number is a number too */
}

static void done_and_failed_are_read(void)
{
    struct event event;

    EXPECT(read_text("{\"type\":\"done\",\"steps\":12}", &event, NULL));
    EXPECT_INT(event.type, EVENT_DONE);
    EXPECT_INT(event.done.steps, 12);

    EXPECT(read_text("{\"type\":\"failed\",\"message\":\"no memory\"}", &event, NULL));
    EXPECT_INT(event.type, EVENT_FAILED);
    EXPECT_STR(event.failed.message, "no memory");
}

static void an_engine_may_say_more_than_we_know(void)
{
    struct event event;

    EXPECT(read_text(" {\"type\": \"done\", \"steps\": 1, \"mood\": {\"good\": [true]}} ", &event,
                     NULL));
    EXPECT_INT(event.done.steps, 1);
}

static void only_the_given_length_is_read(void)
{
    static const char line[] = "{\"type\":\"done\",\"steps\":1}garbage";
    struct event event;

    EXPECT(event_read(line, strlen(line) - strlen("garbage"), &event, NULL));
    EXPECT(!event_read(line, strlen(line), &event, NULL));
}

#define STEP "{\"type\":\"step\","
static const struct {
    const char *line, *message; /* the message's beginning: the rest is jansson's */
} refusals[] = {
    {"", "a worker line is not JSON: "},
    {"Epoch 1/10", "a worker line is not JSON: "},
    {"{\"type\":\"done\",\"steps\":1", "a worker line is not JSON: "},
    {"{\"type\":\"done\",\"steps\":1} {}", "a worker line is not JSON: "},
    {"{\"type\":\"done\",\"steps\":1,\"steps\":2}", "a worker line is not JSON: duplicate"},
    {"{\"type\":\"done\",\"steps\":99999999999999999999}", "a worker line is not JSON: too big"},
    {"\xff\xfe", "a worker line is not JSON: "},
    {"42", "a worker line is not JSON: "},
    {"[]", "unknown worker event ''"},
    {"{}", "unknown worker event ''"},
    {"{\"type\":7}", "unknown worker event ''"},
    {"{\"type\":null}", "unknown worker event ''"},
    {"{\"type\":\"Step\"}", "unknown worker event 'Step'"},
    {"{\"type\":\"caf\xc3\xa9\"}", "unknown worker event 'caf?\?'"},
    {"{\"type\":\"a name of more than thirty-two letters\"}",
     "unknown worker event 'a name of more than thirty-two l'"},
    {"{\"type\":\"hello\"}", "bad hello event: "},
    {"{\"type\":\"hello\",\"protocol\":\"1\"}", "bad hello event: "},
    {"{\"type\":\"hello\",\"protocol\":1.0}", "bad hello event: "},
    {"{\"type\":\"hello\",\"protocol\":1,\"software\":5}", "bad hello event: "},
    {STEP "\"nanoseconds\":1,\"loss\":1}", "bad step event: "},
    {STEP "\"index\":0,\"loss\":1}", "bad step event: "},
    {STEP "\"index\":0,\"nanoseconds\":1}", "bad step event: "},
    {STEP "\"index\":0.5,\"nanoseconds\":1,\"loss\":1}", "bad step event: "},
    {STEP "\"index\":0,\"nanoseconds\":1e3,\"loss\":1}", "bad step event: "},
    {STEP "\"index\":0,\"nanoseconds\":1,\"loss\":null}", "bad step event: "},
    {STEP "\"index\":0,\"nanoseconds\":1,\"loss\":\"1\"}", "bad step event: "},
    {STEP "\"index\":0,\"nanoseconds\":1,\"loss\":NaN}", "a worker line is not JSON: "},
    {STEP "\"index\":0,\"nanoseconds\":1,\"loss\":1e999}", "a worker line is not JSON: "},
    {"{\"type\":\"done\"}", "bad done event: "},
    {"{\"type\":\"done\",\"steps\":true}", "bad done event: "},
    {"{\"type\":\"failed\"}", "bad failed event: "},
    {"{\"type\":\"failed\",\"message\":1}", "bad failed event: "},
};

static void a_bad_line_is_explained_and_fills_nothing(void)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct event event, before;
        struct error err = {0};

        memset(&event, 0x5a, sizeof event);
        memset(&before, 0x5a, sizeof before);
        EXPECT(!read_text(refusals[i].line, &event, &err));
        EXPECT_INT(err.kind, ERROR_UPSTREAM);
        err.message[strlen(refusals[i].message)] = '\0';
        EXPECT_STR(err.message, refusals[i].message);
        EXPECT(memcmp(&event, &before, sizeof event) == 0);
    }
}

/* They end up in our log and on pages. */
static void their_words_are_cut_and_made_printable(void)
{
    struct event event;
    char line[600], words[400];

    EXPECT(read_text("{\"type\":\"failed\",\"message\":\"~a\\nb \xc3\xa9 \\u001b[0m\"}", &event,
                     NULL));
    EXPECT_STR(event.failed.message, "~a?b ?? ?[0m");

    memset(words, 'w', sizeof words);
    words[sizeof words - 1] = '\0';
    snprintf(line, sizeof line, "{\"type\":\"failed\",\"message\":\"%s\"}", words);
    EXPECT(read_text(line, &event, NULL));
    EXPECT_INT((long long)strlen(event.failed.message), 159);
    EXPECT_INT((long long)strspn(event.failed.message, "w"), 159);

    snprintf(line, sizeof line, "{\"type\":\"hello\",\"protocol\":1,\"software\":\"%s\"}", words);
    EXPECT(read_text(line, &event, NULL));
    EXPECT_INT((long long)strlen(event.hello.software), SOFTWARE_MAX - 1);

    words[159] = '\0'; /* what PROTOCOL.md allows is kept whole */
    snprintf(line, sizeof line, "{\"type\":\"failed\",\"message\":\"%s\"}", words);
    EXPECT(read_text(line, &event, NULL));
    EXPECT_STR(event.failed.message, words);
}

static const struct {
    struct event event;
    const char *line;
} written[] = {
    {{.type = EVENT_HELLO, .hello = {1, "mine \"3\""}},
     "{\"type\":\"hello\",\"protocol\":1,\"software\":\"mine \\\"3\\\"\"}\n"},
    {{.type = EVENT_STEP, .step = {3, 1500, 0.5}},
     "{\"type\":\"step\",\"index\":3,\"nanoseconds\":1500,\"loss\":0.5}\n"},
    {{.type = EVENT_DONE, .done = {4}}, "{\"type\":\"done\",\"steps\":4}\n"},
    {{.type = EVENT_FAILED, .failed = {"no"}}, "{\"type\":\"failed\",\"message\":\"no\"}\n"},
};

static void an_event_is_one_line_flushed_at_once(void)
{
    for (size_t i = 0; i < COUNT(written); i++) {
        AUTO(freep) char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        struct event again;

        EXPECT(event_write(out, &written[i].event, NULL));
        EXPECT_STR(text, written[i].line); /* before fclose() */
        EXPECT(event_read(text, size - 1, &again, NULL));
        EXPECT_INT(again.type, written[i].event.type);
        fclose(out);
    }
}

/* Whatever a double holds comes back as the same bits. */
static void a_loss_survives_being_written(void)
{
    static const double losses[] = {0.1, 1.0 / 3, 6.907755278982137, 1e-300, -1.7e308, 5e-324};

    for (size_t i = 0; i < COUNT(losses); i++) {
        const struct event event = {.type = EVENT_STEP, .step = {0, 1, losses[i]}};
        AUTO(freep) char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        struct event again = {0};

        EXPECT(event_write(out, &event, NULL));
        fclose(out);
        EXPECT(event_read(text, size - 1, &again, NULL));
        EXPECT_NEAR(again.step.loss, losses[i], 0);
    }
}

static void a_loss_that_is_no_number_is_called_that(void)
{
    const double losses[] = {NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < COUNT(losses); i++) {
        const struct event event = {.type = EVENT_STEP, .step = {12, 1, losses[i]}};
        AUTO(freep) char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        struct error err = {0};

        EXPECT(!event_write(out, &event, &err));
        EXPECT_STR(err.message, "step 12: the loss is not a number");
        fclose(out);
        EXPECT_INT((long long)size, 0);
    }
}

static void a_reader_that_is_gone_is_an_error(void)
{
    const struct event event = {.type = EVENT_DONE, .done = {4}};
    struct error full = {0}, gone = {0};
    FILE *out = fopen("/dev/full", "we");
    int ends[2];

    EXPECT(!event_write(out, &event, &full));
    EXPECT_STR(full.message, "the server closed the event pipe");
    fclose(out);

    signal(SIGPIPE, SIG_IGN);
    EXPECT_INT(pipe(ends), 0);
    out = fdopen(ends[1], "w");
    close(ends[0]);
    EXPECT(!event_write(out, &event, &gone));
    EXPECT_INT(gone.kind, ERROR_INTERNAL);
    fclose(out);
}

int main(void)
{
    RUN(hello_is_read);
    RUN(step_is_read);
    RUN(done_and_failed_are_read);
    RUN(an_engine_may_say_more_than_we_know);
    RUN(only_the_given_length_is_read);
    RUN(a_bad_line_is_explained_and_fills_nothing);
    RUN(their_words_are_cut_and_made_printable);
    RUN(an_event_is_one_line_flushed_at_once);
    RUN(a_loss_survives_being_written);
    RUN(a_loss_that_is_no_number_is_called_that);
    RUN(a_reader_that_is_gone_is_an_error);
    return test_result();
}
