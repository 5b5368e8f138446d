#include "answers/compare/sides.h"
#include "tests/answers/compare/comparison.h"

/* A row seen from the side, and the same contender where that kind alone was asked for. */
static void expect_side(const struct row_side *side, const struct comparison_row *row)
{
    EXPECT_SAME(*side, *row, price.known, price.why_not, has_cost);
    EXPECT_INT(side->price.at != NULL, row->price.at != NULL);
    if (!row->has_cost)
        return;
    if (side->price.at && row->price.at)
        EXPECT_INT(side->price.at->price.nanos, row->price.at->price.nanos);
    EXPECT_SAME(*side, *row, price.kind, price.dollars.value, cost.samples_per_dollar.value,
                cost.samples_per_dollar.low, cost.samples_per_dollar.high, dominates, job.hours,
                job.dollars);
    EXPECT_INT(isnan(side->job.dollars_low), isnan(row->job.dollars_low));
    if (!isnan(row->job.dollars_low)) {
        EXPECT_NEAR(side->job.dollars_low, row->job.dollars_low, 0);
        EXPECT_NEAR(side->job.dollars_high, row->job.dollars_high, 0);
    }
}

static void stage_all_prices(struct stage *stage)
{
    SOLD(stage, "both", .on_demand = 0.3, .spot = 0.1, .low = 0.08, .high = 0.2, .band = "<5%");
    OFFERED(stage, "on_demand", .on_demand = 0.3, .why_not = "expired: not confirmed for 9 days");
    OFFERED(stage, "spot", .spot = 0.1);
    OFFERED(stage, "typed", .on_demand = 0.3, .spot = 0.1, .typed = 0.2);
    OFFERED(stage, "figure", .on_demand = 0.3, .published = 0.35, .published_spot = 0.15);
    MEASURED(stage, "on_demand", 70, .low = 69, .high = 71);
    MEASURED(stage, "spot", 60, .low = 59, .high = 61);
    MEASURED(stage, "typed", 50, .low = 49, .high = 51);
    MEASURED(stage, "unknown", 40);
    MEASURED(stage, "nothing", 0, .nothing = true, .invalid = 1);
    PUBLISHED(stage, "figure", 929);
    MEASURED(stage, "", 5, .low = 4, .high = 6, .provider = "", .paid = 0.4, .paid_kind = "typed",
             .paid_feed = "option");
}

static size_t place_of(const struct stage *stage, const char *id)
{
    for (size_t i = 0; i < stage->ranking.count; i++)
        if (strcmp(stage->ranking.rows[i].contender->id, id) == 0)
            return i;
    test_fail(__FILE__, __LINE__, id);
    return 0;
}

/* Whatever else is asked, each side is what the same question with that kind alone says. */
TEST(a_side_is_the_answer_to_the_question_with_that_kind)
{
    static const char *const questions[] = {
        "",
        "price=spot",
        "price=typed,paid",
        "epochs=3&hourly_value=5",
        "samples=1000&discount=aws:0.7",
        "price_of=both:0.05",
        "sort=throughput&job_seconds=90",
    };
    static const char *const kinds[] = {"on_demand", "spot"};

    for (size_t i = 0; i < COUNT(questions) * ROW_SIDES; i++) {
        AUTO(stage_clear) struct stage asked = {0};
        AUTO(stage_clear) struct stage alone = {0};
        const char *question = questions[i / ROW_SIDES], *rest = question;
        char text[200];

        if (strncmp(question, "price=", 6) == 0)
            rest = "";
        snprintf(text, sizeof text, "price=%s&%s", kinds[i % ROW_SIDES], rest);
        stage_all_prices(&asked);
        stage_all_prices(&alone);
        compare(&asked, question);
        compare(&alone, text);
        EXPECT_INT((long long)asked.ranking.count, 8);
        for (size_t j = 0; j < asked.ranking.count; j++) {
            size_t at = place_of(&asked, alone.ranking.rows[j].contender->id);

            expect_side(comparison_side(&asked.ranking, at, (enum price_choice)(i % ROW_SIDES)),
                        &alone.ranking.rows[j]);
        }
    }
}

TEST_WITH_STAGE(the_ranking_goes_by_the_kind_that_is_asked_for)
{
    SOLD(stage, "a", .on_demand = 0.2, .spot = 0.19);
    SOLD(stage, "b", .on_demand = 0.4, .spot = 0.05);
    compare(stage, "price=on_demand");
    EXPECT_STR(stage->ranking.rows[0].contender->instance, "a");
    EXPECT_NEAR(comparison_side(&stage->ranking, 1, CHOOSE_SPOT)->price.dollars.value, 0.05,
                1e-12);
    compare(stage, "price=spot");
    EXPECT_STR(stage->ranking.rows[0].contender->instance, "b");
    EXPECT_NEAR(comparison_side(&stage->ranking, 0, CHOOSE_ON_DEMAND)->price.dollars.value, 0.4,
                1e-12);
}

/* Only rows that are shown have sides, by their place among all. */
TEST_WITH_STAGE(a_page_has_the_sides_of_its_rows)
{
    SOLD(stage, "a", .on_demand = 1, .spot = 0.5);
    SOLD(stage, "b", .on_demand = 2, .spot = 0.6);
    SOLD(stage, "c", .on_demand = 3, .spot = 0.7);
    compare(stage, "limit=1&offset=1");
    EXPECT_NEAR(comparison_side(&stage->ranking, 1, CHOOSE_SPOT)->price.dollars.value, 0.6,
                1e-12);
    compare(stage, "limit=2&offset=2");
    EXPECT_NEAR(comparison_side(&stage->ranking, 2, CHOOSE_SPOT)->price.dollars.value, 0.7,
                1e-12);
    compare(stage, "offset=7"); /* behind the last */
    EXPECT(stage->ranking.sides != NULL);
}

/* 36,000 samples of 10 a second take an hour, more or less. */
TEST_WITH_STAGE(the_dollars_of_a_job_are_as_sure_as_speed_and_price)
{
    const struct row_job *job;

    OFFERED(stage, "a", .on_demand = 1, .spot = 0.5, .low = 0.5, .high = 1);
    MEASURED(stage, "a", 10, .low = 8, .high = 12.5, .provider = "aws");
    compare(stage, "samples=36000");
    job = &comparison_side(&stage->ranking, 0, CHOOSE_ON_DEMAND)->job;
    EXPECT_ABOUT(*job, 1e-9, (dollars, 1), (dollars_low, 0.8), (dollars_high, 1.25));
    job = &comparison_side(&stage->ranking, 0, CHOOSE_SPOT)->job;
    EXPECT_NEAR(job->dollars_low, 0.5 * 0.8, 1e-9); /* the price was never lower */
    EXPECT_NEAR(log(job->dollars_high / 0.5), hypot(log(1.25), log(2)), 1e-9);
    compare(stage, "samples=100"); /* ten seconds; a minute is charged */
    job = &row_of(stage, "a")->job;
    EXPECT_ABOUT(*job, 1e-12, (dollars_low, 1 / 60.0), (dollars_high, 1 / 60.0));
    compare(stage, "job_seconds=7200"); /* at any speed */
    EXPECT_ABOUT(row_of(stage, "a")->job, 1e-9, (dollars_low, 2), (dollars_high, 2));
}
