#include "server/runs/orphaned_runs.h"

#include "common/clock.h"
#include "db/runs/runs.h"
#include "engine/process/spawn.h"
#include "server/base/log.h"
#include "server/runs/run_end.h"

bool orphaned_runs_close(struct db *db, struct error *err)
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
        run_end(&run, RUN_INTERRUPTED, "the server was killed, or lost power, during the run",
                clock_calendar_us());
        bool ended = runs_end(db, &run, err);
        run_clear(&run);
        if (!ended)
            return false;
    }
}
