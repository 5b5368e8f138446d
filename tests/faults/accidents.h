/* The disk fails at one call after another, in each way that a disk can. */
#pragma once

#include "tests/faults/fault_vfs.h"
#include "tests/faults/points.h"

#define ACCIDENTS_MAX 3000 /* no operation makes so many calls */

/* Has one accident and checks what it left. Returns whether nothing was left to fail. */
typedef bool accident_fn(const void *subject, struct fault_plan plan);

/* `allowed` of the plan goes from 0 until nothing is left to fail. Returns how many accidents. */
static inline long long survive_calls(const char *name, accident_fn *survive, const void *subject,
                                      struct fault_plan plan)
{
    struct points points = points_chosen();
    long long loops = 0;
    bool done = false;

    for (plan.allowed = points.first; !done && plan.allowed < ACCIDENTS_MAX; loops++) {
        int failures_before = test_failures;

        done = survive(subject, plan);
        point_judge(name, plan.allowed, failures_before);
        plan.allowed += points.every;
    }
    EXPECT(done || points.alone);
    return loops;
}

/* Once and for good, with reads failing too and with a full disk. */
static inline void survive_accidents(const char *name, accident_fn *survive, const void *subject)
{
    static const struct fault_plan ways[] = {
        {.for_good = false, .reads = true},
        {.for_good = true, .reads = true},
        {.for_good = false, .full = true},
        {.for_good = true, .full = true},
    };
    long long loops = 0;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        loops += survive_calls(name, survive, subject, ways[i]);
    printf("       %-18s %4lld accidents\n", name, loops);
}
