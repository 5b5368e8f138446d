/* Finished runs as they leave: oldest first, with all that is stored of them. One that was
 * thinned (db/runs/thinning.h) stays: an import would compute another number. */
#pragma once

#include "db/runs/run_filter.h"
#include "engine/document/run_document_write.h"

/* What the callback gets is borrowed. Where `steps` is NULL, and `evidence` with it, no trace is
 * kept as text, and the rows have to be asked. False: enough. */
struct export_reader {
    bool (*tell)(void *user, const struct document_parts *parts);
    void *user;
};

/* Tells of each finished run of the filter, whose state is not looked at, until it is enough.
 * *ret_last is the number of the last one that was passed, 0 when there was none. */
MUST_USE bool exports_each(struct db *db, const struct run_filter *filter,
                           const struct export_reader *reader, long long *ret_last,
                           struct error *err);
