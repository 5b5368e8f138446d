/* What one sender can do to a row that others have measured, and that honest rows stay as sure as
 * they were. */
#include "engine/stats/sources.h"

#include "tests/engine/trace/traces.h"
#include "tests/share.h"
#include "tests/test.h"

#include <math.h>

#define RUNS_MAX 400
#define HONEST 6401.0
#define FORGED 64001.0 /* ten times as fast */
#define FORGERIES 200

/* The runs of a row, the newest last while it is made. */
struct row {
    struct run_result runs[RUNS_MAX];
    size_t count;
    struct run_source sources[20];
    size_t source_count;
};

static size_t source(struct row *row, const char *name, bool trusted)
{
    struct run_source *made = &row->sources[row->source_count];

    *made = (struct run_source){.is_trusted = trusted,
                                .provenance = name[0] ? PROVENANCE_IMPORTED : PROVENANCE_MEASURED,
                                .first = (long long)row->count + 1};
    snprintf(made->name, sizeof made->name, "%s", name);
    return row->source_count++;
}

static void add(struct row *row, size_t of, int vm, double value)
{
    struct run_result *run = &row->runs[row->count++];

    *run = (struct run_result){.value = value,
                               .low = value * 0.99,
                               .high = value * 1.01,
                               .validity = VALIDITY_OK,
                               .provenance = row->sources[of].provenance,
                               .source = of,
                               .number = (long long)row->count};
    snprintf(run->vm, sizeof run->vm, "i%015d", vm);
}

static struct standing standing_of(struct row *row)
{
    struct standing standing;

    for (size_t i = 0, j = row->count; i + 1 < j; i++) { /* the newest first */
        struct run_result swapped = row->runs[i];

        row->runs[i] = row->runs[--j];
        row->runs[j] = swapped;
    }
    sources_pool(row->runs, &row->count, row->sources, row->source_count);
    standing_compute(row->runs, row->count, &standing);
    sources_share(&standing, row->sources, row->source_count);
    return standing;
}

/* Machines of honest senders, one sender for each; of this server where `here`. */
static void add_honest(struct row *row, int machines, bool here)
{
    for (int i = 0; i < machines; i++) {
        char name[20];
        size_t of;

        snprintf(name, sizeof name, "c%d", i);
        of = here ? (i == 0 ? source(row, "", true) : 0) : source(row, name, false);
        add(row, of, i, HONEST * (1 + 0.01 * (i % 3 - 1)));
    }
}

static void forge(struct row *row, double value)
{
    size_t of = source(row, "mallory", false);

    for (int i = 0; i < FORGERIES; i++)
        add(row, of, 1000 + i, value);
}

/* The number of a row before sources were looked at: all runs together. */
static double naive(int machines, double forged)
{
    struct row row = {0};
    struct standing standing;

    add_honest(&row, machines, false);
    forge(&row, forged);
    standing_compute(row.runs, row.count, &standing);
    return standing.value;
}

TEST(two_hundred_forgeries_do_not_move_what_others_measured)
{
    static const int machines[] = {1, 3, 10};

    for (size_t i = 0; i < COUNT(machines); i++)
        for (int here = 0; here < 2; here++) {
            struct row alone = {0}, row = {0};
            struct standing before, after;

            add_honest(&alone, machines[i], here);
            before = standing_of(&alone);
            add_honest(&row, machines[i], here);
            forge(&row, FORGED);
            after = standing_of(&row);
            printf(
                "   %2d honest %s, 200 forged at %.0f/s: %.0f/s without sources, %.0f/s with\n",
                machines[i], here ? "machines here" : "senders", FORGED,
                naive(machines[i], FORGED), after.value);
            EXPECT(after.value == before.value);
            EXPECT_INT(after.level, before.level);
            EXPECT_INT(row.sources[row.source_count - 1].weight, SOURCE_ASIDE);
            EXPECT_NEAR(row.sources[row.source_count - 1].share, 0, 0);
        }
}

TEST(senders_that_agree_do_not_outvote_a_trusted_source)
{
    struct row row = {0};
    double here;

    add_honest(&row, 1, true);
    here = row.runs[0].value;
    add(&row, source(&row, "mallory", false), 1000, FORGED);
    add(&row, source(&row, "trudy", false), 1001, FORGED);
    EXPECT_NEAR(standing_of(&row).value, here, 0);
    EXPECT_HAS(row, (sources[1].weight, SOURCE_ASIDE), (sources[2].weight, SOURCE_ASIDE));
}

/* Just within what is accepted. */
TEST(a_sender_within_bounds_moves_a_row_by_its_vote)
{
    static const struct {
        int machines;
        double factor, most;
    } cases[] = {{1, 1.45, 1.26}, {3, 1.45, 1.14}, {10, 1.45, 1.06},
                 {1, 1.09, 1.05}, {3, 1.09, 1.06}, {10, 1.09, 1.06}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct row row = {0};
        double moved;

        add_honest(&row, cases[i].machines, true);
        forge(&row, HONEST * cases[i].factor);
        moved = standing_of(&row).value / HONEST;
        printf("   %2d honest machines, 200 forged %g times as fast: %.3f times, %.3f before\n",
               cases[i].machines, cases[i].factor, moved,
               naive(cases[i].machines, HONEST * cases[i].factor) / HONEST);
        EXPECT(moved < cases[i].most);
    }
}

TEST(a_sender_alone_speaks_of_one_machine)
{
    struct row row = {0};
    struct standing standing;

    forge(&row, FORGED);
    standing = standing_of(&row);
    EXPECT_HAS(standing, (level, STANDING_RUNS), (vms, 1));
    EXPECT_HAS(row, (sources[0].machines, FORGERIES), (sources[0].kept_machines, 1),
               (sources[0].share, 1));
}

TEST(the_machines_of_a_trusted_sender_count_each)
{
    struct row row = {0};
    size_t fleet = source(&row, "fleet", true);

    for (int i = 0; i < 10; i++)
        add(&row, fleet, i, HONEST);
    EXPECT_INT(standing_of(&row).level, STANDING_VMS);
    EXPECT_INT((long long)row.sources[0].kept_machines, 10);
}

/* Each of its machines, but no more than the others have. */
TEST(machines_that_another_sender_confirms_count)
{
    struct row row = {0};
    struct standing standing;
    size_t fleet = source(&row, "fleet", false), b, c;

    for (int i = 0; i < 10; i++)
        add(&row, fleet, i, HONEST);
    b = source(&row, "b", false);
    add(&row, b, 20, HONEST * 1.01);
    c = source(&row, "c", false);
    add(&row, c, 21, HONEST * 1.02);
    add(&row, c, 22, HONEST * 1.03);
    standing = standing_of(&row);
    EXPECT_HAS(standing, (level, STANDING_VMS), (vms, 6));
    EXPECT_INT((long long)row.sources[fleet].kept_machines, 3);
    EXPECT_NEAR(row.sources[fleet].share, 0.5, 1e-12);
    EXPECT_INT(row.sources[b].weight, SOURCE_MACHINES);
}

TEST(who_contradicts_waits_for_another)
{
    struct row two = {0}, three = {0};

    add(&two, source(&two, "liar", false), 1, FORGED);
    add(&two, source(&two, "honest", false), 2, HONEST);
    EXPECT_NEAR(standing_of(&two).value, FORGED,
                1e-6); /* who came first: nothing else tells them apart */
    add(&three, source(&three, "liar", false), 1, FORGED);
    add(&three, source(&three, "honest", false), 2, HONEST);
    add(&three, source(&three, "another", false), 3, HONEST);
    EXPECT_NEAR(standing_of(&three).value, HONEST, 1e-6);
    EXPECT_INT(three.sources[0].weight, SOURCE_ASIDE);
}

TEST(the_newest_run_of_a_trusted_source_describes_a_row)
{
    struct row row = {0};
    size_t first = source(&row, "first", false), second, here;

    add(&row, first, 1, HONEST);
    second = source(&row, "second", false);
    add(&row, second, 2, HONEST);
    (void)standing_of(&row);
    EXPECT_INT((long long)row.runs[sources_describing(row.runs, row.count, row.sources)].source,
               (long long)first);
    here = source(&row, "", true);
    add(&row, here, 3, HONEST);
    (void)standing_of(&row);
    EXPECT_INT((long long)row.runs[sources_describing(row.runs, row.count, row.sources)].source,
               (long long)here);
    EXPECT(sources_describing(NULL, 0, NULL) == SIZE_MAX);
}

TEST(what_comes_in_later_but_was_measured_before_describes_no_row)
{
    struct row row = {0};
    size_t here = source(&row, "", true), sender;

    add(&row, here, 1, HONEST);
    add(&row, here, 2, HONEST);
    for (size_t i = 0; i < row.count; i++) /* the newest by number first */
        row.runs[i].at_us = row.runs[i].number == 1 ? 2000 : 1000;
    (void)standing_of(&row);
    EXPECT_INT(row.runs[sources_describing(row.runs, row.count, row.sources)].number, 1);
    row = (struct row){0};
    sender = source(&row, "sender", false);
    for (long long number = 1; number <= 3; number++)
        add(&row, sender, 1, HONEST);
    for (size_t i = 0; i < row.count; i++)
        row.runs[i].at_us = i == 1 ? 3000 : 1000;
    EXPECT_INT((long long)sources_describing(row.runs, row.count, row.sources), 1);
}

/* A type whose machines differ by `spread`; each of the senders has some of them. */
static void draw(struct row *row, struct chance *chance, int senders, int machines, double spread)
{
    for (int i = 0; i < senders; i++) {
        char name[20];
        size_t of;

        snprintf(name, sizeof name, "c%d", i);
        of = source(row, name, false);
        for (int j = 0; j < machines; j++) {
            double speed = HONEST * exp(spread * normal(chance));

            for (int k = 0; k < 3; k++)
                add(row, of, 100 * i + j, speed * exp(0.01 * normal(chance)));
        }
    }
}

TEST(honest_rows_are_as_sure_as_before)
{
    static const struct {
        int senders, machines;
        double spread;
    } cases[] = {{3, 1, 0.03}, {10, 1, 0.03}, {10, 1, 0.1}, {5, 1, 0.15},
                 {3, 4, 0.03}, {4, 2, 0.1},   {3, 1, 0.2}};
    const int rows = 2000;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct chance chance = chance_from("honest");
        int held[2] = {0, 0}, general[2] = {0, 0};

        if (!share_has(i, COUNT(cases)))
            continue;
        for (int n = 0; n < rows; n++) {
            static struct row row;
            struct standing standings[2];

            memset(&row, 0, sizeof row);
            draw(&row, &chance, cases[i].senders, cases[i].machines, cases[i].spread);
            standing_compute(row.runs, row.count, &standings[0]);
            standings[1] = standing_of(&row);
            for (int which = 0; which < 2; which++) {
                const struct range *range = &standings[which].interval;
                struct range wide = standing_between(&standings[which], cases[i].spread);

                if (standings[which].level != STANDING_VMS)
                    range = &wide;
                general[which] += standings[which].level == STANDING_VMS;
                held[which] += range->low <= HONEST && HONEST <= range->high;
            }
        }
        printf("   %d senders with %d machines that differ by %g %%: %.1f %% of intervals hold "
               "the truth, %.1f %% before; %d %% generalisable\n",
               cases[i].senders, cases[i].machines, 100 * cases[i].spread, 100.0 * held[1] / rows,
               100.0 * held[0] / rows, 100 * general[1] / rows);
        /* Machines that differ by more are taken for contradictions too often. */
        EXPECT(cases[i].spread > 0.15 || held[1] >= held[0] - rows / 100);
    }
}
