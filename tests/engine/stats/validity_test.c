#include "engine/stats/validity.h"

#include "common/clock.h"
#include "engine/stats/disturbance.h"
#include "tests/test.h"

#include <math.h>

/* A run without fault: 100 steps, measured from step 10 on; observed each second. */
struct trial {
    struct run_spec spec;
    struct summary summary;
    struct evidence evidence;
    struct validity_inputs validity_inputs;
    struct observation seen[11];
    struct canary_reading readings[3];
    struct verdict verdict; /* of judge() */
};

static void make(struct trial *trial)
{
    *trial = (struct trial){
        .spec = run_spec_default(),
        .summary = {.trace = TRACE_FLAT,
                    .steady = true,
                    .steps = 100,
                    .first_measured = 10,
                    .measured_steps = 90,
                    .samples_per_second = 10,
                    .throughput = {true, 9.9, 10.1},
                    .half_width_percent = 1,
                    .first_loss = 6,
                    .last_loss = 2},
    };
    for (int i = 0; i < 11; i++)
        trial->seen[i] = (struct observation){.steps = 10 * i,
                                              .taken_ns = i * NS_PER_SECOND,
                                              .cpu_ticks = 200 * i,
                                              .own_cpu_ns = i * NS_PER_SECOND};
    for (int i = 0; i < 3; i++)
        trial->readings[i] = (struct canary_reading){50 * i, {4e9, 2e10}};
    trial->evidence = (struct evidence){.observations = trial->seen,
                                        .observation_count = 11,
                                        .readings = trial->readings,
                                        .reading_count = 3};
    trial->validity_inputs = (struct validity_inputs){
        .spec = &trial->spec,
        .summary = &trial->summary,
        .evidence = &trial->evidence,
        .implementations = "{\"conv1\":{\"forward\":\"brgconv:avx512_core\"}}",
        .machine_isa = "avx512",
        .instance = "c7i.large",
        .memory_share = 0.5};
}

/* Judges, and finds what was said of one thing; an unknown level where nothing was. */
static struct finding judge(struct trial *trial, const char *code)
{
    struct finding none = {.code = "", .level = VALIDITY_UNKNOWN};

    validity_judge(&trial->validity_inputs, &trial->verdict);
    for (size_t i = 0; i < trial->verdict.count; i++)
        if (strcmp(trial->verdict.findings[i].code, code) == 0)
            return trial->verdict.findings[i];
    return none;
}

static void with_trial(void (*test)(struct trial *trial))
{
    struct trial trial;

    make(&trial);
    test(&trial);
}

#define TEST_WITH_TRIAL(name) TEST_GIVEN(name, struct trial *trial, with_trial)

TEST_WITH_TRIAL(a_run_without_fault_is_ok)
{
    EXPECT_STR(judge(trial, "steal").words,
               "the hypervisor took the processors: steps waited for up to 0.0 % of the time");
    EXPECT_HAS(*trial, (verdict.level, VALIDITY_OK), (verdict.idle_speed, 1),
               (verdict.idle_speed_max, 1));
    for (size_t i = 0; i < trial->verdict.count; i++)
        if (trial->verdict.findings[i].level != VALIDITY_OK)
            EXPECT_STR(trial->verdict.findings[i].words, "ok");
}

#define SECONDS(number) (long long)(NS_PER_SECOND * (number))

/* What the machine did more than before in the last of the nine measured seconds;
 * waits are of both threads together. */
static void happen_last(struct trial *trial, const struct observation *last)
{
    struct observation *seen = &trial->seen[10];

    seen->steal_ticks += last->steal_ticks;
    seen->throttled_periods += last->throttled_us > 0 ? 17 : 0;
    seen->throttled_us += last->throttled_us;
    seen->waited_ns += last->waited_ns;
    seen->swap_ins += last->swap_ins;
    seen->major_faults += last->major_faults;
}

/* What else is done to a trial. */
#define HAPPENS(name, what)                                                                      \
    static void name(struct trial *trial)                                                        \
    {                                                                                            \
        what;                                                                                    \
    }
static void steal_before(struct trial *trial)
{
    for (int i = 1; i < 11; i++)
        trial->seen[i].steal_ticks = 100; /* in the warm-up, and no more */
}
static void steal_unseen(struct trial *trial)
{
    for (int i = 0; i < 11; i++)
        trial->seen[i].steal_ticks = -1;
}
static void push(struct trial *trial)
{
    for (int i = 6; i < 11; i++)
        trial->seen[i].involuntary_switches = 200 * (i - 5);
}
static void push_unseen(struct trial *trial)
{
    push(trial);
    for (int i = 0; i < 11; i++)
        trial->seen[i].waited_ns = -1;
}
HAPPENS(clock_6, trial->readings[1].canary.hertz = 3.76e9)
HAPPENS(clock_halved, trial->readings[1].canary.hertz = trial->readings[2].canary.hertz = 0.5e9)
HAPPENS(copy_40, trial->readings[0].canary.copy_bytes_per_second = 1.2e10)
HAPPENS(mute, trial->evidence.reading_count = 0)
static void unsteady(struct trial *trial)
{
    trial->summary.steady = false;
    trial->summary.change_percent = -7;
}
/* Others took a tenth of the second half: as much as the steps became slower. */
static void unsteady_by_others(struct trial *trial)
{
    trial->summary.steady = false;
    trial->summary.change_percent = 10;
    for (int i = 6; i < 11; i++)
        trial->seen[i].waited_ns = (i - 5) * NS_PER_SECOND / 10;
}
static void unsteady_more_than_by_others(struct trial *trial)
{
    unsteady_by_others(trial);
    trial->summary.change_percent = 15;
}
static void unsteady_but_fixed(struct trial *trial)
{
    trial->summary.steady = false;
    trial->spec.warmup_steps = 10;
}
HAPPENS(slower, trial->summary.trace = TRACE_SLOW_DOWN)
static void skew(struct trial *trial)
{
    trial->summary.skewed = true;
    trial->summary.measured_seconds = 9.3; /* of 90 steps, with a median of 0.1 s: 3.3 % off */
    trial->summary.median_step_seconds = 0.1;
}
HAPPENS(unsure, trial->summary.throughput.known = false)
HAPPENS(unlearn, trial->summary.last_loss = 7)
HAPPENS(hurry, trial->summary.steps = 12)
static void by_reference(struct trial *trial)
{
    trial->validity_inputs.implementations = "{\"conv1\":{\"forward\":\"ref:any\"}}";
}
HAPPENS(keep_quiet, trial->validity_inputs.implementations = NULL)
static void waste_amx(struct trial *trial)
{
    trial->validity_inputs.machine_isa = "amx";
    trial->spec.precision = "bf16";
}
static void use_amx(struct trial *trial)
{
    waste_amx(trial);
    trial->validity_inputs.implementations =
        "{\"conv1\":{\"forward\":\"brgconv:avx512_core_amx\"}}";
}
HAPPENS(emulate, trial->validity_inputs.emulated = ANSWER_YES)
static void lead_astray(struct trial *trial)
{
    trial->spec.precision = "bf16";
    trial->validity_inputs.certified = (struct certified){.whole_known = true, .whole = 0.98};
}
static void break_a_layer(struct trial *trial)
{
    trial->spec.precision = "bf16";
    trial->validity_inputs.certified = (struct certified){true, true, 0.9995, 0.1};
}
static void certify(struct trial *trial)
{
    trial->spec.precision = "bf16";
    trial->validity_inputs.certified = (struct certified){true, true, 0.9995, 0.97};
}
HAPPENS(burst, trial->validity_inputs.instance = "t3.large")
HAPPENS(widen, trial->summary.half_width_percent = 10)
static void skew_within_a_wide_interval(struct trial *trial)
{
    skew(trial);
    widen(trial);
}
static void throttle_for_who_knows(struct trial *trial)
{
    trial->seen[10].throttled_periods = 17;
    for (int i = 0; i < 11; i++)
        trial->seen[i].throttled_us = -1;
}

static const struct {
    const char *code;
    enum validity level, whole; /* of the finding, of the run */
    struct observation last;
    void (*happens)(struct trial *trial); /* what else; NULL: nothing */
} faults[] = {
    {"steal", VALIDITY_OK, VALIDITY_OK, .last = {.steal_ticks = 16}}, /* 0.16 s */
    {"steal", VALIDITY_WARN, VALIDITY_WARN, .last = {.steal_ticks = 36}},
    {"steal", VALIDITY_INVALID, VALIDITY_INVALID, .last = {.steal_ticks = 459}},
    {"steal", VALIDITY_OK, VALIDITY_OK, .happens = steal_before},
    {"steal", VALIDITY_UNKNOWN, VALIDITY_OK, .happens = steal_unseen},
    {"throttled", VALIDITY_OK, VALIDITY_OK, .last = {.throttled_us = 1080}}, /* 0.012 % */
    {"throttled", VALIDITY_WARN, VALIDITY_WARN, .last = {.throttled_us = 181000}},
    {"throttled", VALIDITY_OK, VALIDITY_OK, .last = {.throttled_us = 440000}, .happens = widen},
    {"throttled", VALIDITY_INVALID, VALIDITY_INVALID, .last = {.throttled_us = 4600000}},
    {"throttled", VALIDITY_WARN, VALIDITY_WARN, .happens = throttle_for_who_knows},
    {"contention", VALIDITY_OK, VALIDITY_OK, .last = {.waited_ns = SECONDS(0.1)}},
    {"contention", VALIDITY_OK, VALIDITY_OK, .last = {.waited_ns = SECONDS(0.4)},
     .happens = widen},
    {"contention", VALIDITY_WARN, VALIDITY_WARN, .last = {.waited_ns = SECONDS(0.4)}},
    {"contention", VALIDITY_WARN, VALIDITY_WARN, .last = {.waited_ns = SECONDS(4.4)}},
    {"contention", VALIDITY_INVALID, VALIDITY_INVALID, .last = {.waited_ns = SECONDS(4.6)}},
    {"contention", VALIDITY_WARN, VALIDITY_INVALID,
     .last = {.waited_ns = SECONDS(2.7), .steal_ticks = 270}},
    {"disturbance", VALIDITY_INVALID, VALIDITY_INVALID,
     .last = {.waited_ns = SECONDS(2.7), .steal_ticks = 270}},
    {"involuntary_switches", VALIDITY_OK, VALIDITY_OK, .happens = push},
    {"involuntary_switches", VALIDITY_WARN, VALIDITY_WARN, .last = {.waited_ns = SECONDS(0.4)},
     .happens = push},
    {"involuntary_switches", VALIDITY_WARN, VALIDITY_WARN, .happens = push_unseen},
    {"swap", VALIDITY_WARN, VALIDITY_WARN, .last = {.swap_ins = 20}}, /* 200 ms */
    {"swap", VALIDITY_INVALID, VALIDITY_INVALID, .last = {.swap_ins = 500}},
    {"major_faults", VALIDITY_WARN, VALIDITY_WARN, .last = {.major_faults = 20}},
    {"major_faults", VALIDITY_INVALID, VALIDITY_INVALID, .last = {.major_faults = 500}},
    {"clock", VALIDITY_WARN, VALIDITY_WARN, .happens = clock_6},
    {"disturbance", VALIDITY_INVALID, VALIDITY_INVALID, .happens = clock_halved},
    {"bandwidth", VALIDITY_WARN, VALIDITY_WARN, .happens = copy_40},
    {"clock", VALIDITY_UNKNOWN, VALIDITY_OK, .happens = mute},
    {"steady_state", VALIDITY_INVALID, VALIDITY_INVALID, .happens = unsteady},
    {"steady_state", VALIDITY_WARN, VALIDITY_WARN, .happens = unsteady_by_others},
    {"steady_state", VALIDITY_INVALID, VALIDITY_INVALID, .happens = unsteady_more_than_by_others},
    {"steady_state", VALIDITY_WARN, VALIDITY_WARN, .happens = unsteady_but_fixed},
    {"steady_state", VALIDITY_WARN, VALIDITY_WARN, .happens = slower},
    {"skewed", VALIDITY_WARN, VALIDITY_WARN, .happens = skew},
    {"skewed", VALIDITY_OK, VALIDITY_OK, .happens = skew_within_a_wide_interval},
    {"interval", VALIDITY_WARN, VALIDITY_WARN, .happens = unsure},
    {"loss", VALIDITY_INVALID, VALIDITY_INVALID, .happens = unlearn},
    {"loss", VALIDITY_UNKNOWN, VALIDITY_OK, .happens = hurry},
    {"implementations", VALIDITY_WARN, VALIDITY_WARN, .happens = by_reference},
    {"implementations", VALIDITY_UNKNOWN, VALIDITY_OK, .happens = keep_quiet},
    {"amx", VALIDITY_INVALID, VALIDITY_INVALID, .happens = waste_amx},
    {"amx", VALIDITY_OK, VALIDITY_OK, .happens = use_amx},
    {"emulated", VALIDITY_WARN, VALIDITY_WARN, .happens = emulate},
    {"gradient", VALIDITY_INVALID, VALIDITY_INVALID, .happens = lead_astray},
    {"worst_layer", VALIDITY_INVALID, VALIDITY_INVALID, .happens = break_a_layer},
    {"gradient", VALIDITY_OK, VALIDITY_OK, .happens = certify},
    {"burstable", VALIDITY_WARN, VALIDITY_WARN, .happens = burst},
};

static void happen(struct trial *trial, size_t fault)
{
    happen_last(trial, &faults[fault].last);
    if (faults[fault].happens)
        faults[fault].happens(trial);
}

TEST(every_fault_is_found_and_weighs_what_it_should)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct trial trial;

        make(&trial);
        happen(&trial, i);
        struct finding finding = judge(&trial, faults[i].code);
        EXPECT_STR(finding.code, faults[i].code);
        if (finding.level != faults[i].level || trial.verdict.level != faults[i].whole)
            printf("       %s: %s, in all %s\n", faults[i].code, validity_name(finding.level),
                   validity_name(trial.verdict.level));
        EXPECT_INT(finding.level, faults[i].level);
        EXPECT_INT(trial.verdict.level, faults[i].whole);
        EXPECT(finding.words[0] && strlen(finding.words) < sizeof finding.words - 1);
    }
}

TEST_WITH_TRIAL(all_faults_at_once_find_room)
{
    for (size_t i = 0; i < COUNT(faults); i++)
        happen(trial, i);
    validity_judge(&trial->validity_inputs, &trial->verdict);
    EXPECT(trial->verdict.count < FINDINGS_MAX);
    EXPECT_INT(trial->verdict.level, VALIDITY_INVALID);
}

TEST_WITH_TRIAL(the_cost_of_a_disturbance_is_reported)
{
    happen_last(trial, &(struct observation){.throttled_us = 1080});
    EXPECT_STR(judge(trial, "throttled").words,
               "the control group's quota stopped it in 17 periods, for up to 0.012 % of the "
               "time");
    happen_last(trial, &(struct observation){.major_faults = 20});
    EXPECT_STR(judge(trial, "major_faults").words,
               "20 page faults waited for a disk, about 2.2 % of the time");
    EXPECT_STR(judge(trial, "disturbance").words,
               "undisturbed, this machine is up to 2.3 % faster: the interval reaches so far");
    unsteady(trial);
    EXPECT_STR(judge(trial, "steady_state").words,
               "the steps reached no steady state: later ones were 7.0 % quicker");
}

/* Shares of the time multiply, as do the best canaries against the mean ones; the time that
 * memory bounds is half of it here. A canary says what could have been, and does not move the
 * estimate. */
TEST_WITH_TRIAL(every_harm_has_its_factor)
{
    happen_last(trial, &(struct observation){.waited_ns = SECONDS(0.9),
                                             .steal_ticks = 90,
                                             .throttled_us = 450000,
                                             .major_faults = 9});
    validity_judge(&trial->validity_inputs, &trial->verdict);
    EXPECT_NEAR(trial->verdict.idle_speed, 1 / (0.9 * 0.9 * 0.95 * 0.99), 1e-9);
    EXPECT_NEAR(trial->verdict.idle_speed_max, trial->verdict.idle_speed, 1e-9);
    make(trial);
    clock_6(trial);
    copy_40(trial);
    validity_judge(&trial->validity_inputs, &trial->verdict);
    EXPECT_NEAR(trial->verdict.idle_speed, 1, 0);
    EXPECT_NEAR(trial->verdict.idle_speed_max, 4 * 3 / 11.76 * (1 + 0.5 * (2 * 3 / 5.2 - 1)),
                1e-9);
}

/* 239 steps that differ as much as a slow half and a quick half are not too few. */
TEST_WITH_TRIAL(why_there_is_no_interval_is_said_truly)
{
    unsure(trial);
    EXPECT_STR(judge(trial, "interval").words,
               "the 90 measured steps differ so much that their interval would reach 0");
    trial->summary.measured_steps = INTERVAL_STEPS_MIN - 1;
    EXPECT_STR(judge(trial, "interval").words,
               "19 measured steps are too few for an interval: it takes 20");
}

TEST_WITH_TRIAL(little_time_says_nothing_of_shares)
{
    happen_last(trial, &(struct observation){.waited_ns = SECONDS(4.6)});
    for (int i = 0; i < 11; i++)
        trial->seen[i].taken_ns /= 100;
    EXPECT_INT(judge(trial, "contention").level, VALIDITY_UNKNOWN);
    trial->evidence.observation_count = 1;
    EXPECT_INT(judge(trial, "steal").level, VALIDITY_UNKNOWN);
    trial->evidence.observation_count = 0;
    EXPECT_INT(judge(trial, "throttled").level, VALIDITY_UNKNOWN);
}
