#include "server/runs/readiness.h"

#include "db/runs/runs.h"
#include "server/base/disk_reserve.h"
#include "server/base/log.h"
#include "server/runs/orphaned_runs.h"

bool readiness_prepare(struct readiness *readiness, struct error *err)
{
    if (!readiness->prepared)
        readiness->prepared = this_machine_store(readiness->this_machine, readiness->db, err) &&
                              orphaned_runs_close(readiness->db, err);
    return readiness->prepared;
}

bool readiness_has_queue(struct readiness *readiness)
{
    /* With a limit of no runs at all, any queued run is one too many. */
    return !runs_check_room(readiness->db, 0, 0, NULL);
}

bool readiness_check(struct readiness *readiness)
{
    struct error err = {0};
    bool ready =
        disk_reserve_check(readiness->config, &err) && readiness_prepare(readiness, &err);

    if (!ready && !readiness->reported && readiness_has_queue(readiness)) {
        log_line(LOG_ERROR, "no run is begun: %s", err.message);
        readiness->reported = true;
    }
    if (ready && readiness->reported) {
        log_line(LOG_INFO, "there is room again: runs are begun");
        readiness->reported = false;
    }
    return ready;
}
