#include "server/http/json/present_check.h"

#include "common/cleanup.h"
#include "server/http/json/present_check_markdown.h"
#include "server/http/json/present_check_tools.h"
#include "tests/common/rows/written.h"

#define ID_0 "01ARZ3NDEKTSV4RRFFQ69G5FA0"
#define SWEEP "01ARZ3NDEKTSV4RRFFQ69G5FAZ"

static char workload[] = "resnet50", engine[] = "native", instance[] = "c7i.large";

static const double around[] = {1.000, 1.004, 0.996, 1.002, 0.998, 1.001, 0.999};

static void fill_side(struct gate_check_side *side, size_t count, double speed, double dollars)
{
    side->count = count;
    for (size_t i = 0; i < count; i++) {
        double value = speed * around[i];

        side->runs[i] = (struct gate_run){
            .id = {ID_0}, .throughput = {value, value * 0.99, value * 1.01}, .dollars = dollars};
        side->runs[i].id.text[RUN_ID_LENGTH - 1] = (char)('0' + i);
    }
}

/* A candidate at `speed`, and a baseline at 100 samples a second. Freed by the caller; its
 * texts are static. */
static struct gate_check *a_check(size_t candidates, double speed, size_t baselines)
{
    struct gate_check *check = calloc(1, sizeof *check);

    if (!check)
        abort();
    check->request = (struct gate_request){
        .kind = BASELINE_LABEL, .key = "branch", .value = "main", .window = 20, .margin = 0.03};
    check->run = (struct run_id){ID_0};
    check->candidate_subject =
        (struct gate_subject){.setup = {.precision = "bf16", .batch_size = 8, .threads = 2},
                              .workload = workload,
                              .engine = engine,
                              .instance = instance};
    fill_side(&check->candidate, candidates, speed, 0);
    fill_side(&check->baseline, baselines, 100, 0);
    return check;
}

static void confirm(struct gate_check *check, enum confirmation_state state, double speed)
{
    check->confirmation.kind = CONFIRM_INTERLEAVED;
    check->confirmation.state = state;
    check->confirmation.sweep = (struct run_id){SWEEP};
    check->confirmation.count = 6;
    for (size_t i = 0; i < 6; i++) {
        check->confirmation.candidate[i] = speed * around[i];
        check->confirmation.baseline[i] = 100 * around[6 - i];
    }
}

static void present_check(struct json_writer *out, const struct gate_check *check)
{
    members_write(out, NULL, &check_members, check);
}

typedef void present_fn(struct json_writer *out, const struct gate_check *check);

static json_t *presented_by(present_fn *present, const struct gate_check *check)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 100000};
    struct json_writer out = {.bytes = &bytes};

    present(&out, check);
    EXPECT(!out.failed);
    json_t *json = json_loadb(bytes.data, bytes.used, JSON_REJECT_DUPLICATES, NULL);
    EXPECT(json != NULL);
    return json;
}

TEST(an_equally_fast_run_passes)
{
    AUTO(freep) struct gate_check *check = a_check(3, 100, 7);

    gate_check_judge(check);
    AUTO(json_decrefp) json_t *json = presented_by(present_check, check);
    EXPECT_JSON(json, "{'verdict':'pass','confirmed':null,'candidate':{'value':99.9994666638},"
                      "'baseline':{'n':7},'margin_percent':3,'ratio':{'level':'runs'},"
                      "'samples_per_dollar':null,'price':{'ratio':null},'confirmation':null}");
}

TEST(a_slower_run_fails_for_good_only_where_two_looks_agree)
{
    static const struct {
        enum confirmation_state state;
        double again; /* what was measured then */
        enum gate_verdict verdict;
        int confirmed;
        enum gate_level level;
        const char *words;
    } cases[] = {
        {CONFIRM_NONE, 0, GATE_FAIL, 0, GATE_RUNS, "a first look"},
        {CONFIRM_RUNNING, 90, GATE_CANNOT_TELL, -1, GATE_RUNS, ""},
        {CONFIRM_FINISHED, 90, GATE_FAIL, 1, GATE_PAIRS, "measured again too"},
        {CONFIRM_FINISHED, 100, GATE_CANNOT_TELL, 0, GATE_PAIRS, "measured again it did not"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(freep) struct gate_check *check = a_check(3, 90, 7);

        if (cases[i].state != CONFIRM_NONE)
            confirm(check, cases[i].state, cases[i].again);
        gate_check_judge(check);
        EXPECT_INT(check->verdict, cases[i].verdict);
        EXPECT_INT(gate_check_confirmed(check), cases[i].confirmed);
        EXPECT_INT(gate_track_look(&check->code)->level, cases[i].level);
        EXPECT_PART(check->words, cases[i].words);
    }
}

TEST(what_was_measured_again_alone_has_the_same_baseline)
{
    AUTO(freep) struct gate_check *check = a_check(1, 90, 7);

    confirm(check, CONFIRM_FINISHED, 90);
    check->confirmation.kind = CONFIRM_RERUN;
    check->confirmation.count = 4;
    for (size_t i = 0; i < 4; i++)
        check->confirmation.baseline[i] = 1; /* not looked at */
    gate_check_judge(check);
    EXPECT_INT(check->verdict, GATE_FAIL);
    EXPECT_INT(gate_track_look(&check->code)->level, GATE_RUNS);
    EXPECT_NEAR(gate_track_look(&check->code)->ratio.value, 0.9, 0.01);
}

TEST(a_confirmation_without_runs_confirms_nothing)
{
    AUTO(freep) struct gate_check *check = a_check(3, 90, 7);

    confirm(check, CONFIRM_CANCELLED, 90);
    for (int kind = CONFIRM_INTERLEAVED; kind <= CONFIRM_RERUN; kind++) {
        check->confirmation.kind = (enum confirmation_kind)kind;
        check->confirmation.count = 0;
        gate_check_judge(check);
        EXPECT_INT(check->verdict, GATE_CANNOT_TELL);
        EXPECT_INT(gate_check_confirmed(check), 0);
    }
}

/* Its runs were invalid, or too few, or too unlike: that is not a second look that was as fast.
 */
TEST(a_confirmation_that_cannot_tell_says_why)
{
    static const struct {
        enum confirmation_kind kind;
        size_t count;
        double spread;
        const char *words;
    } cases[] = {
        {CONFIRM_INTERLEAVED, 0, 1, "measured again: no pair of valid runs"},
        {CONFIRM_INTERLEAVED, 1, 1, "measured again: one pair says nothing about the next"},
        {CONFIRM_INTERLEAVED, 6, 1.5, "measured again: the interval of the ratio contains"},
        {CONFIRM_RERUN, 0, 1, "measured again: one side has no runs"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(freep) struct gate_check *check = a_check(3, 90, 7);

        confirm(check, CONFIRM_FINISHED, 90);
        check->confirmation.kind = cases[i].kind;
        check->confirmation.count = cases[i].count;
        check->confirmation.candidate[0] *= cases[i].spread;
        gate_check_judge(check);
        EXPECT_INT(check->verdict, GATE_CANNOT_TELL);
        EXPECT_PART(check->words, cases[i].words);
    }
}

TEST(a_price_is_shown_apart_and_fails_only_where_asked)
{
    AUTO(freep) struct gate_check *check = a_check(3, 100, 7);

    fill_side(&check->candidate, 3, 100, 1.25);
    fill_side(&check->baseline, 7, 100, 1);
    gate_check_judge(check);
    EXPECT_INT(check->verdict, GATE_PASS);
    AUTO(json_decrefp) json_t *json = presented_by(present_check, check);
    EXPECT_JSON(json, "{'price':{'ratio':1.25},'samples_per_dollar':{'ratio':0.799998133317,"
                      "'verdict':'fail'}}");
    check->request.fails_on_price = true;
    gate_check_judge(check);
    EXPECT_INT(check->verdict, GATE_FAIL);
    EXPECT_PART(check->words, "samples per dollar");
    /* Measured again the speed is what it was, and the price too: it fails for good. */
    confirm(check, CONFIRM_FINISHED, 100);
    gate_check_judge(check);
    EXPECT_HAS(*check, (verdict, GATE_FAIL), (code.verdict, GATE_PASS));
    EXPECT_INT(gate_check_confirmed(check), 1);
}

TEST(without_one_of_the_prices_nothing_is_known_of_dollars)
{
    AUTO(freep) struct gate_check *check = a_check(3, 100, 7);

    fill_side(&check->candidate, 3, 100, 1);
    fill_side(&check->baseline, 7, 100, 1);
    check->baseline.runs[4].dollars = 0;
    check->request.fails_on_price = true;
    gate_check_judge(check);
    EXPECT_INT(check->verdict, GATE_CANNOT_TELL);
    EXPECT_PART(check->words, "price");
    AUTO(json_decrefp) json_t *json = presented_by(present_check, check);
    EXPECT_JSON(json, "{'samples_per_dollar':null,'price':{'ratio':null,'words':"
                      "'the price of an hour is unknown for 1 of 10 runs'}}");
}

TEST(an_invalid_run_never_fails)
{
    AUTO(freep) struct gate_check *check = a_check(3, 50, 7);

    snprintf(check->invalid, sizeof check->invalid, "the run is not valid: steal");
    gate_check_judge(check);
    EXPECT_INT(check->verdict, GATE_CANNOT_TELL);
    EXPECT_INT(gate_check_confirmed(check), -1);
    EXPECT_STR(check->words, "Cannot tell: the run is not valid: steal.");
}

TEST(without_a_baseline_there_is_no_ratio)
{
    AUTO(freep) struct gate_check *check = a_check(3, 100, 0);

    gate_check_judge(check);
    AUTO(json_decrefp) json_t *json = presented_by(present_check, check);
    EXPECT_JSON(json, "{'verdict':'cannot_tell','ratio':null,'smallest_detectable_percent':null,"
                      "'baseline':{'value':null},'code':{'ratio':null}}");
}

static char *markdown_of(const struct gate_check *check)
{
    struct bytes text = {.limit = 100000};

    EXPECT(present_check_markdown(&text, check, "https://a.b"));
    return text.data;
}

TEST(a_comment_says_the_verdict_first_and_holds_no_markup_of_others)
{
    AUTO(freep) struct gate_check *check = a_check(3, 90, 7);

    confirm(check, CONFIRM_FINISHED, 90);
    snprintf(check->request.value, sizeof check->request.value, "a`|@all [x](y)");
    gate_check_judge(check);
    AUTO(freep) char *text = markdown_of(check);
    EXPECT(strncmp(text, "**fail**: Slower by more than 3 %", 33) == 0);
    EXPECT_PART(text, "| code: samples per second | 0.90");
    EXPECT_PART(text, "(pairs) | fail |");
    EXPECT_PART(text, "| dollars per hour | not known | | |");
    EXPECT_PART(text, "](https://a.b/v1/sweeps/" SWEEP ")");
    EXPECT_PART(text, "branch=a''@all [x](y)`"); /* within backquotes */
    snprintf(check->invalid, sizeof check->invalid, "<b>*x*</b> @all");
    check->confirmation.state = CONFIRM_NONE;
    gate_check_judge(check);
    AUTO(freep) char *other = markdown_of(check);
    EXPECT_PART(other, "\\<b\\>\\*x\\*\\</b\\> \\@all");
}

#define SERIES "resnet50/native/bf16/batch_size=8/threads=2/c7i.large"

TEST(other_tools_get_value_and_interval)
{
    AUTO(freep) struct gate_check *check = a_check(1, 100, 7);

    fill_side(&check->candidate, 1, 100, 3600);
    gate_check_judge(check);
    AUTO(json_decrefp) json_t *points = presented_by(present_check_github, check);
    /* That action tells metrics apart by their names alone. */
    EXPECT_JSON(points, "[{'name':'" SERIES " samples/s','range':'1'},"
                        "{'name':'" SERIES " samples/$','unit':'samples/$'}]");
    AUTO(json_decrefp) json_t *metrics = presented_by(present_check_bencher, check);
    EXPECT_JSON(metrics, "{'" SERIES "':{'throughput':{'value':100,'lower_value':99,"
                         "'upper_value':101},'samples_per_dollar':{'value':100}}}");
}

TEST(an_interval_that_is_not_known_is_left_out)
{
    AUTO(freep) struct gate_check *check = a_check(1, 100, 7);

    check->candidate.runs[0].throughput.low = check->candidate.runs[0].throughput.high = 0;
    gate_check_judge(check);
    AUTO(json_decrefp) json_t *points = presented_by(present_check_github, check);
    EXPECT_INT((long long)json_array_size(points), 1);
    EXPECT(json_object_get(json_array_get(points, 0), "range") == NULL);
}

TEST(a_run_that_says_nothing_is_no_point_and_never_zero)
{
    AUTO(freep) struct gate_check *check = a_check(2, 100, 7);

    /* Its repeats are valid, but it is not. */
    check->run.text[RUN_ID_LENGTH - 1] = '7';
    gate_check_judge(check);
    AUTO(json_decrefp) json_t *points = presented_by(present_check_github, check);
    AUTO(json_decrefp) json_t *metrics = presented_by(present_check_bencher, check);
    EXPECT(json_is_array(points) && json_array_size(points) == 0);
    EXPECT(json_is_object(metrics) && json_object_size(metrics) == 0);
}
