#include "engine/stats/roofline.h"

#include "tests/test.h"

/* A step of half a second: 8 samples of 4 G multiply-adds forward, 8 backward. */
static struct roofline_inputs all_known(void)
{
    return (struct roofline_inputs){
        .details = {.multiply_adds = 4000000000,
                    .backward_multiply_adds = 8000000000,
                    .step_bytes = 3000000000,
                    .peak_unit = "VDPBF16PS",
                    .peak_multiply_adds_per_second = 400000000000,
                    .peak_read_bytes_per_second = 24000000000},
        .split_known = true,
        .split = {.input = 0.0625, .forward = 0.125, .backward = 0.25, .update = 0.03125},
        .step_seconds = 0.5,
        .batch_size = 8};
}

static struct roofline of(const struct roofline_inputs *inputs)
{
    struct roofline roofline;

    roofline_compute(inputs, &roofline);
    return roofline;
}

static void expect_part(const struct roofline_part *part, const char *name, double seconds,
                        double multiply_adds, double share)
{
    EXPECT_STR(part->name, name);
    EXPECT_NEAR(part->seconds, seconds, 1e-12);
    EXPECT_NEAR(part->multiply_adds, multiply_adds, 0);
    EXPECT_NEAR(part->multiply_adds_per_second, multiply_adds / seconds, 1);
    EXPECT_NEAR(part->share, share, 1e-12);
}

TEST(each_phase_has_its_share_of_the_peak)
{
    const struct roofline_inputs inputs = all_known();
    const struct roofline roofline = of(&inputs);

    EXPECT_INT(roofline.phase_count, 5);
    expect_part(&roofline.phases[0], "input", 0.0625, 0, 0);
    expect_part(&roofline.phases[1], "forward", 0.125, 32e9, 32e9 / 0.125 / 400e9);
    expect_part(&roofline.phases[2], "backward", 0.25, 64e9, 64e9 / 0.25 / 400e9);
    expect_part(&roofline.phases[3], "update", 0.03125, 0, 0);
    expect_part(&roofline.phases[4], "other", 0.03125, 0, 0); /* what no part accounts for */
    expect_part(&roofline.step, "step", 0.5, 96e9, 0.48);
    EXPECT_NEAR(roofline.step_bytes_per_second, 6e9, 0);
    EXPECT_NEAR(roofline.memory_share, 0.25, 1e-12);
    EXPECT_INT(roofline.missing_count, 0);
}

TEST(phases_make_up_the_step)
{
    struct roofline_inputs inputs = all_known();
    struct roofline roofline;

    inputs.split.communication = 0.03125;
    roofline = of(&inputs);
    EXPECT_INT(roofline.phase_count, 5); /* nothing is left over */
    EXPECT_STR(roofline.phases[4].name, "communication");

    inputs.split.communication = 0.015625;
    roofline = of(&inputs);
    EXPECT_HAS(roofline, (phase_count, ROOFLINE_PHASES_MAX), (phases[5].name, "other"));
}

/* Nor is what the parts have too much by rounding. */
TEST(a_thousandth_is_no_phase)
{
    struct roofline_inputs inputs = all_known();

    inputs.split.update += 0.03125 + 1e-9;
    EXPECT_INT(of(&inputs).phase_count, 4);
    inputs.split.update -= 0.0004;
    EXPECT_INT(of(&inputs).phase_count, 4);
    inputs.split.update -= 0.0002;
    EXPECT_INT(of(&inputs).phase_count, 5);
}

static void expect_missing(const struct roofline *roofline, const char *words)
{
    bool found = false;

    for (int i = 0; i < roofline->missing_count; i++)
        found = found || strstr(roofline->missing[i], words);
    EXPECT(found);
}

TEST(without_a_peak_there_is_a_rate_and_no_share)
{
    struct roofline_inputs inputs = all_known();
    struct roofline roofline;

    inputs.details.peak_multiply_adds_per_second = 0;
    inputs.details.peak_read_bytes_per_second = 0;
    roofline = of(&inputs);
    expect_part(&roofline.phases[1], "forward", 0.125, 32e9, 0);
    expect_part(&roofline.step, "step", 0.5, 96e9, 0);
    EXPECT_HAS(roofline, (step_bytes_per_second, 6e9), (memory_share, 0), (missing_count, 2));
    expect_missing(&roofline, "how fast this machine multiplies");
    expect_missing(&roofline, "how fast this machine reads");
}

TEST(what_the_engine_left_out_is_named)
{
    struct roofline_inputs inputs = {.step_seconds = 0.5, .batch_size = 8};
    struct roofline roofline = of(&inputs);

    EXPECT_INT(roofline.phase_count, 0);
    expect_part(&roofline.step, "step", 0.5, 0, 0);
    EXPECT_INT(roofline.missing_count, ROOFLINE_MISSING_MAX);
    expect_missing(&roofline, "where the time of a step goes");
    expect_missing(&roofline, "multiply-adds of a sample");
    expect_missing(&roofline, "how many bytes");

    /* A forward pass alone is a phase, but no step. */
    inputs = all_known();
    inputs.details.backward_multiply_adds = 0;
    roofline = of(&inputs);
    EXPECT(roofline.phases[1].share > 0);
    EXPECT_HAS(roofline, (phases[2].share, 0), (step.share, 0), (missing_count, 1));
}

TEST(a_phase_of_no_time_has_no_rate)
{
    struct roofline_inputs inputs = all_known();

    inputs.split.forward = 0;
    EXPECT_NEAR(of(&inputs).phases[1].multiply_adds_per_second, 0, 0);
}
