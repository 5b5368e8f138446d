#include "engine/run/version.h"

#include "common/cleanup.h"
#include "tests/test.h"

TEST(a_version_is_newer_by_its_numbers)
{
    static const struct {
        const char *older, *newer;
    } pairs[] = {
        {"worker 0.0.9, oneDNN 2.6.3", "worker 0.1.0, oneDNN 2.6.3"},
        {"worker 0.9.0", "worker 0.10.0"},
        {"worker 0.1.0, oneDNN 2.6.3, plan measured", "worker 0.1.0, oneDNN 3.7.2, plan fixed"},
        {"worker 0.1", "worker 0.1.1"},
        {"worker 0.1.0", "worker 0.1.0, oneDNN 2.6.3"},
        {"worker 1.99999999999999999999", "worker 1.100000000000000000000"},
        {"", "worker"},
    };

    for (size_t i = 0; i < COUNT(pairs); i++) {
        EXPECT(run_version_order(pairs[i].older, pairs[i].newer) < 0);
        EXPECT(run_version_order(pairs[i].newer, pairs[i].older) > 0);
        EXPECT_INT(run_version_order(pairs[i].newer, pairs[i].newer), 0);
    }
}

TEST(the_kind_of_plan_makes_no_version_newer)
{
    EXPECT_INT(run_version_order("worker 1, plan fixed", "worker 1, plan measured"), 0);
    EXPECT_INT(run_version_order("worker 1", "worker 1, plan plain"), 0);
    EXPECT_INT(run_version_order("worker 01.0", "worker 1.00"), 0);
}
