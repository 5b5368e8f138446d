#include "engine/protocol/event.h"

#include "tests/test.h"

#include <math.h>
#include <signal.h>

static bool read_text(const char *line, struct event *event, struct error *err)
{
    return event_read(line, strlen(line), event, err);
}

TEST(a_cleared_event_owns_nothing)
{
    struct event zeroed = {0};
    struct event done = {.type = EVENT_DONE, .done = {.steps = 7}};

    event_clear(&zeroed);
    done.done.implementations = strdup("{}");
    event_clear(&done);
    EXPECT(done.done.implementations == NULL);
    event_clear(&done);
    EXPECT_INT(done.done.steps, 7);
}

TEST(only_the_given_length_is_read)
{
    static const char line[] = "{\"type\":\"done\",\"steps\":1}garbage";
    struct event event;

    EXPECT(event_read(line, strlen(line) - strlen("garbage"), &event, NULL));
    EXPECT(!event_read(line, strlen(line), &event, NULL));
}

#define STEP "{\"type\":\"step\","
#define HELLO "{\"type\":\"hello\",\"protocol\":1,"
#define SPLIT STEP "\"index\":0,\"nanoseconds\":100,\"loss\":1.0,\"split\":"
#define CANARY "{\"type\":\"canary\""
#define DONE "{\"type\":\"done\",\"steps\":1,"
#define ANY_COUNT "must be between 0 and 9007199254740991, got "
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
    {CANARY "}", "bad canary event: "},
    {CANARY ",\"hertz\":3e9}", "bad canary event: "},
    {CANARY ",\"hertz\":0,\"copy_bytes_per_second\":1e9}", "bad canary event: "},
    {CANARY ",\"hertz\":\"3\",\"copy_bytes_per_second\":1e9}", "bad canary event: "},
    {CANARY ",\"hertz\":3e9,\"copy_bytes_per_second\":-1}", "bad canary event: "},
    {CANARY ",\"hertz\":1e13,\"copy_bytes_per_second\":1}", "bad canary event: "},
    {HELLO "\"threads\":-1}", "bad hello event: threads " ANY_COUNT "-1"}, /* details_test.c */
    {SPLIT "7}", "bad step event: split must be an object"},
    {SPLIT "{}}", "bad step event: split.input is missing"},
    {SPLIT "{\"input\":0,\"forward\":0,\"backward\":0}}",
     "bad step event: split.update is missing"},
    {SPLIT "{\"input\":-1,\"forward\":0,\"backward\":0,\"update\":0}}",
     "bad step event: split.input must be between 0 and 100, got -1"},
    {SPLIT "{\"input\":10,\"forward\":40,\"backward\":40,\"update\":11}}",
     "bad step event: split.update must be between 0 and 10, got 11"},
    {SPLIT "{\"input\":1.5,\"forward\":0,\"backward\":0,\"update\":0}}",
     "bad step event: split.input must be an integer, got a fraction"},
    {STEP "\"index\":0,\"nanoseconds\":-5,\"loss\":1,\"split\":{\"input\":1}}",
     "bad step event: split.input must be between 0 and 0, got 1"},
    {DONE "\"samples\":-2}", "bad done event: samples " ANY_COUNT "-2"},
    {DONE "\"peak_memory_bytes\":\"much\"}",
     "bad done event: peak_memory_bytes must be an integer, got a string"},
    {DONE "\"implementations\":null}", /* implementations_test.c */
     "bad done event: implementations must be an object of objects of strings"},
    {DONE "\"gradient_cosine\":1.5}", "bad done event: "},
    {DONE "\"gradient_cosine\":\"1\"}", "bad done event: "},
    {"{\"type\":\"failed\",\"message\":1}", "bad failed event: "},
};

TEST(a_bad_line_is_explained_and_fills_nothing)
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
TEST(their_words_are_cut_and_made_printable)
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
    EXPECT_INT((long long)strlen(event.hello.software), SOFTWARE_SIZE - 1);

    words[159] = '\0'; /* what PROTOCOL.md allows is kept whole */
    snprintf(line, sizeof line, "{\"type\":\"failed\",\"message\":\"%s\"}", words);
    EXPECT(read_text(line, &event, NULL));
    EXPECT_STR(event.failed.message, words);
}

static char implementations[] = "{\"fc\":{\"forward\":\"jit\"}}";
/* Written, and read back: so these lines are what is said of both. */
static const struct {
    struct event event;
    const char *line;
} written[] = {
    {{.type = EVENT_HELLO, .hello = {.protocol = 1, .software = "mine \"3\""}},
     "{\"type\":\"hello\",\"protocol\":1,\"software\":\"mine \\\"3\\\"\"}\n"},
    {{.type = EVENT_HELLO,
      .hello = {.protocol = 1,
                .software = "s",
                .details = {.isa = "avx2", .parameters = 25557032, .emulated = ANSWER_NO}}},
     "{\"type\":\"hello\",\"protocol\":1,\"software\":\"s\",\"isa\":\"avx2\","
     "\"parameters\":25557032,\"emulated\":false}\n"},
    {{.type = EVENT_STEP, .step = {.index = 3, .nanoseconds = 1500, .loss = 0.5}},
     "{\"type\":\"step\",\"index\":3,\"nanoseconds\":1500,\"loss\":0.5}\n"},
    {{.type = EVENT_STEP, .step = {3, 1500, 0.5, {0, 500, 900, 100, 0}}},
     "{\"type\":\"step\",\"index\":3,\"nanoseconds\":1500,\"loss\":0.5,\"split\":"
     "{\"input\":0,\"forward\":500,\"backward\":900,\"update\":100,\"communication\":0}}\n"},
    {{.type = EVENT_CANARY, .canary = {2.5e9, 1.5e10}},
     "{\"type\":\"canary\",\"hertz\":2500000000.0,\"copy_bytes_per_second\":15000000000.0}\n"},
    {{.type = EVENT_DONE, .done = {.steps = 4}}, "{\"type\":\"done\",\"steps\":4}\n"},
    {{.type = EVENT_DONE, .done = {.steps = 4, .certified = {.whole_known = true, .whole = 0.5}}},
     "{\"type\":\"done\",\"steps\":4,\"gradient_cosine\":0.5}\n"},
    {{.type = EVENT_DONE, .done = {4, 128, 4096, implementations, {true, true, 0.996, 0.96875}}},
     "{\"type\":\"done\",\"steps\":4,\"samples\":128,\"peak_memory_bytes\":4096,"
     "\"gradient_cosine\":0.996,\"worst_layer_cosine\":0.96875,\"implementations\":{\"fc\":{"
     "\"forward\":\"jit\"}}}\n"},
    {{.type = EVENT_FAILED, .failed = {"no"}}, "{\"type\":\"failed\",\"message\":\"no\"}\n"},
};

/* What is written of an event, freed by the caller; what is not written is NULL, with an error.
 */
static char *line_of(const struct event *event, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool ok = event_write(out, event, err);

    EXPECT_INT(size > 0, ok); /* before fclose() */
    fclose(out);
    if (!ok)
        freep(&text);
    return text;
}

/* What was read is written as `line`. */
static void expect_read(const char *text, const char *line)
{
    AUTO(event_clear) struct event event = {0};

    EXPECT_OK(event_read(text, strcspn(text, "\n"), &event, &err));
    AUTO(freep) char *again = line_of(&event, NULL);
    EXPECT_STR(again, line);
}

TEST(an_event_is_one_line_flushed_at_once)
{
    for (size_t i = 0; i < COUNT(written); i++) {
        AUTO(freep) char *text = line_of(&written[i].event, NULL);

        EXPECT_STR(text, written[i].line);
        expect_read(text, text);
    }
}

/* Members in another order, more of them than we know, or less. */
TEST(an_engine_may_write_it_otherwise)
{
    static const char *const lines[][2] = {
        {"{\"type\":\"hello\",\"protocol\":2}", /* whether we speak it is for the dialogue */
         "{\"type\":\"hello\",\"protocol\":2,\"software\":\"\"}\n"},
        {"{\"loss\":-3,\"index\":0,\"nanoseconds\":1,\"type\":\"step\"}",
         "{\"type\":\"step\",\"index\":0,\"nanoseconds\":1,\"loss\":-3.0}\n"},
        {SPLIT
         "{\"update\":4,\"backward\":50,\"forward\":45,\"input\":1,\"mood\":0}}", /* all of it */
         SPLIT
         "{\"input\":1,\"forward\":45,\"backward\":50,\"update\":4,\"communication\":0}}\n"},
        {SPLIT "{\"update\":0,\"backward\":0,\"forward\":0,\"input\":0,\"communication\":9}}",
         SPLIT "{\"input\":0,\"forward\":0,\"backward\":0,\"update\":0,\"communication\":9}}\n"},
        {" {\"type\": \"done\", \"steps\": 1, \"mood\": {\"good\": [true]}} ",
         "{\"type\":\"done\",\"steps\":1}\n"},
    };

    for (size_t i = 0; i < COUNT(lines); i++)
        expect_read(lines[i][0], lines[i][1]);
}

/* Whatever a double holds comes back as the same bits. */
TEST(a_loss_survives_being_written)
{
    static const double losses[] = {0.1, 1.0 / 3, 6.907755278982137, 1e-300, -1.7e308, 5e-324};

    for (size_t i = 0; i < COUNT(losses); i++) {
        const struct event event = {.type = EVENT_STEP,
                                    .step = {.nanoseconds = 1, .loss = losses[i]}};
        AUTO(freep) char *text = line_of(&event, NULL);
        struct event again = {0};

        EXPECT(read_text(text, &again, NULL));
        EXPECT_NEAR(again.step.loss, losses[i], 0);
    }
}

TEST(what_is_no_number_is_not_written)
{
    static const struct {
        struct event event;
        const char *message;
    } rows[] = {
        {{.type = EVENT_CANARY, .canary = {1e9, INFINITY}},
         "a number of the canary event is not finite"},
        {{.type = EVENT_STEP, .step = {.index = 12, .loss = NAN}},
         "step 12: the loss is not a number"},
        {{.type = EVENT_STEP, .step = {.index = 12, .loss = INFINITY}},
         "step 12: the loss is not a number"},
        {{.type = EVENT_STEP, .step = {.index = 12, .loss = -INFINITY}},
         "step 12: the loss is not a number"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        EXPECT_MESSAGE(line_of(&rows[i].event, &err), rows[i].message);
    }
}

TEST(a_reader_that_is_gone_is_an_error)
{
    const struct event event = {.type = EVENT_DONE, .done = {.steps = 4}};
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
