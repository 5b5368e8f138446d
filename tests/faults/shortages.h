/* What every test of shortages shares: an attempt is made again and again, each time with another
 * allocation that fails. For one file of a program to include, for ration.h is that too. */
#pragma once

#include "tests/faults/ration.h"

#include "common/error.h"
#include "tests/faults/points.h"

#include <sqlite3.h>

#define ENDLESS 10000000 /* no operation here allocates so often */

/* One attempt: rations what it tests, and checks what it got. */
typedef bool attempt_fn(struct error *err);

/* jansson takes a string for which there was no memory for a lawless token. */
static inline bool is_excused(const struct error *err)
{
    return strstr(err->message, "not JSON: invalid token near '\"") ||
           strstr(err->message, "not JSON: string or '}' expected near '\"");
}

/* Where there are thousands, every `stride`th has to do. */
static inline void survive_shortages(const char *name, attempt_fn *attempt, long long stride)
{
    struct points points = points_chosen();
    long long loops = 0;

    if (points.alone)
        stride = 1;
    for (int for_good = 0; for_good < 2; for_good++) {
        bool done = false;

        for (long long allowed = points.first * stride + (for_good ? stride / 2 : 0);
             !done && allowed < ENDLESS; allowed += points.every * stride, loops++) {
            sqlite3_int64 used = sqlite3_memory_used();
            int failures_before = test_failures;
            struct error err = {0};

            ration_set(allowed, for_good);
            bool ok = attempt(&err);
            done = ration.refused == 0;
            EXPECT(ok || !done);
            if (!ok && err.kind != ERROR_BUSY && !is_excused(&err))
                EXPECT_INT(err.kind, ERROR_INTERNAL);
            EXPECT_INT(sqlite3_memory_used(), used);
            point_judge(name, allowed, failures_before);
        }
        EXPECT(done || points.alone); /* because nothing was left to fail */
    }
    printf("       %-16s %4lld shortages\n", name, loops - 2);
}

static inline void survive_every_shortage(const char *name, attempt_fn *attempt)
{
    survive_shortages(name, attempt, 1);
}
