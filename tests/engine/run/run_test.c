#include "engine/run/run.h"

#include "tests/test.h"

static const struct {
    enum run_state state;
    const char *name;
    bool final;
} states[] = {
    {RUN_QUEUED, "queued", false},      {RUN_RUNNING, "running", false},
    {RUN_FINISHED, "finished", true},   {RUN_FAILED, "failed", true},
    {RUN_CANCELLED, "cancelled", true}, {RUN_INTERRUPTED, "interrupted", true},
    {RUN_PREEMPTED, "preempted", true},
};

TEST(every_state_has_its_name_and_its_place)
{
    EXPECT_INT(COUNT(states), RUN_STATES);
    for (size_t i = 0; i < COUNT(states); i++) {
        EXPECT_STR(run_state_name(states[i].state), states[i].name);
        EXPECT_STR(run_state_names[i], states[i].name); /* the database and filters rely on it */
        EXPECT_INT(run_state_is_final(states[i].state), states[i].final);
    }
    EXPECT(run_state_names[RUN_STATES] == NULL);
}

TEST(a_cleared_run_owns_nothing)
{
    struct run run = {.number = 7};

    run_clear(&run);
    EXPECT(run.stderr_tail == NULL);
    run.stderr_tail = strdup("words");
    run.engine_details = strdup("{}");
    run.implementations = strdup("{}");
    run_clear(&run);
    EXPECT(run.stderr_tail == NULL);
    EXPECT(run.engine_details == NULL && run.implementations == NULL);
    run_clear(&run);
    EXPECT_INT(run.number, 7);
}
