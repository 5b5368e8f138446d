#include "answers/types/wanted.h"

#include "tests/answers/compare/comparison.h"

#define TYPE "c7i.large"

/* A configuration as the database has it. */
static char *configuration(const char *precision, long long batch_size)
{
    struct run_spec spec = run_spec_default();

    spec.precision = precision;
    spec.batch_size = batch_size;
    return configuration_of_spec(&spec);
}

static struct wanted_list ask_of(const struct stage *stage, struct known_type type,
                                 const char *engine)
{
    const struct wanted_question question = {.standings = &stage->standings,
                                             .type = &type,
                                             .engine = engine,
                                             .days = 90,
                                             .now_us = STAGE_NOW_US};

    return wanted_find(&question);
}

static struct wanted_list ask(const struct stage *stage)
{
    return ask_of(stage, (struct known_type){.listed = {.provider = "aws", .name = TYPE}}, NULL);
}

TEST_WITH_STAGE(a_type_without_a_measurement_should_run_a_bench)
{
    AUTO(wanted_list_free) struct wanted_list list = ask(stage);

    EXPECT_INT((long long)list.count, 2);
    for (size_t i = 0; i < list.count; i++) {
        EXPECT_HAS(list.list[i], (reason, WANTED_NEVER), (spec.engine, "native"),
                   (words, "no valid run of it on this type"));
        EXPECT(!list.list[i].contender);
    }
    EXPECT_STR(list.list[0].spec.precision, "bf16");
    EXPECT_STR(list.list[1].spec.precision, "f32");
}

TEST_WITH_STAGE(what_more_types_were_measured_with_is_worth_more)
{
    AUTO(freep) char *small = configuration("f32", 4);
    AUTO(freep) char *large = configuration("f32", 8);

    MEASURED(stage, "a", 1, .configuration = small);
    MEASURED(stage, "a", 1, .configuration = large);
    MEASURED(stage, "b", 1, .configuration = large);
    PUBLISHED(stage, "c", 1);
    AUTO(wanted_list_free) struct wanted_list list = ask(stage);
    EXPECT_HAS(list, (count, 4), (list[0].spec.batch_size, 8), (list[0].types, 2),
               (list[1].spec.batch_size, 4));
}

/* Of the usual f32, on three machines unless a test says otherwise; the reason why it is wanted,
 * or WANTED_NOT. */
#define REASON(...)                                                                              \
    reason_of(&(struct seen){.instance = TYPE, .value = 1, .low = 0.9, .high = 1.1, __VA_ARGS__})

static enum wanted_reason reason_of(const struct seen *seen)
{
    const struct run_spec usual = run_spec_default();
    AUTO(stage_clear) struct stage stage = {0};
    AUTO(freep) char *text = configuration("f32", usual.batch_size);
    struct seen measured = *seen;

    measured.configuration = text;
    if (measured.vms == 0 && !measured.nothing) {
        measured.vms = measured.runs = 3;
        measured.level = STANDING_VMS;
    }
    stage_see(&stage, &measured);
    MEASURED(&stage, "other", 1, .configuration = text, .software = "native 2");
    AUTO(wanted_list_free) struct wanted_list list = ask(&stage);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.list[i].configuration, text) == 0) {
            EXPECT(list.list[i].words[0]);
            EXPECT(list.list[i].contender == &stage.standings.list[0]);
            return list.list[i].reason;
        }
    return WANTED_NOT;
}

TEST(each_lack_of_evidence_is_a_reason)
{
    EXPECT_INT(REASON(.software = "native 2"), WANTED_NOT);
    EXPECT_INT(REASON(.nothing = true), WANTED_NEVER);
    EXPECT_INT(REASON(.software = "native 2", .vms = 2, .level = STANDING_RUNS),
               WANTED_FEW_MACHINES);
    EXPECT_INT(REASON(.software = "native 1"), WANTED_OTHER_VERSION);
    EXPECT_INT(REASON(.software = "native 2", .age_days = 90), WANTED_NOT);
    EXPECT_INT(REASON(.software = "native 2", .age_days = 91), WANTED_OLD);
    EXPECT_INT(REASON(.software = "native 1", .age_days = 91), WANTED_OTHER_VERSION);
}

TEST_WITH_STAGE(the_machine_with_the_most_evidence_speaks_for_its_type)
{
    const struct run_spec usual = run_spec_default();
    AUTO(freep) char *text = configuration("f32", usual.batch_size);

    MEASURED(stage, TYPE, 1, .configuration = text, .nothing = true);
    MEASURED(stage, TYPE, 1, .configuration = text, .stratum = "s2");
    MEASURED(stage, TYPE, 1, .configuration = text, .stratum = "s3", .nothing = true);
    AUTO(wanted_list_free) struct wanted_list list = ask(stage);
    EXPECT_HAS(list, (count, 2), (list[1].reason, WANTED_FEW_MACHINES));
    EXPECT(list.list[1].contender == &stage->standings.list[1]);
    EXPECT_STR(list.list[1].words,
               "measured on 1 of the 3 machines that an interval over machines needs");
}

TEST_WITH_STAGE(what_such_a_machine_cannot_run_is_counted_and_left_out)
{
    AUTO(freep) char *huge = configuration("f32", 4096);

    MEASURED(stage, "a", 1, .configuration = huge);
    AUTO(wanted_list_free)
    struct wanted_list list = ask_of(
        stage,
        (struct known_type){
            .listed = {.provider = "aws", .name = "c6i.large", .vcpus = 2, .memory_gib = 4}},
        NULL);
    EXPECT_INT((long long)list.count, 1); /* f32: Ice Lake has no bf16 */
    EXPECT_HAS(list, (list[0].spec.precision, "f32"), (unable, 2));
}

TEST_WITH_STAGE(only_an_engine_that_was_asked_about_is_wanted)
{
    const struct known_type type = {.listed = {.provider = "aws", .name = TYPE}};
    AUTO(freep) char *text = configuration("f32", 4);

    MEASURED(stage, "a", 1, .configuration = text, .engine = "pytorch");
    AUTO(wanted_list_free) struct wanted_list theirs = ask_of(stage, type, "pytorch");
    AUTO(wanted_list_free) struct wanted_list ours = ask_of(stage, type, "native");
    EXPECT_HAS(theirs, (count, 1), (list[0].spec.engine, "pytorch"));
    EXPECT_INT((long long)ours.count, 2);
}

TEST_WITH_STAGE(a_configuration_that_no_spec_has_today_is_passed_over)
{
    MEASURED(stage, "a", 1, .configuration = "{\"precision\":\"f8\"}");
    AUTO(wanted_list_free) struct wanted_list list = ask(stage);
    EXPECT_INT((long long)list.count, 2);
}
