#include "engine/run/version.h"

#include "common/memory.h"
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

/* An engine may name its libraries in its own text, or in both places. */
TEST(all_that_an_engine_says_of_itself_but_its_threads_is_its_version)
{
    static const struct {
        const char *software, *details, *version;
    } cases[] = {
        {"my 1.0, lib 2.6.3", "{}", "my 1.0, lib 2.6.3"},
        {"my 1.0, lib 3.7.2, 16 threads", NULL, "my 1.0, lib 3.7.2"},
        {"my 1.0, lib 3.10, 8 threads", "{\"library\":\"lib 3.10\",\"plan\":\"plain\"}",
         "my 1.0, lib 3.10, plan plain"},
        {"my 1.1 (cpu, eager, theirs)", "{\"library\":\"lib 4\"}",
         "my 1.1 (cpu, eager, theirs), lib 4"},
        {"my 1.2, 3 kinds of threads", "{\"library\":\"\"}", "my 1.2, 3 kinds of threads"},
        {"my 1.2, 30 threads", NULL, "my 1.2"},
        {"my 1.2,  threads", NULL, "my 1.2,  threads"},
        {"30 threads", NULL, "30 threads"},
        {" threads", NULL, " threads"},
        {"my 2", "{\"plan\":\"cached\"}", "my 2, plan measured"},
        {"", "{\"library\":\"lib 5\"}", ", lib 5"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(freep) char *details = cases[i].details ? xstrdup(cases[i].details) : NULL;
        struct run run = {.engine_details = details};
        char name[RUN_VERSION_SIZE];

        snprintf(run.software, sizeof run.software, "%s", cases[i].software);
        EXPECT(run_version_name(&run, name, NULL));
        EXPECT_STR(name, cases[i].version);
    }
}

TEST(details_that_cannot_be_read_give_no_version)
{
    static char details[] = "{\"library\":1}";
    const struct run run = {.software = "my 1", .engine_details = details};
    char name[RUN_VERSION_SIZE];

    EXPECT_INVALID(run_version_name(&run, name, &err), "library");
}
