/* Finished runs for export: the oldest first, with all their data. A thinned run
 * (db/runs/thinning.h) is not exported: an import would compute another result from it. */
#pragma once

#include "db/runs/run_filter.h"
#include "engine/document/run_document_write.h"

/* The callback borrows its arguments. If `steps` is NULL, and `evidence` with it, no trace is
 * kept as text: read the rows. Return false to stop. */
struct export_reader {
    bool (*tell)(void *user, const struct document_parts *parts);
    void *user;
};

/* Calls back for each finished run of the filter, whose state is ignored, until told to stop.
 * *ret_last is the number of the last run passed, 0 if there was none. */
MUST_USE bool exports_each(struct db *db, const struct run_filter *filter,
                           const struct export_reader *reader, long long *ret_last,
                           struct error *err);
