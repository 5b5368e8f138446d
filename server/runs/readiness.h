/* What must hold before a run begins: free space on the disk, a stored row for this machine, and
 * no run that a killed server left open. For the runner's thread only. */
#pragma once

#include "db/db.h"
#include "server/base/config.h"
#include "server/base/this_machine.h"

#include <stdbool.h>

struct readiness {
    const struct config *config;
    struct this_machine *this_machine;
    struct db *db;
    bool prepared; /* the row is stored, the runs are closed */
    bool reported; /* the log says that runs wait for space */
};

/* Stores the machine's row and closes the open runs, unless that is done. ERROR_STORAGE on a full
 * disk: the server starts all the same, to be read from, and tries again before the next run. */
MUST_USE bool readiness_prepare(struct readiness *readiness, struct error *err);

/* Whether a run may begin. Logs the first refusal, if a run is queued, and its end. */
bool readiness_check(struct readiness *readiness);

bool readiness_has_queue(struct readiness *readiness);
