#include "engine/protocol/dialogue.h"

#include "common/limits.h"
#include "tests/test.h"

#include <limits.h>

#define HELLO_OF(number)                                                                         \
    {                                                                                            \
        .type = EVENT_HELLO, .hello = {.protocol = (number) }                                    \
    }
#define HELLO HELLO_OF(PROTOCOL_VERSION)
#define STEP(number, ns)                                                                         \
    {                                                                                            \
        .type = EVENT_STEP, .step = {.index = (number), .nanoseconds = (ns) }                    \
    }
#define DONE(count)                                                                              \
    {                                                                                            \
        .type = EVENT_DONE, .done = {.steps = (count) }                                          \
    }
#define FAILED(text)                                                                             \
    {                                                                                            \
        .type = EVENT_FAILED, .failed = {.message = text }                                       \
    }

/* At most two steps were asked for; every conversation ends with its last event, which is the
 * first one that may be refused. */
static const struct {
    int count;
    struct event events[5];
    const char *message; /* NULL where all is well */
} conversations[] = {
    {1, {HELLO}, NULL},
    {2, {HELLO, DONE(0)}, NULL},
    {4, {HELLO, STEP(0, 1), STEP(1, 5), DONE(2)}, NULL},
    {3, {HELLO, STEP(0, 1), DONE(1)}, NULL}, /* fewer than asked: the server decides */
    {2, {HELLO, STEP(0, LLONG_MAX)}, NULL},
    {1, {STEP(0, 1)}, "the worker did not begin with 'hello'"},
    {1, {DONE(0)}, "the worker did not begin with 'hello'"},
    {1, {FAILED("no")}, "the worker did not begin with 'hello'"},
    {1, {HELLO_OF(0)}, "the worker speaks protocol 0, this server 1"},
    {1, {HELLO_OF(2)}, "the worker speaks protocol 2, this server 1"},
    {1, {HELLO_OF(-1)}, "the worker speaks protocol -1, this server 1"},
    {1, {HELLO_OF(LLONG_MAX)}, "the worker speaks protocol 9223372036854775807, this server 1"},
    {2, {HELLO, HELLO}, "the worker said 'hello' twice"},
    {3, {HELLO, STEP(0, 1), HELLO}, "the worker said 'hello' twice"},
    {2, {HELLO, FAILED("no such precision")}, "no such precision"},
    {3, {HELLO, STEP(0, 1), FAILED("lost my way")}, "lost my way"},
    {2, {HELLO, FAILED("100%s %n")}, "100%s %n"}, /* the message is not used as a format */
    {2, {HELLO, STEP(1, 1)}, "the worker sent step 1 instead of 0"},
    {2, {HELLO, STEP(-1, 1)}, "the worker sent step -1 instead of 0"},
    {3, {HELLO, STEP(0, 1), STEP(0, 1)}, "the worker sent step 0 instead of 1"},
    {3, {HELLO, STEP(0, 1), STEP(2, 1)}, "the worker sent step 2 instead of 1"},
    {4,
     {HELLO, STEP(0, 1), STEP(1, 1), STEP(2, 1)},
     "the worker sent more than the 2 steps it was asked for"},
    {2, {HELLO, STEP(0, 0)}, "the worker says step 0 took 0 ns"},
    {2, {HELLO, STEP(0, -5)}, "the worker says step 0 took -5 ns"},
    {3,
     {HELLO, STEP(0, LLONG_MAX), STEP(1, 1)},
     "the worker says its steps took more than 9223372036854775807 ns"},
    {3, {HELLO, STEP(0, 1), DONE(0)}, "the worker counted 0 steps, but sent 1"},
    {3, {HELLO, STEP(0, 1), DONE(2)}, "the worker counted 2 steps, but sent 1"},
    {3, {HELLO, DONE(0), DONE(0)}, "the worker went on after 'done'"},
    {3, {HELLO, DONE(0), STEP(0, 1)}, "the worker went on after 'done'"},
    {3, {HELLO, DONE(0), HELLO}, "the worker went on after 'done'"},
    {3, {HELLO, DONE(0), FAILED("after all")}, "the worker went on after 'done'"},
};

TEST(a_dialogue_that_breaks_a_rule_is_refused_with_that_rule)
{
    for (size_t i = 0; i < COUNT(conversations); i++) {
        struct dialogue dialogue = {.steps_max = 2};
        const struct event *events = conversations[i].events;
        int last = conversations[i].count - 1;
        struct error err = {0};

        for (int n = 0; n < last; n++)
            EXPECT(dialogue_accept(&dialogue, &events[n], &err));
        EXPECT_INT(dialogue_accept(&dialogue, &events[last], &err),
                   conversations[i].message == NULL);
        EXPECT_INT(dialogue.greeted, last > 0 || !conversations[i].message);
        EXPECT_STR(err.message, conversations[i].message ? conversations[i].message : "");
        EXPECT_INT(err.kind, conversations[i].message ? ERROR_UPSTREAM : ERROR_NONE);
    }
}

TEST(the_dialogue_knows_how_far_it_has_come)
{
    const struct event hello = HELLO, first = STEP(0, 7), second = STEP(1, 8), done = DONE(2);
    struct dialogue dialogue = {.steps_max = 1000000};

    EXPECT(!dialogue.greeted);
    EXPECT(dialogue_accept(&dialogue, &hello, NULL));
    EXPECT(dialogue.greeted && !dialogue.done);
    EXPECT(dialogue_accept(&dialogue, &first, NULL));
    EXPECT(dialogue_accept(&dialogue, &second, NULL));
    EXPECT_INT(dialogue.steps, 2);
    EXPECT_INT(dialogue.nanoseconds, 15);
    EXPECT(!dialogue.done);
    EXPECT(dialogue_accept(&dialogue, &done, NULL));
    EXPECT(dialogue.done);
    EXPECT_INT(dialogue.steps_max, 1000000);
}

TEST(a_refused_step_is_not_counted)
{
    const struct event hello = HELLO, gap = STEP(3, 1), nothing = STEP(0, 0), first = STEP(0, 1);
    struct dialogue dialogue = {.steps_max = 2};

    EXPECT(dialogue_accept(&dialogue, &hello, NULL));
    EXPECT(!dialogue_accept(&dialogue, &gap, NULL));
    EXPECT(!dialogue_accept(&dialogue, &nothing, NULL));
    EXPECT_INT(dialogue.steps, 0);
    EXPECT(dialogue_accept(&dialogue, &first, NULL));
    EXPECT_INT(dialogue.steps, 1);
}

TEST(canaries_have_a_limit)
{
    const struct event hello = HELLO, canary = {.type = EVENT_CANARY, .canary = {.hertz = 1e9}};
    struct dialogue dialogue = {.steps_max = 2};

    EXPECT(dialogue_accept(&dialogue, &hello, NULL));
    for (int i = 0; i < CANARIES_MAX; i++)
        EXPECT(dialogue_accept(&dialogue, &canary, NULL));
    EXPECT_MESSAGE(dialogue_accept(&dialogue, &canary, &err),
                   "the worker sent more than 20000 canaries");
}
