#include "engine/run/run.h"

#include "common/cleanup.h"

const char *const run_state_names[] = {
    [RUN_QUEUED] = "queued",       [RUN_RUNNING] = "running",
    [RUN_FINISHED] = "finished",   [RUN_FAILED] = "failed",
    [RUN_CANCELLED] = "cancelled", [RUN_INTERRUPTED] = "interrupted",
    [RUN_PREEMPTED] = "preempted", [RUN_STATES] = NULL,
};

const char *run_state_name(enum run_state state)
{
    return run_state_names[state];
}

void run_clear(struct run *run)
{
    freep(&run->stderr_tail);
    freep(&run->engine_details);
    freep(&run->implementations);
    freep(&run->loaded);
    freep(&run->summary_text);
    freep(&run->findings);
    freep(&run->price);
}
