#include "server/http/json/present_run.h"

#include "engine/run/pace.h"
#include "engine/spec/run_spec_text.h"
#include "server/base/cursor.h"
#include "server/http/json/present_roofline.h"
#include "tests/common/rows/written.h"

static char details[] = "{\"isa\":\"avx2\",\"emulated\":true}";
static char summary_text[] = "{\"method\":1}", findings[] = "[]";
static char loaded[] = "{\"allocator\":\"system\"}";
static char last_words[] = "line one\n\"line two\"";

static struct run a_run(enum run_state state)
{
    return (struct run){
        .number = 7,
        .id = {"01ARZ3NDEKTSV4RRFFQ69G5FAV"},
        .state = state,
        .spec = run_spec_default(),
        .instance = "c7i.large",
        .created_us = 1767323045678000,
        .started_us = 1767323046000000,
        .ended_us = 1767323056500000,
        .software = "engine 1.0",
        .engine_details = details,
        .samples = 1120,
        .peak_memory_bytes = 734003200,
        .steps = 35,
        .ended_by = "target",
        .summary = {.measured_steps = 30,
                    .measured_seconds = 10.5,
                    .samples_per_second = 91.4,
                    .median_step_seconds = 0.35},
        .reason = "it said so",
        .stderr_tail = last_words,
    };
}

static const struct progress halfway = {.steps_done = 5,
                                        .steps_planned = 35,
                                        .phase = "measuring",
                                        .half_width_percent = 1.5,
                                        .samples_per_second = 100,
                                        .elapsed_seconds = 2.5,
                                        .seconds_left = 3};

static json_t *presented(const struct run *run, const struct progress *progress)
{
    struct run shown = *run;

    shown.progress = progress;
    return read_back(&run_members, &shown);
}

/* So that a client never asks whether one is there; a_finished_run_is_written_whole lists them.
 */
TEST(a_run_has_the_same_members_in_every_state)
{
    struct run finished = a_run(RUN_FINISHED);
    AUTO(json_decrefp) json_t *usual = presented(&finished, &halfway);

    for (int state = 0; state < RUN_STATES; state++) {
        struct run run = a_run((enum run_state)state);
        AUTO(json_decrefp) json_t *json = presented(&run, &halfway);
        const char *name;
        json_t *value;

        EXPECT_INT((long long)json_object_size(json), (long long)json_object_size(usual));
        json_object_foreach(usual, name, value) EXPECT(json_object_get(json, name) != NULL);
        EXPECT_STR(json_string_value(json_object_get(json, "state")), run_state_names[state]);
        /* Only a finished run has a summary, only a running one progress. */
        EXPECT_INT(json_is_object(json_object_get(json, "summary")), state == RUN_FINISHED);
        EXPECT_INT(json_is_object(json_object_get(json, "progress")), state == RUN_RUNNING);
    }
}

TEST(a_finished_run_is_written_whole)
{
    struct run run = a_run(RUN_FINISHED);

    run.summary_text = summary_text;
    run.findings = findings;
    run.loaded = loaded;
    run.validity = VALIDITY_WARN;
    run.certified = (struct certified){true, true, 0.995, 0.9375};
    run.sweep = (struct run_id){"01ARZ3NDEKTSV4RRFFQ69G5FAW"};
    run.cell = 2;
    run.block = 1;
    snprintf(run.machine, sizeof run.machine, "0123456789abcdef");
    run.where =
        (struct whereabouts){.provider = "aws", .region = "us-east-1", .vm = "i0000000000000aa"};
    run.provenance = PROVENANCE_IMPORTED;
    snprintf(run.sender, sizeof run.sender, "c1");
    AUTO(freep) char *text = written(&run_members, &run);
    AUTO(freep) char *spec = run_spec_to_text(&run.spec);
    char *after = strstr(text, spec);
    EXPECT(after != NULL);
    EXPECT_STR(
        after ? after + strlen(spec) : "",
        ",\"instance_type\":\"c7i.large\",\"provider\":\"aws\","
        "\"region\":\"us-east-1\","
        "\"zone\":null,\"vm\":\"i0000000000000aa\",\"provenance\":\"imported\",\"sender\":\"c1\","
        "\"signed_by\":null,"
        "\"machine\":"
        "\"0123456789abcdef\",\"created_at\":"
        "\"2026-01-02T03:04:05.678Z\","
        "\"started_at\":\"2026-01-02T03:04:06.000Z\","
        "\"ended_at\":\"2026-01-02T03:04:16.500Z\",\"software\":\"engine 1.0\","
        "\"engine_details\":{\"isa\":\"avx2\",\"emulated\":true},"
        "\"loaded\":{\"allocator\":\"system\"},\"samples\":1120,"
        "\"peak_memory_bytes\":734003200,\"gradient_cosine\":0.995,\"worst_layer_cosine\":0.9375,"
        "\"steps_stored\":35,\"thinned_at\":null,\"summary\":{\"method\":1},\"tokens_per_"
        "second\":null,"
        "\"roofline\":{\"peak\":null,\"phases\":[],\"step\":{\"seconds\":0.35,"
        "\"multiply_adds\":null,\"multiply_adds_per_second\":null,\"share\":null},"
        "\"memory\":{\"least_bytes\":null,\"least_bytes_per_second\":null,"
        "\"peak_bytes_per_second\":null,\"least_share\":null},\"missing\":["
        "\"the engine did not measure how fast this machine multiplies\","
        "\"the engine does not report the multiply-adds of a sample, forward and backward\","
        "\"the engine does not report where the time of a step goes\","
        "\"the engine does not report how many bytes a step moves at least, or a cache could "
        "hold "
        "them\"]},"
        "\"validity\":{\"level\":\"warn\",\"findings\":[]},\"void\":null,\"cost\":null,"
        "\"sweep\":{\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAW\",\"cell\":2,\"block\":1},"
        "\"ended_by\":\"target\",\"reason\":\"it said so\","
        "\"stderr_tail\":\"line one\\u000a\\\"line two\\\"\",\"progress\":null}");
}

TEST(findings_name_who_used_the_processors)
{
    static char warned[] = "[{\"code\":\"contention\",\"level\":\"warn\",\"value\":3,"
                           "\"words\":\"others\"}]";
    struct run run = a_run(RUN_FINISHED);

    run.findings = warned;
    run.load =
        (struct load){.processors = 4, .busy_percent = 9, .count = 1, .users = {{"cc", 9}}};
    run.validity = VALIDITY_WARN;
    AUTO(freep) char *text = written(&run_members, &run);
    EXPECT_PART(text, "\"words\":\"others; when it began, cc used 9 % of the processors\"");
}

static char rich_details[] =
    "{\"layout\":\"nhwc\",\"isa\":null,\"multiply_adds\":4000000000,"
    "\"backward_multiply_adds\":8000000000,\"step_bytes\":2000000000,"
    "\"peak_unit\":\"AMX\",\"peak_multiply_adds_per_second\":4000000000000,"
    "\"peak_read_bytes_per_second\":16000000000}";
static char with_split[] = "{\"split\":{\"input_seconds\":0.0625,\"forward_seconds\":0.0625,"
                           "\"backward_seconds\":0.125,\"update_seconds\":0,"
                           "\"communication_seconds\":0.0}}";

static const struct member roofline = {.name = "roofline"};

static struct run a_run_with_a_roof(void)
{
    struct run run = a_run(RUN_FINISHED);

    run.spec.batch_size = 8;
    run.engine_details = rich_details;
    run.summary_text = with_split;
    run.summary.measured_seconds = 7.5; /* 30 steps of a quarter of a second */
    return run;
}

TEST(the_roofline_follows_from_what_is_stored)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 100000};
    struct json_writer out = {.bytes = &bytes};
    struct run run = a_run_with_a_roof();

    jsonw_open(&out, NULL, '{');
    roofline_write(&out, &roofline, &run);
    jsonw_close(&out, '}');
    EXPECT(!out.failed);
    EXPECT_STR(
        bytes.data,
        "{\"roofline\":{\"peak\":{\"unit\":\"AMX\",\"multiply_adds_per_second\":4000000000000},"
        "\"phases\":[{\"name\":\"input\",\"seconds\":0.0625,\"multiply_adds\":null,"
        "\"multiply_adds_per_second\":null,\"share\":null},"
        "{\"name\":\"forward\",\"seconds\":0.0625,\"multiply_adds\":32000000000,"
        "\"multiply_adds_per_second\":512000000000,\"share\":0.128},"
        "{\"name\":\"backward\",\"seconds\":0.125,\"multiply_adds\":64000000000,"
        "\"multiply_adds_per_second\":512000000000,\"share\":0.128},"
        "{\"name\":\"update\",\"seconds\":0,\"multiply_adds\":null,"
        "\"multiply_adds_per_second\":null,\"share\":null}],"
        "\"step\":{\"seconds\":0.25,\"multiply_adds\":96000000000,"
        "\"multiply_adds_per_second\":384000000000,\"share\":0.096},"
        "\"memory\":{\"least_bytes\":2000000000,\"least_bytes_per_second\":8000000000,"
        "\"peak_bytes_per_second\":16000000000,\"least_share\":0.5},\"missing\":[]}}");
}

TEST(a_damaged_text_hides_the_roofline_and_not_the_run)
{
    static char damaged[] = "{\"plan\":";
    struct run runs[] = {a_run_with_a_roof(), a_run_with_a_roof()};

    runs[0].engine_details = damaged;
    runs[1].summary_text = damaged;
    for (size_t i = 0; i < COUNT(runs); i++) {
        AUTO(bytes_free) struct bytes bytes = {.limit = 100000};
        struct json_writer out = {.bytes = &bytes};

        roofline_write(&out, &roofline, &runs[i]);
        EXPECT(!out.failed);
        EXPECT_STR(bytes.data, "\"roofline\":null");
    }
}

/* 64 tokens are a sample of gpt2. */
TEST(a_run_on_text_is_as_fast_in_tokens)
{
    struct run run = a_run(RUN_FINISHED);

    snprintf(run.spec.workload, sizeof run.spec.workload, "gpt2");
    run.summary.samples_per_second = 10;
    run.summary.throughput = (struct range){.known = true, .low = 9.5, .high = 10.5};
    AUTO(freep) char *text = written(&run_members, &run);
    EXPECT_PART(text, ",\"tokens_per_second\":{\"value\":640,\"low\":608,\"high\":672},");
}

TEST(a_summary_in_short_has_its_interval)
{
    struct run run = a_run(RUN_FINISHED);

    run.summary.throughput = (struct range){.known = true, .low = 90.5, .high = 92.5};
    run.summary.first_measured = 5;
    AUTO(freep) char *text = written(&run_members, &run);
    EXPECT_PART(text, "\"summary\":{\"samples_per_second\":91.4,\"interval\":{\"low\":90.5,"
                      "\"high\":92.5,\"level\":0.95},\"median_step_seconds\":0.35,"
                      "\"measured_steps\":30,\"measured_seconds\":10.5,\"first_measured\":5},"
                      "\"tokens_per_second\":null,\"roofline\":null,"
                      "\"validity\":null,\"void\":null,\"cost\":null,\"sweep\":null,");
}

TEST(unknown_values_are_null_and_not_empty)
{
    static const char *const unknown[] = {"instance_type",  "started_at",  "ended_at",
                                          "software",       "summary",     "ended_by",
                                          "reason",         "stderr_tail", "progress",
                                          "engine_details", "samples",     "peak_memory_bytes"};
    struct run run = {.id = {"01ARZ3NDEKTSV4RRFFQ69G5FAV"},
                      .spec = run_spec_default(),
                      .created_us = 1767323045678000};
    AUTO(json_decrefp) json_t *json = presented(&run, NULL);

    for (size_t i = 0; i < COUNT(unknown); i++)
        EXPECT(json_is_null(json_object_get(json, unknown[i])));
    EXPECT_INT(json_integer_value(json_object_get(json, "steps_stored")), 0);
}

TEST(progress_says_how_far_and_how_long_yet)
{
    EXPECT_WRITTEN(&progress_members, &halfway,
                   "{\"steps_done\":5,\"steps_planned\":35,\"phase\":\"measuring\","
                   "\"samples_per_second\":100,\"half_width_percent\":1.5,"
                   "\"dollars\":null,\"elapsed_seconds\":2.5,\"seconds_left\":3}");
}

TEST(a_page_ends_with_the_cursor_of_the_next)
{
    struct run runs[] = {a_run(RUN_QUEUED), a_run(RUN_FAILED)};
    struct run_list list = {.runs = runs, .count = COUNT(runs), .more = true};
    struct page page = {.limit = 2};
    long long number = 0;

    runs[0].number = 12;
    runs[1].number = 11;
    run_page_end(&list, &page);
    AUTO(json_decrefp)
    json_t *json = read_back(&run_list_members, &(struct run_page){&page, &list});
    EXPECT_INT((long long)json_array_size(json_object_get(json, "runs")), 2);
    EXPECT(cursor_read(json_string_value(json_object_get(json, "next_cursor")), &number));
    EXPECT_INT(number, 11); /* the oldest of this page */
    EXPECT_INT((long long)json_object_size(json), 3);
}

TEST(the_last_page_has_no_next_and_tells_what_matched_nothing)
{
    struct run_list list = {0};
    struct page page = {.limit = 2};

    run_page_end(&list, &page);
    EXPECT_WRITTEN(&run_list_members, (&(struct run_page){&page, &list}),
                   "{\"runs\":[],\"next_cursor\":null,\"unmatched\":[]}");
    page.unmatched =
        (struct unmatched_list){{{"engine", "nativ", "no run has it; known are native"}}, 1};
    EXPECT_WRITTEN(&run_list_members, (&(struct run_page){&page, &list}),
                   "{\"runs\":[],\"next_cursor\":null,\"unmatched\":[{\"parameter\":\"engine\","
                   "\"value\":\"nativ\",\"words\":\"no run has it; known are native\"}]}");
}

TEST(a_step_is_in_seconds_and_so_is_its_split)
{
    EXPECT_WRITTEN(&step_members, (&(struct placed_step){0, {1500000, 2.25, {0}}, false}),
                   "{\"index\":0,\"seconds\":0.0015,\"loss\":2.25,\"measured\":false,"
                   "\"split\":null}");
    EXPECT_WRITTEN(&step_members, (&(struct placed_step){7, {1, -1e300, {0}}, true}),
                   "{\"index\":7,\"seconds\":1e-09,\"loss\":-1e+300,\"measured\":true,"
                   "\"split\":null}");
    EXPECT_WRITTEN(
        &step_members,
        (&(struct placed_step){3, {2000000000, 1, {0, 500000000, 1250000000, 1, 0}}, true}),
        "{\"index\":3,\"seconds\":2,\"loss\":1,\"measured\":true,\"split\":"
        "{\"input_seconds\":0,\"forward_seconds\":0.5,"
        "\"backward_seconds\":1.25,\"update_seconds\":1e-09,"
        "\"communication_seconds\":0}}");
}

TEST(implementations_are_an_object_or_null)
{
    char text[] = "{\"fc\":{\"forward\":\"jit\"}}";

    EXPECT_WRITTEN(&implementation_list_members, (&(struct run){.implementations = text}),
                   "{\"implementations\":{\"fc\":{\"forward\":\"jit\"}}}");
    EXPECT_WRITTEN(&implementation_list_members, (&(struct run){0}),
                   "{\"implementations\":null}");
}

TEST(a_voided_run_says_by_whom_why_and_when)
{
    struct run run = a_run(RUN_FINISHED);
    const json_t *voided;

    run.voided = (struct taken_back){.at_us = 1700000000000000, .by = "ann", .reason = "a typo"};
    AUTO(json_decrefp) json_t *json = presented(&run, NULL);
    voided = json_object_get(json, "void");
    EXPECT_STR(json_string_value(json_object_get(voided, "by")), "ann");
    EXPECT_STR(json_string_value(json_object_get(voided, "reason")), "a typo");
    EXPECT(json_is_string(json_object_get(voided, "at")));
    run.voided.by[0] = '\0'; /* a server without tokens of users */
    AUTO(json_decrefp) json_t *nameless = presented(&run, NULL);
    EXPECT(json_is_null(json_object_get(json_object_get(nameless, "void"), "by")));
}
