/* Pages of runs, newest first; without their engine_details, which are for one run alone. */
#pragma once

#include "db/db.h"
#include "engine/run.h"

#include <stddef.h>

#define RUN_LIST_MAX 200
#define RUN_FILTER_LABELS 4

struct wanted_label {
    const char *key, *value;
};

/* NULL means any; labels must all match. */
struct run_filter {
    const char *state, *engine, *workload, *instance;
    int label_count;
    struct wanted_label labels[RUN_FILTER_LABELS];
    long long before; /* only runs with a smaller number; 0 starts at the newest */
    long long limit;  /* 1..RUN_LIST_MAX */
};

struct run_list {
    struct run *runs;
    size_t count;
    bool more; /* there are older ones */
};

bool run_list_load(struct db *db, const struct run_filter *filter, struct run_list *ret_list,
                   struct error *err) __attribute__((warn_unused_result));

/* A zeroed list is fine. */
void run_list_free(struct run_list *list);
