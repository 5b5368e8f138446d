/* What others published: a number with its source and date, without steps and so without an
 * interval; shown apart from what was measured, and never ranked. */
#pragma once

#include "common/limits.h"
#include "db/db.h"

struct figure {
    char id[64];       /* the caller's name for it: storing it again replaces it */
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

/* Stores a figure, within a transaction of the caller's. ERROR_CONFLICT where another id has one
 * of the very same thing. */
MUST_USE bool figures_put(struct db *db, const struct figure *figure, struct error *err);

/* Takes a figure away for good; *ret_figure is what it was, for the caller to clear. Within a
 * transaction of the caller's. ERROR_NOT_FOUND. */
MUST_USE bool figures_remove(struct db *db, const char *id, struct figure *ret_figure,
                             struct error *err);

/* The same where it does not matter whether there is one. */
MUST_USE bool figures_forget(struct db *db, const char *id, struct error *err);

/* Calls tell() for each, in the order in which they were last stored. */
MUST_USE bool figures_each(struct db *db, void (*tell)(void *user, const struct figure *figure),
                           void *user, struct error *err);

/* Whether nothing is stored yet that could be compared: no figure, and no run. */
MUST_USE bool figures_is_untouched(struct db *db, bool *ret_untouched, struct error *err);

/* A zeroed one is fine. */
void figure_clear(struct figure *figure);
