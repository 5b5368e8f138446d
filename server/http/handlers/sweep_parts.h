/* The data of an answer about one sweep. */
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

/* Fills zeroed parts; clear them also after a failure. */
MUST_USE bool sweep_parts_load(struct db *db, const char *id, struct sweep_parts *parts,
                               struct error *err);

/* Accepts zeroed parts. */
void sweep_parts_clear(struct sweep_parts *parts);
