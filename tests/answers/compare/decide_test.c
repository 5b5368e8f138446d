#include "tests/answers/compare/comparison.h"

/* A million samples: "slow" takes 10 h and $1, "middle" 5 h and $2, "fast" 1 h and $4. */
static void stage_machines(struct stage *stage)
{
    OFFERED(stage, "slow", .on_demand = 0.1, .provider = "x");
    OFFERED(stage, "middle", .on_demand = 0.4, .provider = "x");
    OFFERED(stage, "fast", .on_demand = 4, .provider = "x");
    MEASURED(stage, "slow", 1e6 / 36000, .low = 27.7, .high = 27.85, .provider = "x");
    MEASURED(stage, "middle", 1e6 / 18000, .low = 55.4, .high = 55.7, .provider = "x");
    MEASURED(stage, "fast", 1e6 / 3600, .low = 277, .high = 278.5, .provider = "x");
}

static const char *chosen_by(const struct stage *stage)
{
    return stage->ranking.answer ? stage->ranking.answer->contender->instance : "none";
}

TEST_WITH_STAGE(the_cheapest_or_the_fastest_that_surely_keeps_a_goal_is_chosen)
{
    static const struct {
        const char *question, *chosen, *words; /* NULL: whatever it says */
    } rows[] = {
        {"deadline_h=20", "slow", NULL},
        {"deadline_h=6", "middle",
         "cheapest: middle (on_demand): 5 h, $2.00, within 6 h with a probability of 0.994"},
        {"deadline_h=2", "fast", NULL},
        {"deadline_h=5", "fast", NULL}, /* half of all cases of the middle one are later */
        {"budget=5", "fast", NULL},
        {"budget=3", "middle",
         "fastest: middle (on_demand): 5 h, $2.00, within $3.00 with a probability of 1.000"},
        {"budget=1.5", "slow", NULL},
        {"budget=5&boot_seconds=1800", "middle", NULL}, /* a boot is paid: fast would be $6 */
        {"budget=7&boot_seconds=1800", "fast", NULL},
        {"budget=0.04&boot_seconds=1800", "none", NULL}, /* less than any boot */
        {"budget=5.2&hourly_value=0.5", "fast", NULL},   /* $4 and an hour of waiting */
        {"budget=4.2&hourly_value=0.5", "none", NULL},
        {"deadline_h=6&budget=5", "middle", NULL}, /* both are kept */
        {"deadline_h=2&budget=3", "none", NULL},
    };

    stage_machines(stage);
    for (size_t i = 0; i < COUNT(rows); i++) {
        compare(stage, rows[i].question);
        if (strcmp(chosen_by(stage), rows[i].chosen) != 0)
            test_fail(__FILE__, __LINE__, rows[i].question);
        EXPECT_STR(chosen_by(stage), rows[i].chosen);
        if (rows[i].words)
            EXPECT_STR(stage->ranking.decision, rows[i].words);
    }
    EXPECT_PART(stage->ranking.decision, "none keeps 2 h and $3.00 with a probability of 0.95");
}

TEST_WITH_STAGE(a_row_says_how_sure_its_job_is_and_what_it_takes)
{
    stage_machines(stage);
    compare(stage, "deadline_h=5");
    EXPECT(row_of(stage, "middle")->job.probability < 0.95);
    EXPECT_INT(row_of(stage, "slow")->job.instances, 2);
    EXPECT_INT(row_of(stage, "fast")->job.instances, 1);
    compare(stage, "budget=1.5");
    EXPECT_INT(row_of(stage, "slow")->job.instances, 0); /* no deadline was asked */
    compare(stage, "budget=7&boot_seconds=1800");
    EXPECT_NEAR(stage->ranking.answer->job.dollars, 6, 1e-6);
    compare(stage, "budget=0.04&boot_seconds=1800");
    EXPECT_NEAR(row_of(stage, "slow")->job.probability, 0, 0);
}

TEST_WITH_STAGE(if_no_machine_meets_the_goal_the_nearest_is_named)
{
    stage_machines(stage);
    compare(stage, "deadline_h=0.5");
    EXPECT(stage->ranking.answer == NULL);
    EXPECT_STR(
        stage->ranking.decision,
        "none keeps 0.5 h with a probability of 0.95; the nearest is fast (on_demand): 1 h, "
        "$4.00, probability 0.000; 2 of it in parallel would keep the deadline if scaling "
        "were ideal");
    compare(stage, "budget=0.9");
    EXPECT_STR(chosen_by(stage), "none");
    EXPECT_PART(stage->ranking.decision, "the nearest is slow (on_demand): 10 h, $1.00");
    compare(stage, "deadline_h=1e-300"); /* so many instances there are not */
    EXPECT_STR(chosen_by(stage), "none");
    EXPECT_INT(row_of(stage, "slow")->job.instances, 0);
}

TEST_WITH_STAGE(a_row_without_price_or_interval_or_only_published_is_never_chosen)
{
    OFFERED(stage, "figure", .on_demand = 0.1);
    OFFERED(stage, "point", .on_demand = 0.1);
    PUBLISHED(stage, "figure", 1e6);
    MEASURED(stage, "priceless", 1e6, .low = 1.9e6, .high = 1.1e6);
    MEASURED(stage, "point", 1e6);
    stage_see(stage, &(struct seen){.instance = "figure",
                                    .value = 2e6,
                                    .low = 1.9e6,
                                    .high = 2.1e6,
                                    .unit = "sample",
                                    .engine = "other"}); /* whatever it says of itself */
    compare(stage, "deadline_h=100");
    EXPECT(stage->ranking.answer == NULL);
    EXPECT_STR(stage->ranking.decision,
               "no row has both a measurement with an interval and a price; published, not "
               "measured: figure (on_demand): 0.000139 h, $0.00");
    for (size_t i = 0; i < stage->ranking.count; i++)
        EXPECT(!stage->ranking.rows[i].job.has_forecast);
}

TEST_WITH_STAGE(nothing_is_decided_where_nothing_is_asked)
{
    stage_machines(stage);
    compare(stage, "");
    EXPECT(stage->ranking.answer == NULL);
    EXPECT_STR(stage->ranking.decision, "");
    EXPECT(!row_of(stage, "fast")->job.has_forecast);
}

/* What waits on another page is chosen all the same. */
TEST_WITH_STAGE(the_page_does_not_change_the_answer)
{
    stage_machines(stage);
    compare(stage, "deadline_h=2&limit=1");
    EXPECT_STR(chosen_by(stage), "fast");
    EXPECT_NEAR(stage->ranking.answer->job.probability, 1, 0);
    EXPECT(row_of(stage, "slow")->job.has_forecast);    /* on the page */
    EXPECT(!row_of(stage, "middle")->job.has_forecast); /* not worth a look */
}

TEST_WITH_STAGE(machines_of_a_type_differ_where_few_were_seen)
{
    OFFERED(stage, "one", .on_demand = 0.1);
    MEASURED(stage, "one", 100, .low = 99.9, .high = 100.1); /* 2.778 h */
    compare(stage, "deadline_h=2.9&vm_spread=0");
    EXPECT_STR(chosen_by(stage), "one");
    compare(stage, "deadline_h=2.9&vm_spread=20");
    EXPECT_STR(chosen_by(stage), "none");
    EXPECT(row_of(stage, "one")->job.hours_high > row_of(stage, "one")->job.hours * 1.2);
    EXPECT(row_of(stage, "one")->job.hours_low < row_of(stage, "one")->job.hours);
}

TEST_WITH_STAGE(interruptions_take_their_time)
{
    double hours, high;

    OFFERED(stage, "a", .spot = 0.1, .on_demand = 0.2, .band = ">20%");
    MEASURED(stage, "a", 10, .low = 9.99, .high = 10.01);
    compare(stage, "deadline_h=30&price=on_demand");
    hours = row_of(stage, "a")->job.hours;
    high = row_of(stage, "a")->job.hours_high;
    EXPECT(isnan(row_of(stage, "a")->job.interruption_share));
    compare(stage, "deadline_h=30&price=spot");
    EXPECT_NEAR(row_of(stage, "a")->job.interruption_share, 0.3, 1e-12);
    EXPECT(row_of(stage, "a")->job.hours > hours);
    EXPECT(row_of(stage, "a")->job.hours_high > high); /* those that it draws too */
    EXPECT(row_of(stage, "a")->job.checkpointing.waste > 0);
    compare(stage, "deadline_h=30&price=spot&interruptions_percent=90");
    EXPECT_NEAR(row_of(stage, "a")->job.interruption_share, 0.9, 1e-12);
}

TEST_WITH_STAGE(a_job_is_asked_for_in_samples_epochs_or_seconds)
{
    OFFERED(stage, "a", .on_demand = 1);
    MEASURED(stage, "a", 1000, .low = 999, .high = 1001);
    compare(stage, "");
    EXPECT_NEAR(row_of(stage, "a")->job.samples, 1e6, 0);
    compare(stage, "samples=3600000&hourly_value=7");
    EXPECT_ABOUT(row_of(stage, "a")->job, 1e-12, (hours, 1), (dollars, 1), (waiting_dollars, 7),
                 (total_dollars, 8));
    compare(stage, "epochs=2");
    EXPECT_NEAR(row_of(stage, "a")->job.samples, 2 * 1281167.0, 0);
    compare(stage, "job_seconds=7200");
    EXPECT_NEAR(row_of(stage, "a")->job.hours, 2, 1e-12);
    compare(stage, "samples=1000"); /* a second; a minute is charged */
    EXPECT(row_of(stage, "a")->job.rule != NULL);
    EXPECT_NEAR(row_of(stage, "a")->job.charged_hours, 60.0 / 3600, 1e-12);
    EXPECT_NEAR(row_of(stage, "a")->job.dollars, 60.0 / 3600, 1e-12);
}

static const struct row_job *job_of(const struct stage *stage, const char *instance)
{
    return &row_of(stage, instance)->job;
}

/* Machines at 90, 100 and 112 a second; a need of 89.5. */
TEST(a_probability_is_of_the_next_machine_that_is_rented)
{
    static const double speeds[] = {90, 100, 112};
    AUTO(stage_clear) struct stage stage = {0};

    OFFERED(&stage, "a", .on_demand = 1);
    MEASURED(&stage, "a", 100.67, .low = 76.6, .high = 131.7, .level = STANDING_VMS, .vms = 3);
    memcpy(stage.standings.list[0].standing.machines, speeds, sizeof speeds);
    compare(&stage, "deadline_h=10&samples=3222000");
    EXPECT_NEAR(job_of(&stage, "a")->probability, 0.77, 0.02);
    EXPECT_HAS(*job_of(&stage, "a"), (machines, 3), (models, 1));
    EXPECT(stage.ranking.answer == NULL);
}

/* The provider chooses the processor: half of the machines seen have one that is too slow. */
TEST_WITH_STAGE(a_type_with_two_processor_models_is_a_mixture)
{
    OFFERED(stage, "a", .on_demand = 1);
    USUAL(stage, "a", .level = STANDING_VMS, .vms = 3);
    MEASURED(stage, "a", 50, .low = 49, .high = 51, .level = STANDING_VMS, .vms = 3,
             .stratum = "s2");
    compare(stage, "deadline_h=10&samples=2880000"); /* 80 a second */
    EXPECT_NEAR(stage->ranking.rows[0].job.probability, 0.5, 0.03);
    EXPECT_INT(stage->ranking.rows[0].job.models, 2);
    EXPECT(stage->ranking.answer == NULL);
}

TEST_WITH_STAGE(three_machines_are_no_surer_than_their_scatter)
{
    OFFERED(stage, "one", .on_demand = 1);
    OFFERED(stage, "three", .on_demand = 1);
    MEASURED(stage, "one", 100, .low = 99.9, .high = 100.1);
    MEASURED(stage, "three", 100, .low = 85, .high = 117.6, .level = STANDING_VMS, .vms = 3);
    compare(stage, "deadline_h=10&samples=3420000"); /* 95 a second */
    EXPECT(job_of(stage, "three")->probability < job_of(stage, "one")->probability);
}

/* Hardware of its owner is not rented: the next job runs on the machine that was measured. */
TEST_WITH_STAGE(the_next_machine_of_an_owner_is_the_same_one)
{
    USUAL(stage, "", .provider = "", .paid = 0.05, .paid_kind = "own");
    compare(stage, "deadline_h=10&samples=3240000");
    EXPECT_INT(stage->ranking.rows[0].job.machines, 0);
    EXPECT_NEAR(stage->ranking.rows[0].job.probability, 1, 1e-9);
}

/* "wide" would be done sooner in the middle of all cases, but machines of its type lie far apart;
 * "narrow" is a little slower, and surer. */
TEST_WITH_STAGE(the_nearest_is_the_most_probable)
{
    OFFERED(stage, "wide", .on_demand = 1, .provider = "x");
    OFFERED(stage, "narrow", .on_demand = 1, .provider = "x");
    MEASURED(stage, "wide", 104, .low = 60, .high = 180, .level = STANDING_VMS, .vms = 3,
             .provider = "x");
    MEASURED(stage, "narrow", 103, .low = 100, .high = 106.1, .provider = "x");
    compare(stage, "deadline_h=10&samples=3600000"); /* 100 a second */
    EXPECT(stage->ranking.answer == NULL);
    EXPECT(row_of(stage, "wide")->job.hours < row_of(stage, "narrow")->job.hours);
    EXPECT(row_of(stage, "wide")->job.probability < row_of(stage, "narrow")->job.probability);
    EXPECT_STR(stage->ranking.nearest->contender->instance, "narrow");
    EXPECT_PART(stage->ranking.decision, "the nearest is narrow");
}

/* The page has one row, and the most probable is not on it. */
TEST_WITH_STAGE(the_nearest_may_be_on_another_page)
{
    stage_machines(stage);
    compare(stage, "deadline_h=0.99&limit=1");
    EXPECT_STR(row_of(stage, "slow")->contender->instance, "slow");
    EXPECT_STR(stage->ranking.nearest->contender->instance, "fast");
    EXPECT(stage->ranking.nearest->job.has_forecast);
}

/* "steady" misses by less, and surely; "shaky", which is not on the page, may make it. */
TEST_WITH_STAGE(the_nearest_has_a_chance_if_any_row_has)
{
    MEASURED(stage, "steady", 90, .low = 89.9, .high = 90.1, .provider = "", .paid = 0.05,
             .paid_kind = "own");
    MEASURED(stage, "shaky", 85, .low = 75, .high = 96, .provider = "", .paid = 0.05,
             .paid_kind = "own");
    compare(stage, "deadline_h=10&samples=3600000&limit=1"); /* 100 a second */
    EXPECT_NEAR(row_of(stage, "steady")->job.probability, 0, 0);
    EXPECT_STR(stage->ranking.nearest->contender->instance, "shaky");
    EXPECT(stage->ranking.nearest->job.probability > 0);
    compare(stage, "deadline_h=1&samples=3600000&limit=1&offset=1"); /* neither has one */
    EXPECT_STR(stage->ranking.nearest->contender->instance, "steady");
    EXPECT(stage->ranking.nearest->job.has_forecast);
}

TEST_WITH_STAGE(the_sentence_says_how_many_in_parallel_would_keep_a_deadline)
{
    stage_machines(stage);
    compare(stage, "deadline_h=0.3"); /* how it is said: the test of the nearest */
    EXPECT_PART(stage->ranking.decision, "; 4 of it in parallel ");
    compare(stage, "deadline_h=2"); /* one is enough */
    EXPECT(strstr(stage->ranking.decision, "in parallel") == NULL);
    compare(stage, "budget=0.9"); /* more machines cost no less */
    EXPECT(strstr(stage->ranking.decision, "in parallel") == NULL);
}

TEST_WITH_STAGE(a_published_figure_that_meets_the_goal_is_named_as_published)
{
    stage_machines(stage);
    OFFERED(stage, "figure", .on_demand = 1);
    OFFERED(stage, "costly", .on_demand = 90);
    OFFERED(stage, "job", .on_demand = 0.1);
    PUBLISHED(stage, "figure", 1e6 / 1800);
    PUBLISHED(stage, "costly", 1e6 / 900);
    stage_see(stage, &(struct seen){.instance = "job", .value = 0.01, .unit = "job"});
    compare(stage, "deadline_h=0.6");
    EXPECT(stage->ranking.answer == NULL);
    EXPECT_STR(stage->ranking.published->contender->instance, "figure");
    EXPECT_PART(stage->ranking.decision,
                "; published, not measured: figure (on_demand): 0.5 h, $0.50");
    compare(stage, "deadline_h=2"); /* next to the measured answer too */
    EXPECT_STR(chosen_by(stage), "fast");
    EXPECT_STR(stage->ranking.published->contender->instance, "figure");
    compare(stage, "budget=30"); /* the fastest */
    EXPECT_STR(stage->ranking.published->contender->instance, "costly");
    compare(stage, "deadline_h=0.1");
    EXPECT(stage->ranking.published == NULL);
    EXPECT(strstr(stage->ranking.decision, "published") == NULL);
}

TEST_WITH_STAGE(a_deadline_may_be_a_moment)
{
    stage_machines(stage);
    compare(stage, "deadline=2023-11-15T04:13:20Z"); /* six hours after now */
    EXPECT_STR(stage->ranking.decision,
               "cheapest: middle (on_demand): 5 h, $2.00, within 6 h (by "
               "2023-11-15T04:13:20.000Z) with a probability of 0.994");
}
