#include "answers/gate/request.h"

#include "tests/test.h"

#define RUN_ID "01ARZ3NDEKTSV4RRFFQ69G5FAV"
#define KEY_64 "k234567890123456789012345678901234567890123456789012345678901234"

static bool read_request(const char *parameters, struct gate_request *ret_request,
                         struct error *err)
{
    static struct query query;
    struct gate_question question = {.baseline = NULL};
    char target[1000];

    snprintf(target, sizeof target, "/v1/runs/x/check?%s", parameters);
    EXPECT(query_read(target, &query, err));
    return parameters_read(&gate_parameters, &query, &question, err) &&
           gate_request_make(&question, ret_request, err);
}

static struct gate_request accepted(const char *parameters)
{
    struct gate_request request = {0};

    EXPECT_OK(read_request(parameters, &request, &err));
    return request;
}

TEST(without_parameters_the_defaults_hold)
{
    struct gate_request request = accepted("");

    EXPECT_HAS(request, (kind, BASELINE_LAST), (window, 20));
    EXPECT_NEAR(request.margin, 0.03, 1e-12);
    EXPECT(!request.confirm && !request.fails_on_price && !request.format_given);
    EXPECT_INT(request.format, CHECK_JSON);
}

TEST(each_kind_of_baseline_is_recognised)
{
    static const struct {
        const char *parameters, *name, *text;
    } baselines[] = {
        {"baseline=" RUN_ID, "run", "run " RUN_ID},
        {"baseline=last:7", "last", "the last 7 runs before"},
        {"window=9", "last", "the last 9 runs before"},
        {"baseline=branch=main", "label", "the newest 20 runs with branch=main"},
        {"baseline=branch=main&window=200", "label", "the newest 200 runs with branch=main"},
        {"baseline=a=b=c:d", "label", "the newest 20 runs with a=b=c:d"},
        {"baseline=a=", "label", "the newest 20 runs with a="},
        {"baseline=" KEY_64 "=v", "label", "the newest 20 runs with " KEY_64 "=v"},
    };

    for (size_t i = 0; i < COUNT(baselines); i++) {
        struct gate_request request = accepted(baselines[i].parameters);
        char text[BASELINE_TEXT_SIZE];

        gate_baseline_text(&request, text);
        EXPECT_STR(baseline_kind_names[request.kind], baselines[i].name);
        EXPECT_STR(text, baselines[i].text);
    }
}

TEST(the_choices_are_read)
{
    struct gate_request request = accepted("confirm=true&fails_on=samples_per_dollar");

    EXPECT(request.confirm && request.fails_on_price && !request.format_given);
    request = accepted("confirm=false&fails_on=code&format=bencher");
    EXPECT(!request.confirm && !request.fails_on_price && request.format_given);
    EXPECT_INT(request.format, CHECK_BENCHER);
    EXPECT_INT(accepted("format=json").format, CHECK_JSON);
    EXPECT_INT(accepted("format=markdown").format, CHECK_MARKDOWN);
    EXPECT_INT(accepted("format=github").format, CHECK_GITHUB);
}

TEST(the_margin_is_given_in_percent)
{
    EXPECT_NEAR(accepted("margin=0").margin, 0, 0);
    EXPECT_NEAR(accepted("margin=2.5").margin, 0.025, 1e-12);
    EXPECT_NEAR(accepted("margin=50").margin, 0.5, 1e-12);
}

TEST(a_refusal_names_its_parameter_and_changes_nothing)
{
    static const struct {
        const char *parameters, *field;
    } refused[] = {
        {"baseline=", "baseline"},
        {"baseline=main", "baseline"},
        {"baseline==main", "baseline"},
        {"baseline=a%20b=main", "baseline"},
        {"baseline=" KEY_64 "5=v", "baseline"},
        {"baseline=last:", "baseline"},
        {"baseline=last:1", "baseline"},
        {"baseline=last:201", "baseline"},
        {"baseline=last:x", "baseline"},
        {"window=1", "window"},
        {"window=201", "window"},
        {"window=2.5", "window"},
        {"baseline=last:5&window=5", "window"},
        {"baseline=" RUN_ID "&window=5", "window"},
        {"margin=50.1", "margin"},
        {"margin=-1", "margin"},
        {"margin=x", "margin"},
        {"confirm=yes", "confirm"},
        {"confirm=", "confirm"},
        {"fails_on=price", "fails_on"},
        {"format=xml", "format"},
    };

    for (size_t i = 0; i < COUNT(refused); i++) {
        struct gate_request request = {.window = -7};
        struct error err = {0};

        EXPECT(!read_request(refused[i].parameters, &request, &err));
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, refused[i].field));
        EXPECT(err.message[0]);
        EXPECT_INT(request.window, -7);
    }
}

TEST(a_value_longer_than_a_label_is_refused)
{
    char parameters[LABEL_VALUE_MAX + 20] = "baseline=a=";
    struct gate_request request = {0};
    size_t used = strlen(parameters);

    memset(parameters + used, 'v', LABEL_VALUE_MAX);
    parameters[used + LABEL_VALUE_MAX] = '\0';
    EXPECT_INT((long long)strlen(accepted(parameters).value), LABEL_VALUE_MAX);
    parameters[used + LABEL_VALUE_MAX] = 'v';
    parameters[used + LABEL_VALUE_MAX + 1] = '\0';
    EXPECT_MESSAGE(read_request(parameters, &request, &err),
                   "the value of 'a' must have at most 256 bytes, got 257");
}
