/* Property: what reads as a plan is exactly what would be written for it, and lies within limits.
 */
#include "engine/train/depth_first/plan.h"
#include "tests/fuzz/fuzz.h"

#define KEY "key"

FUZZ_TEXT(text)
{
    char again[PLAN_TEXT_MAX];
    struct plan plan = {.count = -1};

    for (int count = 0; count <= 3; count++) {
        if (!plan_read(text, KEY, count, &plan))
            continue;
        ALWAYS(plan.count == count);
        for (int i = 0; i < count; i++)
            ALWAYS(plan.stages[i].kilobytes >= 1 && plan.stages[i].kilobytes <= 1000000);
        ALWAYS(plan_write(&plan, KEY, again, sizeof again) < sizeof again);
        ALWAYS(strcmp(again, text) == 0);
    }
}
