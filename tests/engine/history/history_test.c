#include "engine/history/history.h"

#include "common/error.h"
#include "tests/engine/trace/traces.h"
#include "tests/share.h"
#include "tests/test.h"

#include <math.h>

#define RUNS 60
#define HALF (RUNS / 2)
#define HISTORIES 500 /* of those without a change */
#define OF_EVENTS 50
#define DAY_US 86400000000LL

static struct history_changes find(const struct history_run *runs, size_t count)
{
    struct history_changes changes = {0};

    history_changes_find(runs, count, &changes);
    return changes;
}

/* Runs that differ by 3 %, each with an interval of its own of 2 %, at a steady price. */
static void make(long long seed, struct history_run *runs)
{
    struct chance chance = seeded(seed);

    for (size_t i = 0; i < RUNS; i++) {
        double speed = 100 * exp(0.03 * normal(&chance));

        runs[i] = (struct history_run){.at_us = (long long)i * DAY_US,
                                       .speed = speed,
                                       .low = speed * 0.99,
                                       .high = speed * 1.01,
                                       .dollars = 0.36,
                                       .version = "worker 1, oneDNN 2.6",
                                       .kernel = "6.1.0-9",
                                       .microcode = "0xa1"};
    }
}

/* What may happen in the middle of a history. */
struct event {
    const char *name;
    double faster, cheaper; /* factors; 0: as before */
    double spot;            /* by so much the price moves from run to run */
    bool version, kernel, microcode;
    const char *attribution; /* of the change that it makes, NULL where it makes none */
    enum history_measure measure;
};

static void happen(const struct event *event, long long seed, struct history_run *runs)
{
    struct chance chance = seeded(seed + 100000);

    make(seed, runs);
    for (size_t i = 0; i < RUNS; i++)
        runs[i].dollars *= exp(event->spot * normal(&chance));
    for (size_t i = HALF; i < RUNS; i++) {
        double faster = event->faster > 0 ? event->faster : 1;

        runs[i].speed *= faster;
        runs[i].low *= faster;
        runs[i].high *= faster;
        runs[i].dollars *= event->cheaper > 0 ? event->cheaper : 1;
        runs[i].version = event->version ? "worker 2, oneDNN 2.6" : runs[i].version;
        runs[i].kernel = event->kernel ? "6.1.0-10" : runs[i].kernel;
        runs[i].microcode = event->microcode ? "0xa2" : runs[i].microcode;
    }
}

/* In how many histories a change is reported. */
static int alarms_of(const struct event *event)
{
    int alarms = 0;

    for (long long seed = 1; seed <= HISTORIES; seed++) {
        struct history_run runs[RUNS];

        happen(event, seed, runs);
        AUTO(history_changes_clear) struct history_changes changes = find(runs, RUNS);
        alarms += changes.count > 0;
    }
    return alarms;
}

TEST(a_history_without_a_change_hardly_ever_gets_one)
{
    static const struct event events[] = {
        {.name = "nothing happens"},
        {.name = "another version, just as fast", .version = true},
        {.name = "another kernel, just as fast", .kernel = true},
        {.name = "the spot price moves by 5 % from run to run", .spot = 0.05}};

    for (size_t i = 0; i < COUNT(events); i++) {
        if (!share_has(i, COUNT(events)))
            continue;
        int alarms = alarms_of(&events[i]);

        printf("       %s: %d of %d histories\n", events[i].name, alarms, HISTORIES);
        EXPECT(alarms <= 0.02 * HISTORIES);
    }
}

static const struct event events[] = {
    {.name = "a version that is 5 % faster",
     .faster = 1.05,
     .version = true,
     .attribution = "version"},
    {.name = "a version that is 10 % faster",
     .faster = 1.1,
     .version = true,
     .attribution = "version"},
    {.name = "a kernel that is 5 % slower",
     .faster = 0.95,
     .kernel = true,
     .attribution = "kernel"},
    {.name = "a microcode that is 5 % slower",
     .faster = 0.95,
     .microcode = true,
     .attribution = "kernel"},
    {.name = "a price that is 10 % lower",
     .cheaper = 0.9,
     .attribution = "price",
     .measure = HISTORY_PER_DOLLAR},
    {.name = "a moving price that is 20 % lower",
     .cheaper = 0.8,
     .spot = 0.05,
     .attribution = "price",
     .measure = HISTORY_PER_DOLLAR},
    {.name = "5 % slower, and nothing is known", .faster = 0.95, .attribution = "unknown"},
    {.name = "version and kernel at once",
     .faster = 1.05,
     .version = true,
     .kernel = true,
     .attribution = "several"},
};

/* Whether the one change of the event is found, by its size and its cause. */
static bool is_attributed(const struct event *event, const struct history_changes *changes)
{
    double size = event->measure == HISTORY_SPEED ? event->faster : 1 / event->cheaper;
    const struct history_change *change = changes->list;

    return changes->count == 1 && change->measure == event->measure && change->ratio.known &&
           fabs(log(change->ratio.value / size)) < 0.03 &&
           strcmp(history_attribution(change->causes), event->attribution) == 0;
}

TEST(a_change_is_attributed_to_what_changed_with_it)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        int attributed = 0, found = 0;

        if (!share_has(i / 2, COUNT(events) / 2)) /* two of them */
            continue;
        for (long long seed = 1; seed <= OF_EVENTS; seed++) {
            struct history_run runs[RUNS];

            happen(&events[i], seed, runs);
            AUTO(history_changes_clear) struct history_changes changes = find(runs, RUNS);
            attributed += is_attributed(&events[i], &changes);
            found += changes.count == 1;
        }
        printf("       %s: in %d of %d histories found, in %d attributed rightly\n",
               events[i].name, found, OF_EVENTS, attributed);
        EXPECT(found >= 0.6 * OF_EVENTS);
        EXPECT(attributed >= 0.9 * found);
    }
}

/* A version that changed long ago, or changes all the time, explains nothing. */
TEST(what_did_not_change_with_it_is_no_cause)
{
    const struct event slower = {.faster = 0.9};
    struct history_run runs[RUNS];

    happen(&slower, 1, runs);
    for (size_t i = 0; i < RUNS; i++) {
        runs[i].version = i < 10 ? "worker 1" : "worker 2";
        runs[i].kernel = i % 2 ? "6.1.0-9" : "6.1.0-10";
        runs[i].microcode = NULL;
        runs[i].dollars = i < 50 ? 0.36 : 0.3601; /* not worth a word */
    }
    AUTO(history_changes_clear) struct history_changes changes = find(runs, RUNS);
    EXPECT_INT((long long)changes.count, 1);
    if (changes.count == 1) {
        EXPECT_INT(changes.list[0].causes, 0);
        EXPECT_STR(history_attribution(changes.list[0].causes), "unknown");
    }
}

TEST(at_another_speed_and_another_price_there_are_two_changes)
{
    const struct event both = {.faster = 1.2, .cheaper = 0.8, .version = true};
    struct history_run runs[RUNS];

    happen(&both, 2, runs);
    AUTO(history_changes_clear) struct history_changes changes = find(runs, RUNS);
    EXPECT_INT((long long)changes.count, 2);
    if (changes.count != 2)
        return;
    EXPECT_INT(changes.list[0].measure, HISTORY_SPEED);
    EXPECT_INT(changes.list[0].causes, 1 << CAUSE_VERSION);
    EXPECT_NEAR(changes.list[0].ratio.value, 1.2, 0.03);
    EXPECT_INT(changes.list[1].measure, HISTORY_PER_DOLLAR);
    EXPECT_INT(changes.list[1].causes, 1 << CAUSE_VERSION | 1 << CAUSE_PRICE);
    EXPECT_STR(history_attribution(changes.list[1].causes), "several");
    EXPECT_NEAR(changes.list[1].ratio.value, 1.5, 0.04);
    EXPECT_NEAR(changes.list[1].dollars_before, 0.36, 1e-9);
    EXPECT_NEAR(changes.list[1].dollars_after, 0.288, 1e-9);
    EXPECT_INT((long long)changes.list[1].before, 0);
    EXPECT_INT((long long)changes.list[1].end, RUNS);
}

/* Most runs stored no price: places count runs, not prices. */
TEST(runs_without_a_price_count_for_the_speed_alone)
{
    const struct event cheaper = {.cheaper = 0.5};
    struct history_run runs[RUNS];

    happen(&cheaper, 3, runs);
    for (size_t i = 0; i < RUNS; i++)
        runs[i].dollars = i % 3 ? 0 : runs[i].dollars;
    AUTO(history_changes_clear) struct history_changes changes = find(runs, RUNS);
    EXPECT_INT((long long)changes.count, 1);
    if (changes.count == 1) {
        EXPECT_INT((long long)changes.list[0].first, HALF);
        EXPECT_STR(history_attribution(changes.list[0].causes), "price");
    }
}
