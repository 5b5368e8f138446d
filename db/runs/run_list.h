/* Pages of runs, newest first: the latest accepted, or the latest created where the filter is by
 * time. Without their engine_details and other texts, which are for one run alone. */
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
