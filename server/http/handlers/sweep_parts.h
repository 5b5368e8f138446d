/* What an answer about one sweep is made of. */
#pragma once

#include "server/http/json/sweep_view.h"

/* Owns all that `view` points to. */
struct sweep_parts {
    struct sweep_row row;
    struct sweep_row_run *runs;
    struct sweep_run *plain;
    struct sweep_result result;
    struct sweep_view view;
};

/* Into zeroed parts; on failure what is there so far is the caller's to clear. */
MUST_USE bool sweep_parts_load(struct db *db, const char *id, struct sweep_parts *parts,
                               struct error *err);

/* Zeroed ones are fine. */
void sweep_parts_clear(struct sweep_parts *parts);
