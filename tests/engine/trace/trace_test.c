#include "engine/trace/trace.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#define MEGABYTE (1 << 20)

/* From memory of exactly its size, so that reading on is seen. */
static bool read_steps(const char *text, struct steps *ret_steps, struct error *err)
{
    size_t length = strlen(text);
    AUTO(freep) char *exact = malloc(length > 0 ? length : 1);

    memcpy(exact, text, length);
    return trace_read_steps(exact, length, ret_steps, err);
}

TEST(a_trace_is_read)
{
    AUTO(steps_free) struct steps steps = {0};

    EXPECT(read_steps("{\"nanoseconds\":[5000000,6],\"loss\":[2.302585,-1e-3]}", &steps, NULL));
    EXPECT_INT((long long)steps.count, 2);
    EXPECT_INT(steps.items[0].nanoseconds, 5000000);
    EXPECT_INT(steps.items[1].nanoseconds, 6);
    EXPECT_NEAR(steps.items[0].loss, 2.302585, 0);
    EXPECT_NEAR(steps.items[1].loss, -0.001, 0);
    EXPECT(!step_split_is_known(&steps.items[0].split));
}

TEST(members_may_come_in_any_order_with_blanks)
{
    AUTO(steps_free) struct steps steps = {0};

    EXPECT(read_steps(" {\n\"update\" : [4, 0] ,\t\"loss\":[ 1,2 ], \"backward\":[3 ,0],"
                      "\"input\":[1,0],\"nanoseconds\":[\r10,20],\"forward\":[2,0]} ",
                      &steps, NULL));
    EXPECT_INT((long long)steps.count, 2);
    EXPECT_INT(steps.items[0].split.input, 1);
    EXPECT_INT(steps.items[0].split.forward, 2);
    EXPECT_INT(steps.items[0].split.backward, 3);
    EXPECT_INT(steps.items[0].split.update, 4);
    EXPECT_INT(steps.items[0].split.communication, 0);
    EXPECT_INT(steps.items[1].nanoseconds, 20);
}

#define NS "\"nanoseconds\":[10,20]"
#define LOSS "\"loss\":[1,2]"
#define SHORT "{" NS "," LOSS

static const struct {
    const char *text, *field, *message;
} refusals[] = {
#define UNKNOWN                                                                                  \
    "is not a known field; known are nanoseconds, loss, input, forward, backward, update, "      \
    "communication"
    {"", "steps", "must be an object of arrays"},
    {"[]", "steps", "must be an object of arrays"},
    {"null", "steps", "must be an object of arrays"},
    {"{}", "steps.nanoseconds", "is missing"},
    {"{" NS "}", "steps.loss", "is missing"},
    {"{" LOSS "}", "steps.nanoseconds", "is missing"},
    {SHORT, "steps", "is not JSON"},
    {SHORT ",}", "steps", "is not JSON"},
    {SHORT "}x", "steps", "is not JSON"},
    {SHORT "}{}", "steps", "is not JSON"},
    {SHORT "," NS "}", "steps.nanoseconds", "is there twice"},
    {SHORT ",\"forwards\":[1,1]}", "steps.forwards", UNKNOWN},
    {SHORT ",\"f\\u006frward\":[1,1]}", "steps.f\\u006frward", UNKNOWN},
    {SHORT ",\"caf\xc3\xa9\":[1,1]}",
     "steps.caf?"
     "?",
     UNKNOWN},
    {SHORT ",\"input\":[1,1]}", "steps.forward", "is missing"},
    {SHORT ",\"communication\":[1,1]}", "steps.input", "is missing"},
    {SHORT ",\"input\":null}", "steps.input", "must be an array of numbers"},
    {"{\"nanoseconds\":{},\"loss\":[]}", "steps.nanoseconds", "must be an array of numbers"},
    {"{" NS ",\"loss\":[1]}", "steps.loss", "is shorter than the arrays before it"},
    {"{" NS ",\"loss\":[]}", "steps.loss", "is shorter than the arrays before it"},
    {"{" NS ",\"loss\":[1,2,3]}", "steps.loss", "is longer than the arrays before it"},
    {"{" LOSS ",\"nanoseconds\":[1]}", "steps.nanoseconds",
     "is shorter than the arrays before it"},
    {"{" NS ",\"loss\":[1 2]}", "steps.loss[1]", "must be followed by a comma or a bracket"},
    {"{" NS ",\"loss\":[1,", "steps.loss[1]", "must be a number from -1e+300 to 1e+300"},
    {"{\"nanoseconds\":[1,2", "steps.nanoseconds", "does not end"},
    {"{" NS ",\"loss\":[1,2", "steps.loss[2]", "must be followed by a comma or a bracket"},
};

TEST(a_refused_trace_names_the_field_and_the_reason)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct steps steps = {.count = 77};

        EXPECT_WRONG(read_steps(refusals[i].text, &steps, &err), refusals[i].field,
                     refusals[i].message);
        EXPECT_INT((long long)steps.count, 77); /* the caller's are left alone */
        EXPECT(steps.items == NULL);
    }
}

TEST(a_number_out_of_its_limits_is_refused_with_its_place)
{
    static const char *const times[] = {"0",
                                        "-1",
                                        "1.5",
                                        "1e3",
                                        "1000000000000001",
                                        "null",
                                        "NaN",
                                        "\"5\"",
                                        "[1]",
                                        "{}",
                                        "true",
                                        "",
                                        "01",
                                        "+1",
                                        "0x1",
                                        "1e308",
                                        "1e999",
                                        "99999999999999999999999"};
    static const char *const losses[] = {
        "NaN",  "nan", "Infinity", "-Infinity", "null", "1e308", "-1e308", "1e999", "\"1\"",
        "true", "[]",  "",         ".5",        "1.",   "1e",    "1e-999", "--1",   "1,5,"};

    for (size_t i = 0; i < COUNT(times) + COUNT(losses); i++) {
        AUTO(steps_free) struct steps steps = {0};
        struct error err = {0};
        char text[200];

        if (i < COUNT(times))
            snprintf(text, sizeof text, "{\"nanoseconds\":[3,%s],\"loss\":[1,2]}", times[i]);
        else
            snprintf(text, sizeof text, "{\"nanoseconds\":[3,4],\"loss\":[1,%s]}",
                     losses[i - COUNT(times)]);
        EXPECT(!read_steps(text, &steps, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT(strncmp(err.field, i < COUNT(times) ? "steps.nanoseconds" : "steps.loss", 10) ==
               0);
        EXPECT(err.message[0] != '\0');
    }
}

TEST(the_edges_are_inside)
{
    AUTO(steps_free) struct steps steps = {0};

    EXPECT(read_steps("{\"nanoseconds\":[1000000000000000,1],\"loss\":[1e300,-1e300]}", &steps,
                      NULL));
    EXPECT_INT(steps.items[0].nanoseconds, 1000000000000000);
    EXPECT_NEAR(steps.items[1].loss, -1e300, 0);
}

TEST(parts_fit_into_their_step)
{
    struct steps steps = {0};

    EXPECT_WRONG(read_steps(SHORT ",\"input\":[1,1],\"forward\":[1,10],\"backward\":[1,5],"
                                  "\"update\":[1,5]}",
                            &steps, &err),
                 "steps.update[1]", "is more than the parts before it have left of the step");
    EXPECT_INVALID(read_steps(SHORT ",\"input\":[1,-1],\"forward\":[1,1],\"backward\":[1,1],"
                                    "\"update\":[1,1]}",
                              &steps, &err),
                   "steps.input[1]");
    EXPECT_INVALID(read_steps(SHORT ",\"input\":[1,1],\"forward\":[1,1],\"backward\":[1,1],"
                                    "\"update\":[7,1],\"communication\":[1,0]}",
                              &steps, &err),
                   "steps.communication[0]");
    EXPECT(read_steps(SHORT ",\"input\":[1,1],\"forward\":[1,10],\"backward\":[1,5],"
                            "\"update\":[1,4]}",
                      &steps, NULL));
    steps_free(&steps);
}

/* `count` elements, all alike. */
static void repeat(struct bytes *text, const char *element, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!bytes_add(text, ",", i > 0) || !bytes_add(text, element, strlen(element)))
            test_fail(__FILE__, __LINE__, "out of memory");
}

TEST(too_many_steps_are_refused_before_memory_is_taken)
{
    AUTO(bytes_free) struct bytes text = {.limit = 16 * MEGABYTE};
    struct steps steps = {0};

    EXPECT(bytes_printf(&text, "{\"nanoseconds\":["));
    repeat(&text, "x", RUN_STEPS_MAX + 1); /* not even looked at */
    EXPECT(bytes_printf(&text, "]}"));
    EXPECT_WRONG(trace_read_steps(text.data, text.used, &steps, &err), "steps.nanoseconds",
                 "must have at most 1000000 elements");
}

TEST(a_million_steps_are_read_and_their_sum_fits)
{
    AUTO(bytes_free) struct bytes text = {.limit = 64 * MEGABYTE}, loss = {.limit = MEGABYTE * 8};
    AUTO(steps_free) struct steps steps = {0};

    EXPECT(bytes_printf(&text, "{\"nanoseconds\":["));
    repeat(&text, "1000000000000", RUN_STEPS_MAX);
    repeat(&loss, "1", RUN_STEPS_MAX);
    EXPECT(bytes_printf(&text, "],\"loss\":[%s]}", loss.data));
    EXPECT(trace_read_steps(text.data, text.used, &steps, NULL));
    EXPECT_INT((long long)steps.count, RUN_STEPS_MAX);

    text.data[strlen("{\"nanoseconds\":[1000000000000") - 1] = '1'; /* one more nanosecond */
    EXPECT_WRONG(trace_read_steps(text.data, text.used, &steps, &err), "steps.nanoseconds",
                 "is too long in sum");
}

static struct steps make_steps(size_t count, bool parts)
{
    struct chance chance = seeded(5);
    struct steps steps = {0};

    for (size_t i = 0; i < count; i++) {
        struct step step = {.nanoseconds = (long long)(5e7 + 1e6 * uniform(&chance)),
                            .loss = 2.3 + normal(&chance)};

        if (parts && i > 0) /* one step without is allowed */
            step.split = (struct step_split){1, step.nanoseconds / 3, step.nanoseconds / 2,
                                             (long long)i, (long long)i % 2};
        steps_add(&steps, step);
    }
    return steps;
}

TEST(numbers_are_read_back_to_the_last_bit)
{
    for (size_t i = 0; i < 6; i++) {
        static const size_t counts[] = {0, 1, 300};
        AUTO(steps_free) struct steps steps = make_steps(counts[i / 2], i % 2), again = {0};
        AUTO(bytes_free) struct bytes text = {.limit = MEGABYTE}, same = {.limit = MEGABYTE};

        EXPECT(trace_write_steps(&text, &steps));
        EXPECT(read_steps(text.data, &again, NULL));
        EXPECT_INT((long long)again.count, (long long)steps.count);
        EXPECT(steps.count == 0 ||
               (again.count == steps.count &&
                memcmp(again.items, steps.items, steps.count * sizeof *steps.items) == 0));
        EXPECT(trace_write_steps(&same, &again));
        EXPECT_STR(same.data, text.data);
    }
}

TEST(parts_are_written_only_where_there_are_some)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1000};
    struct step items[] = {{10, 0.5, {0, 0, 0, 0, 0}}, {20, -1, {0, 0, 0, 0, 0}}};

    EXPECT(trace_write_steps(&text, &(struct steps){items, 2, 2}));
    EXPECT_STR(text.data, "{\"nanoseconds\":[10,20],\"loss\":[0.5,-1]}");
    bytes_free(&text);
    items[1].split.forward = 7;
    EXPECT(trace_write_steps(&text, &(struct steps){items, 2, 2}));
    EXPECT_STR(text.data, "{\"nanoseconds\":[10,20],\"loss\":[0.5,-1],\"input\":[0,0],"
                          "\"forward\":[0,7],\"backward\":[0,0],\"update\":[0,0],"
                          "\"communication\":[0,0]}");
}

TEST(a_value_that_cannot_be_read_back_is_not_written)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1000};
    struct step items[] = {{.nanoseconds = 10, .loss = NAN}};

    EXPECT(!trace_write_steps(&text, &(struct steps){items, 1, 1}));
    items[0].loss = 1e301;
    EXPECT(!trace_write_steps(&text, &(struct steps){items, 1, 1}));
}

TEST(the_end_of_the_buffer_is_an_error)
{
    AUTO(steps_free) struct steps steps = make_steps(3, true);
    AUTO(bytes_free) struct bytes whole = {.limit = 1000};

    EXPECT(trace_write_steps(&whole, &steps));
    for (size_t limit = 0; limit < whole.used; limit++) {
        AUTO(bytes_free) struct bytes text = {.limit = limit};

        EXPECT(!trace_write_steps(&text, &steps));
    }
}
