#include "server/runs/orphans.h"

#include "common/clock.h"
#include "db/runs.h"
#include "engine/process/spawn.h"
#include "server/base/log.h"

bool orphans_close(struct db *db, struct error *err)
{
    for (;;) {
        struct run run;
        bool found = false;

        if (!runs_orphan(db, &run, &found, err))
            return false;
        if (!found)
            return true;
        int killed = spawn_sweep(run.id.text);
        log_line(LOG_INFO, "run %s was under way when the server ended; processes_killed=%d",
                 run.id.text, killed);
        run.state = RUN_INTERRUPTED;
        run.ended_us = clock_calendar_us();
        snprintf(run.reason, sizeof run.reason,
                 "the server was killed, or lost power, during the run");
        bool ended = runs_end(db, &run, err);
        run_clear(&run);
        if (!ended)
            return false;
    }
}
