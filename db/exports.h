/* Finished runs as they leave: oldest first, with all that is stored of them. */
#pragma once

#include "db/db.h"
#include "db/run_list.h"
#include "engine/document.h"

/* NULL means any; labels must all match. `after` and `limit` as in run_filter, but upwards. */
struct export_filter {
    const char *engine, *workload, *instance, *provenance;
    int label_count;
    struct wanted_label labels[RUN_FILTER_LABELS];
    long long after; /* only runs with a larger number */
    long long limit;
};

/* What it is told is borrowed. Where `steps` is NULL, and `evidence` with it, no trace is kept as
 * text, and the rows have to be asked. False: enough. */
struct export_reader {
    bool (*tell)(void *user, const struct document_parts *parts);
    void *user;
};

/* Tells of each run until it is enough. *ret_last is the number of the last one that was told, 0
 * when there was none. */
bool exports_each(struct db *db, const struct export_filter *filter,
                  const struct export_reader *reader, long long *ret_last, struct error *err)
    __attribute__((warn_unused_result));
