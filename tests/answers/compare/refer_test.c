#include "tests/answers/compare/comparison.h"

#define CPU "c7i.2xlarge"
#define GPU "g5.2xlarge"
#define GPU_PRICE 1.212

/* The GPU gives 2,759,537 samples per dollar: 929 a second. */
static void stage_articles(struct stage *stage)
{
    OFFERED(stage, CPU, .on_demand = 0.357, .spot = 0.1291);
    OFFERED(stage, GPU, .on_demand = GPU_PRICE, .published = GPU_PRICE);
    MEASURED(stage, CPU, 40.73, .low = 40.6, .high = 40.9);
    PUBLISHED(stage, GPU, 929);
}

TEST_WITH_STAGE(break_even_is_as_in_the_articles)
{
    stage_articles(stage);
    compare(stage, "reference=" GPU);
    const struct comparison_row *row = row_of(stage, CPU);
    EXPECT(stage->ranking.reference == row_of(stage, GPU));
    EXPECT_NEAR(row->break_even_speed, 273.6, 0.05);
    EXPECT_NEAR(row->break_even_price, 0.0531, 0.00005);
    EXPECT_NEAR(row->ratio.value, 40.73 / 0.357 / (929 / GPU_PRICE), 1e-9);
    EXPECT_NEAR(row->speed_ratio.value, 40.73 / 929, 1e-12);
    EXPECT(!row->ratio.known && !row->speed_ratio.known); /* a figure has no interval */
    EXPECT(!row->mixed_kinds);
    compare(stage, "price=spot,on_demand&reference=" GPU);
    EXPECT_NEAR(row_of(stage, CPU)->break_even_speed, 99.0, 0.06);
    EXPECT_NEAR(row_of(stage, CPU)->break_even_price, 0.0531, 0.00005);
    EXPECT(row_of(stage, CPU)->mixed_kinds); /* spot and on demand */
    EXPECT(!row_of(stage, GPU)->mixed_kinds);
}

TEST_WITH_STAGE(the_reference_is_exactly_as_good_as_itself)
{
    OFFERED(stage, "a", .on_demand = 0.3);
    OFFERED(stage, "b", .on_demand = 0.3);
    MEASURED(stage, "a", 100, .low = 80, .high = 120);
    MEASURED(stage, "b", 50, .low = 49, .high = 51);
    compare(stage, "reference=a");
    const struct comparison_row *row = row_of(stage, "a");
    EXPECT(row->ratio.known && row->speed_ratio.known);
    EXPECT_HAS(*row, (ratio.value, 1), (ratio.low, 1), (ratio.high, 1), (speed_ratio.low, 1));
    EXPECT_NEAR(row->break_even_speed, 100, 1e-9);
    EXPECT_NEAR(row->break_even_price, 0.3, 1e-12);
    row = row_of(stage, "b");
    EXPECT(row->ratio.known);
    EXPECT_NEAR(row->ratio.value, 0.5, 1e-12);
    EXPECT(row->ratio.low < 0.45 && row->ratio.high > 0.55); /* as unsure as both */
}

TEST_WITH_STAGE(a_ratio_is_as_unsure_as_machines_differ)
{
    SOLD(stage, "a", .on_demand = 0.3);
    OFFERED(stage, "b", .on_demand = 0.3);
    MEASURED(stage, "b", 50, .low = 49, .high = 51);
    compare(stage, "reference=a&vm_spread=0");
    struct ratio sure = row_of(stage, "b")->speed_ratio;
    EXPECT_NEAR(sure.low, 0.5 * exp(-hypot(log(50.0 / 49), log(101.0 / 100))), 1e-9);
    compare(stage, "reference=a&vm_spread=10");
    EXPECT(row_of(stage, "b")->speed_ratio.low < sure.low * 0.8);
    EXPECT(row_of(stage, "b")->ratio.low < sure.low * 0.8);
    EXPECT_NEAR(row_of(stage, "b")->speed_ratio.value, 0.5, 1e-12);
}

TEST_WITH_STAGE(a_row_without_price_or_number_gets_no_ratio)
{
    OFFERED(stage, "a", .on_demand = 0.3);
    OFFERED(stage, "none", .on_demand = 0.3);
    MEASURED(stage, "a", 100, .low = 80, .high = 120);
    MEASURED(stage, "priceless", 50, .low = 49, .high = 51);
    MEASURED(stage, "none", 0, .nothing = true, .invalid = 1);
    compare(stage, "reference=a");
    EXPECT_NEAR(row_of(stage, "priceless")->speed_ratio.value, 0.5, 1e-12);
    EXPECT(isnan(row_of(stage, "priceless")->ratio.value));
    EXPECT(isnan(row_of(stage, "priceless")->break_even_speed));
    EXPECT(isnan(row_of(stage, "none")->ratio.value));
    EXPECT(isnan(row_of(stage, "none")->speed_ratio.value));
    compare(stage, "reference=priceless");
    EXPECT(isnan(row_of(stage, "a")->ratio.value));
    EXPECT(isnan(row_of(stage, "priceless")->ratio.value));
    EXPECT_NEAR(row_of(stage, "priceless")->speed_ratio.value, 1, 0);
}

TEST_WITH_STAGE(a_job_is_not_held_against_samples)
{
    OFFERED(stage, "a", .on_demand = 0.3);
    OFFERED(stage, "whole", .on_demand = 0.3);
    OFFERED(stage, "other", .on_demand = 0.6);
    MEASURED(stage, "a", 100, .low = 80, .high = 120);
    stage_see(stage, &(struct seen){.instance = "whole", .value = 0.01, .unit = "job"});
    stage_see(stage, &(struct seen){.instance = "other", .value = 0.01, .unit = "job"});
    compare(stage, "reference=a");
    EXPECT(isnan(row_of(stage, "whole")->ratio.value));
    EXPECT(isnan(row_of(stage, "whole")->speed_ratio.value));
    EXPECT(isnan(row_of(stage, "whole")->break_even_price));
    compare(stage, "reference=whole");
    EXPECT(isnan(row_of(stage, "a")->speed_ratio.value));
    EXPECT_NEAR(row_of(stage, "other")->ratio.value, 0.5, 1e-12);
}

TEST_WITH_STAGE(a_reference_is_named_by_instance_or_id)
{
    OFFERED(stage, "a", .on_demand = 0.3);
    MEASURED(stage, "a", 70); /* no interval, so no rank */
    MEASURED(stage, "a", 60, .low = 59, .high = 61, .engine = "other");
    MEASURED(stage, "", 50, .low = 49, .high = 51);
    compare(stage, "configuration=all&reference=a");
    EXPECT_STR(stage->ranking.reference->contender->engine, "other"); /* the ranked one */
    compare(stage, "configuration=all&reference=0000000000000001");
    EXPECT_STR(stage->ranking.reference->contender->engine, "native");
    EXPECT_NEAR(stage->ranking.reference->speed.value, 70, 0);
}

TEST(an_unknown_reference_is_refused)
{
    static const char *const asked[] = {"reference=b", "reference=none",
                                        "reference=", "reference=a&instance_type=none",
                                        "reference=a&workload=mlp"};
    AUTO(stage_clear) struct stage stage = {0};

    OFFERED(&stage, "a", .on_demand = 0.3);
    MEASURED(&stage, "a", 70, .low = 69, .high = 71);
    MEASURED(&stage, "none", 0, .nothing = true);
    MEASURED(&stage, "", 70, .low = 69, .high = 71);
    for (size_t i = 0; i < COUNT(asked); i++) {
        EXPECT_INVALID(stage_compare(&stage, asked[i], &err), "reference");
        EXPECT(stage.ranking.rows == NULL);
    }
}

/* On spot, two processors of one type: the price moves by a factor of two or four, and both with
 * it. The usual price may lie at an end of the week's. */
TEST(a_price_that_both_share_does_not_widen_their_ratio)
{
    static const double lows[] = {0.05, 0.1};

    for (size_t i = 0; i < COUNT(lows); i++) {
        AUTO(stage_clear) struct stage stage = {0};

        OFFERED(&stage, "a", .spot = 0.1, .low = lows[i], .high = 0.2);
        USUAL(&stage, "a", .stratum = "s1");
        MEASURED(&stage, "a", 70, .low = 69, .high = 71, .stratum = "s2");
        compare(&stage, "price=spot&vm_spread=0&reference=a");
        const struct comparison_row *slow = &stage.ranking.rows[1];
        EXPECT_NEAR(slow->ratio.value, 0.7, 1e-9);
        EXPECT_NEAR(slow->ratio.low, slow->speed_ratio.low, i == 0 ? 1e-6 : 1e-9);
        EXPECT_NEAR(slow->ratio.high, slow->speed_ratio.high, i == 0 ? 1e-6 : 1e-9);
    }
}
