#include "engine/stats/disturbance.h"

#include "common/clock.h"
#include "engine/stats/validity.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <math.h>

#define RUNS 200
#define STEPS 120
#define JOINS 50 /* of both threads in a step */
#define PART_MS 2.0
#define SLICE_MS 4.0 /* that another process computes at a time, on average */
#define IDLE_MS (JOINS * PART_MS)

/* A run on two threads, whose parts both wait for each other, while others want a share of both
 * processors. */
struct simulated {
    struct steps steps;
    struct step items[STEPS];
    struct observation seen[STEPS + 1]; /* after each step */
};

/* How long one part of one thread is delayed. */
static double delay_ms(struct chance *chance, double share)
{
    return uniform(chance) < share * PART_MS / SLICE_MS ? -SLICE_MS * log(uniform(chance)) : 0;
}

static void simulate(struct chance *chance, double share, struct simulated *run)
{
    double now_ms = 0, waited_ms = 0;

    *run = (struct simulated){.steps = {.items = run->items, .count = STEPS}};
    for (size_t i = 0; i < STEPS; i++) {
        double ms = IDLE_MS * (1 + 0.005 * normal(chance));

        for (int join = 0; join < JOINS; join++) {
            double one = delay_ms(chance, share), other = delay_ms(chance, share);

            ms += fmax(one, other);
            waited_ms += one + other;
        }
        now_ms += ms;
        run->items[i] = (struct step){.nanoseconds = (long long)(ms * 1e6), .loss = 1};
        run->seen[i + 1] = (struct observation){.steps = (long long)i + 1,
                                                .taken_ns = (long long)(now_ms * 1e6),
                                                .waited_ns = (long long)(waited_ms * 1e6)};
    }
}

/* Summary and verdict, as at the end of a run. */
static enum validity conclude(struct simulated *run, struct summary *ret_summary)
{
    const struct run_spec spec = run_spec_default();
    const struct summary_rules rules = {.warmup_steps = FIELD_IS_AUTO,
                                        .steps = FIELD_IS_AUTO,
                                        .batch_size = 1,
                                        .run_id = "simulated"};
    const struct evidence evidence = {.observations = run->seen, .observation_count = STEPS + 1};
    struct verdict verdict;

    EXPECT(summary_compute(&run->steps, &rules, ret_summary, NULL));
    validity_judge(&(struct validity_inputs){.spec = &spec,
                                             .summary = ret_summary,
                                             .evidence = &evidence,
                                             .machine_isa = "",
                                             .instance = ""},
                   &verdict);
    summary_widen(ret_summary, verdict.idle_speed, verdict.idle_speed_max);
    for (size_t i = 0; i < verdict.count; i++)
        if (verdict.findings[i].level == VALIDITY_INVALID &&
            strcmp(verdict.findings[i].code, "loss") != 0) /* which is not simulated */
            return VALIDITY_INVALID;
    return VALIDITY_OK;
}

TEST(the_interval_holds_the_idle_speed_whatever_others_take)
{
    struct chance chance = chance_from("disturbed");

    EACH(double, share, 0, 0.05, 0.1, 0.2, 0.3) {
        int held = 0, valid = 0;
        double reach = 0, estimate = 0, slowed = 0;

        for (int k = 0; k < RUNS; k++) {
            static struct simulated run;
            struct summary summary;

            simulate(&chance, share, &run);
            if (conclude(&run, &summary) == VALIDITY_INVALID)
                continue;
            valid++;
            held += summary.throughput.low <= 1000 / IDLE_MS &&
                    1000 / IDLE_MS <= summary.throughput.high;
            reach += summary.throughput.high / (1000 / IDLE_MS);
            estimate += summary.idle_samples_per_second / (1000 / IDLE_MS);
            slowed += summary.samples_per_second / (1000 / IDLE_MS);
        }
        printf("       others take %2.0f %%: %d of %d valid, %.3f of them hold; %.2f as fast as "
               "idle, taken for %.3f, up to %.3f\n",
               100 * share, valid, RUNS, (double)held / valid, slowed / valid, estimate / valid,
               reach / valid);
        EXPECT(held >= 0.95 * valid);
        EXPECT(valid >= 0.9 * RUNS);
        EXPECT(fabs(estimate / valid - 1) < 0.07);
        EXPECT(reach / valid < 1.15); /* a bound that is true, and of use */
    }
}

/* Two seconds before the last observation the threads end. */
TEST(a_thread_that_has_ended_takes_no_wait_along)
{
    struct observation seen[11];
    const struct evidence evidence = {.observations = seen, .observation_count = COUNT(seen)};
    const struct summary summary = {.first_measured = 0, .measured_steps = 100};
    struct disturbance disturbance;

    for (size_t i = 0; i < COUNT(seen); i++)
        seen[i] = (struct observation){.steps = i < 9 ? 11 * (long long)i : 100,
                                       .taken_ns = (long long)i * NS_PER_SECOND,
                                       .waited_ns = i < 9 ? (long long)i * NS_PER_SECOND / 4 : 9};
    disturbance_of(&evidence, &summary, &disturbance);
    EXPECT_NEAR(disturbance.waited, 0.25, 1e-9);
}

TEST(a_share_becomes_a_factor)
{
    EXPECT_NEAR(disturbance_factor(0), 1, 0);
    EXPECT_NEAR(disturbance_factor(0.2), 1.25, 1e-12);
    EXPECT_NEAR(disturbance_factor(NAN), 1, 0);
    EXPECT_NEAR(disturbance_factor(7), 20, 1e-9); /* of many threads the sum may be above 1 */
}
