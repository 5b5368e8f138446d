/* Pages of runs, newest first: by number, or by creation time if the filter is by time. Without
 * engine_details and other long texts, which only a single run has. */
#pragma once

#include "common/limits.h"
#include "db/runs/run_filter.h"
#include "engine/run/run.h"

#include <stddef.h>

struct run_list {
    struct run *runs;
    size_t count;
    bool more; /* there are older ones */
};

MUST_USE bool run_list_load(struct db *db, const struct run_filter *filter,
                            struct run_list *ret_list, struct error *err);

/* A zeroed list is fine. */
void run_list_free(struct run_list *list);
