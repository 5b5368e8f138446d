/* How long a million steps take to be summarised. From the root of the tree:
 *
 *     cc -std=c17 -D_GNU_SOURCE -O3 -I. bench/summary.c \
 *         engine/{summary,summary_text,json_text,warmup,interval,stats,steps}.c \
 *         common/{clock,error}.c -ljansson -lm
 *     ./a.out [steps; default: a million]
 */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/rows/fields.h"
#include "engine/stats/summary_text.h"
#include "tests/engine/trace/traces.h"

#define ROUNDS 9

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static struct steps make_steps(size_t count)
{
    struct steps steps = {0};
    struct chance chance = seeded(1);
    AUTO(freep) long long *nanoseconds = malloc(count * sizeof *nanoseconds);

    if (!nanoseconds)
        return steps;
    trace_steady(&chance, 0.3, 0.03, nanoseconds, count);
    for (size_t i = 0; i < count; i++)
        steps_add(&steps, (struct step){.nanoseconds = nanoseconds[i],
                                        .loss = 1,
                                        .split = {.forward = nanoseconds[i] / 3}});
    return steps;
}

int main(int argc, char *argv[])
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    AUTO(steps_free) struct steps steps = make_steps(count);
    const struct summary_rules rules = {.warmup_steps = FIELD_IS_AUTO,
                                        .steps = FIELD_IS_AUTO,
                                        .batch_size = 32,
                                        .run_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"};
    double milliseconds[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        long long start = clock_monotonic_ns();
        struct summary summary;

        if (!summary_compute(&steps, &rules, &summary, NULL))
            return 1;
        AUTO(freep) char *text = summary_to_text(&summary);
        milliseconds[i] = (double)(clock_monotonic_ns() - start) / 1e6;
    }
    qsort(milliseconds, ROUNDS, sizeof *milliseconds, by_size);
    printf("%zu steps: median %.1f ms (%.1f to %.1f)\n", steps.count, milliseconds[ROUNDS / 2],
           milliseconds[0], milliseconds[ROUNDS - 1]);
    return 0;
}
