/* Published figures: a number with its source and date, without steps and so without an interval.
 * They are shown apart from measured rows, and never ranked. */
#pragma once

#include "common/limits.h"
#include "db/db.h"

struct figure {
    char id[64];       /* the caller's name for it: a figure with the same id is replaced */
    char workload[64]; /* any word */
    char engine[64];
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE];
    char *configuration; /* owned: a JSON object in one line */
    double samples_per_second;
    char unit[8]; /* "sample" or "job" */
    bool derived;
    char source[160], note[240];
    long long measured_us;
};

/* Stores a figure, in the caller's transaction. ERROR_CONFLICT if another id has a figure with
 * the same key. */
MUST_USE bool figures_put(struct db *db, const struct figure *figure, struct error *err);

/* Deletes a figure; *ret_figure is the old one, for the caller to clear. In the caller's
 * transaction. ERROR_NOT_FOUND. */
MUST_USE bool figures_remove(struct db *db, const char *id, struct figure *ret_figure,
                             struct error *err);

/* The same, but a missing figure is no error. */
MUST_USE bool figures_forget(struct db *db, const char *id, struct error *err);

/* Calls tell() for each, in the order of their last change. */
MUST_USE bool figures_each(struct db *db, void (*tell)(void *user, const struct figure *figure),
                           void *user, struct error *err);

/* True if the database has no figure and no run yet. */
MUST_USE bool figures_is_untouched(struct db *db, bool *ret_untouched, struct error *err);

/* A zeroed one is fine. */
void figure_clear(struct figure *figure);
