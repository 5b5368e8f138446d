#include "engine/stats/job_forecast.h"

#include "tests/engine/stats/next_machine_exact.h"
#include "tests/threads.h"

#include <math.h>

#define HOUR_OF_100 360000.0 /* samples */

static struct job_forecast forecast, another;

static void draw(const struct forecast_inputs *forecast_inputs, double samples)
{
    job_forecast_draw(forecast_inputs, samples, &forecast);
    for (size_t i = 1; i < FORECAST_DRAWS; i++)
        EXPECT(forecast.hours[i - 1] <= forecast.hours[i]);
    EXPECT(job_forecast_least(forecast_inputs, samples) <= forecast.hours[0]);
}

static double mean_hours(void)
{
    double sum = 0;

    for (size_t i = 0; i < FORECAST_DRAWS; i++)
        sum += forecast.hours[i];
    return sum / FORECAST_DRAWS;
}

/* The published figures count 30 days to the month. */
static double per_hour(double share_per_month)
{
    return -log(1 - share_per_month) / 720;
}

static void *draw_there(void *there)
{
    const double speeds[] = {100, 101, 99};
    const struct forecast_inputs forecast_inputs = {speeds, 3, 0.02, 0.03, 0.01, 10, 300, NULL};

    job_forecast_draw(&forecast_inputs, 100 * HOUR_OF_100, there);
    return NULL;
}

/* The first of all tests, for the deck is made by the first who draw. */
TEST(threads_that_come_first_together_get_the_same)
{
    static struct job_forecast theirs[4];

    run_threads(COUNT(theirs), draw_there, theirs, sizeof theirs[0]);
    for (size_t i = 1; i < COUNT(theirs); i++)
        EXPECT(memcmp(&theirs[0], &theirs[i], sizeof theirs[0]) == 0);
    EXPECT(theirs[0].hours[0] > 80);
}

TEST(youngs_rule_says_what_is_published)
{
    struct checkpointing best = checkpointing_best(per_hour(0.05), 10, 300);

    EXPECT_NEAR(best.interval_hours, 8.8, 0.05);
    EXPECT_NEAR(best.waste, 0.0006, 0.00005);
    best = checkpointing_best(per_hour(0.2), 10, 300);
    EXPECT_NEAR(best.interval_hours, 4.2, 0.05);
    EXPECT_NEAR(best.waste, 0.0013, 0.00005);
    best = checkpointing_best(1.0 / 3, 10, 300);
    EXPECT_NEAR(best.interval_hours * 60, 7.7, 0.05);
    EXPECT_NEAR(best.waste, 0.071, 0.0005);
}

TEST(without_interruptions_no_checkpoint_is_saved)
{
    EXPECT(isinf(checkpointing_best(0, 10, 300).interval_hours));
    EXPECT_NEAR(checkpointing_best(0, 10, 300).waste, 0, 0);
    /* Who saves for nothing does so all the time, and loses the restarts. */
    EXPECT_NEAR(checkpointing_best(0.1, 0, 360).interval_hours, 0, 0);
    EXPECT_NEAR(checkpointing_best(0.1, 0, 360).waste, 0.01, 1e-15);
}

TEST(without_spread_every_draw_is_the_same)
{
    const double speed = 100;
    const struct forecast_inputs forecast_inputs = {.speeds = &speed, .count = 1};

    draw(&forecast_inputs, 7 * HOUR_OF_100);
    EXPECT_NEAR(forecast.hours[0], 7, 1e-12);
    EXPECT_NEAR(forecast.hours[FORECAST_DRAWS - 1], 7, 1e-12);
    EXPECT_NEAR(job_forecast_share(&forecast, 6.999), 0, 0);
    EXPECT_NEAR(job_forecast_share(&forecast, 7.001), 1, 0);
    EXPECT_NEAR(job_forecast_quantile(&forecast, 0.5), 7, 1e-12);
}

TEST(measured_speeds_are_as_likely_as_each_other)
{
    const double speeds[] = {100, 50, 200, 25};
    const struct forecast_inputs forecast_inputs = {.speeds = speeds, .count = COUNT(speeds)};

    draw(&forecast_inputs, HOUR_OF_100);
    EXPECT_NEAR(job_forecast_share(&forecast, 0.49), 0, 0);
    EXPECT_NEAR(job_forecast_share(&forecast, 0.51), 0.25, 1e-12);
    EXPECT_NEAR(job_forecast_share(&forecast, 1.01), 0.5, 1e-12);
    EXPECT_NEAR(job_forecast_share(&forecast, 2.01), 0.75, 1e-12);
    EXPECT_NEAR(job_forecast_quantile(&forecast, 0.9), 4, 1e-12);
}

TEST(lognormal_spreads_give_the_shares_of_the_normal_distribution)
{
    const double speed = 100;

    EACH(struct forecast_inputs, forecasts_input,
         {.speeds = &speed, .count = 1, .value_spread = 0.05},
         {.speeds = &speed, .count = 1, .machine_spread = 0.05},
         {.speeds = &speed, .count = 1, .value_spread = 0.03, .machine_spread = 0.04}) {
        draw(&forecasts_input, 7 * HOUR_OF_100);
        EACH(double, one, -2, -1, -0.5, 0, 0.3, 1, 2) {
            double hours = 7 * exp(0.05 * one), share = erfc(-one / sqrt(2)) / 2;

            EXPECT_NEAR(job_forecast_share(&forecast, hours), share, 0.02 * share + 0.0005);
            EXPECT_NEAR(job_forecast_quantile(&forecast, share), hours, 0.001 * hours);
        }
    }
}

/* Two speeds far apart, each with its own noise: a mixture of two. */
TEST(the_least_is_the_first_draw_of_the_fastest_without_interruptions)
{
    const double speeds[] = {100, 300, 200};
    struct forecast_inputs forecast_inputs = {.speeds = speeds, .count = 1, .value_spread = 0.1};

    draw(&forecast_inputs, HOUR_OF_100);
    EXPECT_NEAR(job_forecast_least(&forecast_inputs, HOUR_OF_100), forecast.hours[0], 1e-12);
    forecast_inputs.count = 3;
    draw(&forecast_inputs, HOUR_OF_100);
    EXPECT_NEAR(job_forecast_least(&forecast_inputs, HOUR_OF_100), forecast.hours[0], 0.02);
    EXPECT(isinf(job_forecast_least(
        &(struct forecast_inputs){.speeds = (double[]){0}, .count = 1}, HOUR_OF_100)));
}

TEST(noise_comes_on_top_of_each_speed)
{
    const double speeds[] = {100, 100.0 / 1.2};
    const struct forecast_inputs forecast_inputs = {
        .speeds = speeds, .count = 2, .value_spread = 0.1};
    double below = 0;

    draw(&forecast_inputs, HOUR_OF_100);
    for (double hours = 0.8; hours < 1.5; hours += 0.05) {
        double first = erfc(-log(hours) / 0.1 / sqrt(2)) / 2;
        double second = erfc(-log(hours / 1.2) / 0.1 / sqrt(2)) / 2;
        double share = job_forecast_share(&forecast, hours);

        EXPECT_NEAR(share, (first + second) / 2, 0.02);
        EXPECT(share >= below);
        below = share;
    }
}

TEST(the_same_question_has_the_same_answer)
{
    const double speeds[] = {100, 101, 99};
    const struct forecast_inputs forecast_inputs = {speeds, 3, 0.02, 0.03, 0.01, 10, 300, NULL};

    draw(&forecast_inputs, 100 * HOUR_OF_100);
    job_forecast_draw(&forecast_inputs, 100 * HOUR_OF_100, &another);
    EXPECT(memcmp(&forecast, &another, sizeof forecast) == 0);
}

TEST(interruptions_lengthen_and_the_more_the_longer)
{
    const double speeds[] = {100, 101, 99};
    double before = 0;

    EACH(double, rate, 0, 1e-4, 1e-3, 1e-2, 0.1, 0.3) {
        const struct forecast_inputs forecast_inputs = {speeds, 3, 0.02, 0, rate, 10, 300, NULL};

        draw(&forecast_inputs, 100 * HOUR_OF_100);
        EXPECT(mean_hours() > before);
        before = mean_hours();
    }
}

/* That there is none within the hours of work has a known chance, and so has the mean. */
TEST(interruptions_come_as_often_as_they_should)
{
    const double speed = 100;

    EACH(double, rate, 1e-3, 1e-2, 0.05, 1.0 / 3, 3) {
        const struct forecast_inputs forecast_inputs = {&speed, 1, 0, 0, rate, 10, 300, NULL};
        double interval = sqrt(2 * 10 / 3600.0 / rate);
        double work = 50 * (1 + 10 / 3600.0 / interval);
        double lost = rate * (interval / 2 + 300 / 3600.0);

        draw(&forecast_inputs, 50 * HOUR_OF_100);
        EXPECT_NEAR(job_forecast_share(&forecast, work * (1 + 1e-12)), exp(-rate * work), 0.02);
        EXPECT_NEAR(mean_hours() / work, 1 / (1 - lost), 0.002 / (1 - lost));
        EXPECT(forecast.hours[0] >= work * (1 - 1e-12));
    }
}

/* Where playing each one ends and their sum takes over, nothing jumps. */
TEST(many_interruptions_are_as_long_as_the_sum_of_each)
{
    const double speed = 100;
    const struct forecast_inputs forecast_inputs = {&speed, 1, 0, 0, 0.5, 10, 300, NULL};
    double work = 58; /* 31 and 33 are expected */

    draw(&forecast_inputs, (work - 1.5) * HOUR_OF_100);
    job_forecast_draw(&forecast_inputs, (work + 1.5) * HOUR_OF_100, &another);
    for (double share = 0.05; share < 0.96; share += 0.1)
        EXPECT_NEAR(job_forecast_quantile(&forecast, share) / (work - 1.5),
                    job_forecast_quantile(&another, share) / (work + 1.5), 0.004);
}

static double width(const struct job_forecast *of)
{
    return job_forecast_quantile(of, 0.9) - job_forecast_quantile(of, 0.1);
}

/* Half an interval is lost on average, and all or nothing of it now and then. */
TEST(many_interruptions_scatter_as_the_sum_of_each)
{
    const double speed = 100;
    const struct forecast_inputs forecast_inputs = {&speed, 1, 0, 0, 0.5, 360, 0, NULL};
    double expected = 31 * 2, lost = 0.5 * sqrt(0.2 / 0.5) / 2;
    double work = expected * (1 - lost) / (1 + sqrt(0.1 * 0.5 / 2));

    draw(&forecast_inputs, work * HOUR_OF_100); /* played one by one */
    job_forecast_draw(&forecast_inputs, work * 33 / 31 * HOUR_OF_100, &another);
    EXPECT_NEAR(width(&another) / width(&forecast), sqrt(33.0 / 31), 0.06);
}

TEST(a_job_without_throughput_never_ends)
{
    static const double odd[] = {0, -1, NAN};
    const double speed = 100;
    const struct forecast_inputs hopeless = {&speed, 1, 0.02, 0, 30, 60, 3600, NULL};

    for (size_t i = 0; i < COUNT(odd); i++) {
        const struct forecast_inputs forecast_inputs = {&odd[i],         1,  0.02, 0.02,
                                                        0.1 * (double)i, 10, 300,  NULL};

        draw(&forecast_inputs, HOUR_OF_100);
        EXPECT(isinf(forecast.hours[0]));
        EXPECT_NEAR(job_forecast_share(&forecast, 1e300), 0, 0);
    }
    draw(&hopeless, 100 * HOUR_OF_100); /* an hour to restart, and two minutes until the next */
    EXPECT(isinf(forecast.hours[0]) && forecast.hours[0] > 0);
}

TEST(shares_and_quantiles_are_each_others_inverse)
{
    for (size_t i = 0; i < FORECAST_DRAWS; i++)
        forecast.hours[i] = (double)(i + 1);
    EXPECT_NEAR(job_forecast_quantile(&forecast, 0.9), 1800, 0);
    EXPECT_NEAR(job_forecast_quantile(&forecast, 0.9001), 1801, 0);
    EXPECT_NEAR(job_forecast_quantile(&forecast, 7 * 0.05), 700, 0); /* of 700.0000000000001 */
    EXPECT_NEAR(job_forecast_quantile(&forecast, 1), 2000, 0);
    EXPECT_NEAR(job_forecast_quantile(&forecast, 1e-9), 1, 0);
    EXPECT_NEAR(job_forecast_share(&forecast, 1800), 0.9, 0);
    EXPECT_NEAR(job_forecast_share(&forecast, 1799.5), 0.8995, 1e-15);
    EXPECT_NEAR(job_forecast_share(&forecast, 0), 0, 0);
    EXPECT_NEAR(job_forecast_share(&forecast, INFINITY), 1, 0);
    EXPECT(isnan(job_forecast_share(&forecast, NAN)));
    EXPECT(isnan(job_forecast_quantile(&forecast, 0)) &&
           isnan(job_forecast_quantile(&forecast, 1.01)));
    EXPECT(isnan(job_forecast_quantile(&forecast, NAN)));
}

/* From nanoseconds to ages, and all but equal ones: the sorting sees every digit. */
TEST(hours_of_any_size_are_in_order)
{
    static double speeds[FORECAST_DRAWS];
    const struct forecast_inputs forecast_inputs = {.speeds = speeds, .count = FORECAST_DRAWS};

    for (size_t i = 0; i < FORECAST_DRAWS; i++)
        speeds[i] = i % 2 ? exp(0.1 * (double)(i % 1000) - 50) : 1 + 1e-15 * (double)(i % 77);
    draw(&forecast_inputs, HOUR_OF_100);
    EXPECT(forecast.hours[0] < 1e-15 && forecast.hours[FORECAST_DRAWS - 1] > 1e15);
}

/* The draws have the probabilities of the prediction, of one model and of a mixture. */
TEST(draws_of_the_next_machine_are_as_probable_as_predicted)
{
    const double first[] = {90, 100, 112}, second[] = {50, 51, 49, 50.5};
    const struct machine_model models[] = {{first, 3, 0}, {second, 4, 0}};

    for (size_t count = 1; count <= 2; count++) {
        struct next_machine next;

        EXPECT(next_machine_predict(models, count, 0.03, &next));
        const struct forecast_inputs forecast_inputs = {.next = &next};
        draw(&forecast_inputs, HOUR_OF_100);
        for (double speed = 45; speed < 140; speed += 1)
            EXPECT_NEAR(job_forecast_share(&forecast, 100 / speed),
                        next_machine_reaches(&next, speed), 0.002);
    }
}

/* What is kept of one number of degrees serves no other; of many degrees nothing is kept. */
TEST(machines_of_many_types_are_drawn_by_their_own_degrees)
{
    double speeds[30];

    for (size_t i = 0; i < COUNT(speeds); i++)
        speeds[i] = i % 2 ? 98 : 102;
    for (size_t round = 0; round < 2; round++)
        for (size_t count = 3; count <= COUNT(speeds); count++) {
            const struct machine_model model = {speeds, count, 0};
            struct next_machine next;

            EXPECT(next_machine_predict(&model, 1, 0.03, &next));
            const struct forecast_inputs forecast_inputs = {.next = &next};
            draw(&forecast_inputs, HOUR_OF_100);
            for (double share = 0.05; share < 1; share += 0.05)
                EXPECT_NEAR(job_forecast_quantile(&forecast, share) *
                                next_machine_quantile(&next, 1 - share) / 100,
                            1, 0.002);
        }
}

/* Three machines kept 89.5 a second; how sure the next one is alone is in next_machine_test.c. */
TEST(interruptions_make_the_next_machine_less_sure)
{
    const double speeds[] = {90, 100, 112};
    const struct machine_model model = {speeds, 3, 0};
    struct next_machine next;

    EXPECT(next_machine_predict(&model, 1, 0.03, &next));
    const struct forecast_inputs spot = {
        .next = &next, .interruptions = 0.1, .checkpoint_seconds = 10, .restart_seconds = 300};
    draw(&spot, HOUR_OF_100);
    EXPECT(job_forecast_share(&forecast, 100 / 89.5) < next_machine_reaches(&next, 89.5) - 0.02);
}
