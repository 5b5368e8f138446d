#include "tests/answers/compare/comparison.h"

#define F32 "{\"precision\":\"f32\",\"batch_size\":16}"
#define BATCH_160 "{\"batch_size\":160,\"precision\":\"bf16\"}"

static void stage_some(struct stage *stage)
{
    OFFERED(stage, "a", .on_demand = 1);
    OFFERED(stage, "b", .on_demand = 1);
    OFFERED(stage, "c", .on_demand = 1);
    OFFERED(stage, "d", .provider = "gcp", .on_demand = 1);
    MEASURED(stage, "a", 10, .low = 9, .high = 11);
    MEASURED(stage, "a", 30, .low = 29, .high = 31, .configuration = BATCH_160);
    MEASURED(stage, "a", 20, .low = 19, .high = 21, .configuration = F32, .engine = "pytorch");
    MEASURED(stage, "a", 90, .low = 89, .high = 91, .stratum = "s2");
    MEASURED(stage, "b", 40, .low = 39, .high = 41, .workload = "mlp");
    MEASURED(stage, "d", 50, .low = 49, .high = 51, .provider = "gcp");
    PUBLISHED(stage, "a", 900);
}

TEST(filters_leave_out_and_count_what_they_leave_out)
{
    static const struct {
        const char *question;
        size_t rows, filtered;
    } cases[] = {
        {"configuration=all", 6, 0},
        {"configuration=all&workload=mlp", 1, 0},
        {"configuration=all&workload=lstm", 0, 0},
        {"configuration=all&engine=pytorch", 1, 5},
        {"configuration=all&engine=pytorc", 0, 6},
        {"configuration=all&provider=gcp", 1, 5},
        {"configuration=all&stratum=s2", 1, 5},
        {"configuration=all&instance_type=a", 5, 1},
        {"configuration=all&instance_type=a&instance_type=d", 6, 0},
        {"configuration=all&precision=f32", 1, 5},
        {"configuration=all&precision=bf1", 0, 6},
        {"configuration=all&precision=f32%22,%22batch_size%22:16", 0, 6},
        {"configuration=all&batch_size=16", 5, 1},
        {"configuration=all&batch_size=160", 1, 5},
        {"configuration=all&batch_size=1", 0, 6},
        {"configuration=all&provenance=all", 6, 0},
        {"configuration=all&provenance=published", 1, 5},
        {"configuration=all&provenance=measured", 5, 1},
        {"configuration=0000000000000003", 1, 5},
        {"configuration=0000000000000003&engine=native", 0, 6},
        {"configuration=0000000000000005", 0, 6}, /* of another workload */
        {"", 4, 2},
    };
    AUTO(stage_clear) struct stage stage = {0};

    stage_some(&stage);
    for (size_t i = 0; i < COUNT(cases); i++) {
        compare(&stage, cases[i].question);
        if (stage.ranking.count != cases[i].rows)
            test_fail(__FILE__, __LINE__, cases[i].question);
        EXPECT_INT((long long)stage.ranking.count, (long long)cases[i].rows);
        EXPECT_INT((long long)stage.ranking.filtered, (long long)cases[i].filtered);
    }
}

TEST_WITH_STAGE(the_best_is_the_fastest_of_the_same_machine)
{
    double sum = 0;

    stage_some(stage);
    compare(stage, "");
    for (size_t i = 0; i < stage->ranking.count; i++)
        sum += stage->ranking.rows[i].speed.value;
    EXPECT_NEAR(sum, 30 + 90 + 50 + 900, 0); /* another processor and a figure are no rivals */
    sum = 0;
    compare(stage, "provenance=measured");
    for (size_t i = 0; i < stage->ranking.count; i++)
        sum += stage->ranking.rows[i].speed.value;
    EXPECT_NEAR(sum, 30 + 90 + 50, 0);
    compare(stage, "precision=f32"); /* among what the filters leave */
    EXPECT_NEAR(row_of(stage, "a")->speed.value, 20, 0);
}

/* Three machines made 100.13; a run of five steps in another batch, without an interval, and a
 * run on one machine are a little faster. */
TEST_WITH_STAGE(less_evidence_does_not_take_the_place_of_more)
{
    OFFERED(stage, "a", .on_demand = 1);
    MEASURED(stage, "a", 100.13, .low = 99.9, .high = 100.4, .level = STANDING_VMS, .vms = 3,
             .runs = 3);
    MEASURED(stage, "a", 100.36, .configuration = BATCH_160);
    MEASURED(stage, "a", 101.9, .low = 101.8, .high = 102, .configuration = F32);
    compare(stage, "deadline_h=100");
    EXPECT_INT((long long)stage->ranking.count, 1);
    EXPECT_NEAR(row_of(stage, "a")->speed.value, 100.13, 0);
    EXPECT_RANKS(row_of(stage, "a"), 1, 1);
    EXPECT(stage->ranking.answer != NULL);
    compare(stage, "vm_spread=0"); /* then one machine is as good as three */
    EXPECT_NEAR(row_of(stage, "a")->speed.value, 101.9, 0);
}

TEST_WITH_STAGE(without_any_interval_the_fastest_point_is_best)
{
    MEASURED(stage, "a", 30);
    MEASURED(stage, "a", 40, .configuration = BATCH_160);
    compare(stage, "");
    EXPECT_NEAR(row_of(stage, "a")->speed.value, 40, 0);
}

TEST_WITH_STAGE(a_contender_without_a_number_is_not_the_best)
{
    MEASURED(stage, "a", 0, .nothing = true, .invalid = 2, .configuration = F32);
    MEASURED(stage, "a", 10, .low = 9, .high = 11);
    compare(stage, "");
    EXPECT_INT((long long)stage->ranking.count, 1);
    EXPECT_NEAR(row_of(stage, "a")->speed.value, 10, 0);
}

/* A whole job a second is not faster than three samples. */
TEST_WITH_STAGE(jobs_are_no_rivals_of_samples)
{
    PUBLISHED(stage, "a", 3);
    stage_see(stage, &(struct seen){.instance = "a", .value = 5, .unit = "job"});
    compare(stage, "");
    EXPECT_INT((long long)stage->ranking.count, 2);
}

TEST_WITH_STAGE(types_without_a_measurement_are_listed)
{
    stage_some(stage);
    compare(stage, "");
    EXPECT_INT((long long)stage->ranking.unmeasured_count, 2); /* b only in another workload */
    EXPECT_STR(stage->ranking.unmeasured[0]->instance, "b");
    EXPECT_STR(stage->ranking.unmeasured[1]->instance, "c");
    compare(stage, "instance_type=a&instance_type=c");
    EXPECT_HAS(stage->ranking, (unmeasured_count, 1), (unmeasured[0]->instance, "c"));
    compare(stage, "provider=gcp");
    EXPECT_INT((long long)stage->ranking.unmeasured_count, 0);
    compare(stage, "workload=mlp&provider=gcp");
    EXPECT_HAS(stage->ranking, (unmeasured_count, 1), (unmeasured[0]->instance, "d"));
}

/* They were measured all the same. */
TEST(a_type_hidden_by_a_filter_is_not_unmeasured)
{
    static const char *const questions[] = {
        "engine=pytorch", "precision=f32",        "batch_size=160",
        "stratum=s2",     "provenance=published", "configuration=0000000000000003",
        "limit=1"};
    AUTO(stage_clear) struct stage stage = {0};

    stage_some(&stage);
    for (size_t i = 0; i < COUNT(questions); i++) {
        compare(&stage, questions[i]);
        EXPECT_INT((long long)stage.ranking.unmeasured_count, 2);
    }
}

TEST_WITH_STAGE(a_row_finds_its_offer)
{
    OFFERED(stage, "a", .on_demand = 1, .provider = "aws");
    OFFERED(stage, "a", .on_demand = 2, .provider = "azure");
    OFFERED(stage, "b", .on_demand = 3);
    MEASURED(stage, "a", 10, .low = 9, .high = 11, .provider = "azure");
    MEASURED(stage, "b", 10, .low = 9, .high = 11, .provider = "");
    MEASURED(stage, "x", 10, .low = 9, .high = 11);
    compare(stage, "");
    EXPECT_NEAR(row_of(stage, "a")->price.dollars.value, 2, 1e-12);
    EXPECT_NEAR(row_of(stage, "b")->price.dollars.value, 3, 1e-12); /* the only one */
    EXPECT(row_of(stage, "x")->offer == NULL);
    EXPECT_NEAR(row_of(stage, "a")->cost.samples_per_dollar.value, 18000, 1e-6);
    EXPECT_NEAR(row_of(stage, "a")->cost.samples_per_dollar.low, 16200, 1e-6);
}

TEST_WITH_STAGE(what_is_old_or_of_older_software_is_stale)
{
    MEASURED(stage, "before", 10, .software = "native 1", .age_days = 2);
    MEASURED(stage, "new", 10, .software = "native 2", .age_days = 1);
    MEASURED(stage, "old", 10, .software = "native 2", .age_days = 91);
    MEASURED(stage, "edge", 10, .software = "native 2", .age_days = 90);
    MEASURED(stage, "unknown", 10, .software = "", .age_days = 1);
    MEASURED(stage, "other", 10, .software = "py 1", .age_days = 3, .engine = "pytorch");
    MEASURED(stage, "mlp", 10, .software = "py 2", .age_days = 4, .engine = "pytorch",
             .workload = "mlp");
    PUBLISHED(stage, "figure", 10);
    stage->standings.list[7].standing.newest_us = 1;
    MEASURED(stage, "larger", 10, .software = "native 2, oneDNN 9, 64 threads", .age_days = 0);
    compare(stage, "");
    EXPECT(!row_of(stage, "new")->is_stale); /* another machine has other threads */
    EXPECT(!row_of(stage, "larger")->is_stale);
    EXPECT(row_of(stage, "before")->is_stale);
    EXPECT_STR(row_of(stage, "before")->why_stale,
               "measured with an older version than native 2");
    EXPECT(row_of(stage, "old")->is_stale);
    EXPECT_STR(row_of(stage, "old")->why_stale, "measured more than 90 days before");
    EXPECT(!row_of(stage, "edge")->is_stale);
    EXPECT(!row_of(stage, "unknown")->is_stale);
    /* By the order of versions: py 2 was measured a day before it. */
    EXPECT_STR(row_of(stage, "other")->why_stale, "measured with an older version than py 2");
    EXPECT(!row_of(stage, "figure")->is_stale); /* it tells its date */
}

TEST_WITH_STAGE(how_near_the_peak_is_known_only_where_all_of_it_is)
{
    struct newest *newest;

    MEASURED(stage, "a", 40.73, .low = 40, .high = 41);
    compare(stage, "");
    EXPECT(!row_of(stage, "a")->has_peak);
    newest = &stage->standings.list[0].newest;
    snprintf(newest->isa, sizeof newest->isa, "amx");
    newest->threads = 4;
    newest->hertz = 3e9;
    newest->multiply_adds = 4.1e9;
    compare(stage, "");
    EXPECT(row_of(stage, "a")->has_peak);
    EXPECT_NEAR(row_of(stage, "a")->peak.achieved_tflops, 40.73 * 6 * 4.1e9 / 1e12, 1e-9);
    EXPECT_NEAR(row_of(stage, "a")->peak.share, 40.73 * 6 * 4.1e9 / (4 * 3e9 * 1024), 1e-9);
}

TEST_WITH_STAGE(nothing_at_all_is_an_answer_too)
{
    compare(stage, "deadline_h=5");
    EXPECT_HAS(stage->ranking, (count, 0), (unmeasured_count, 0),
               (decision, "no row has both a measurement with an interval and a price"));
}
