/* Parameters of /v1/runs and of what belongs to one run. */
#pragma once

#include "answers/parameters.h"
#include "common/taken_back.h"
#include "db/runs/run_list.h"
#include "engine/spec/run_spec.h"

/* The conditions on runs that all lists of them know. The filter points into the struct: do not
 * copy it. */
struct run_conditions {
    struct run_filter filter;
    char label_keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1];
};
extern const struct parameters runs_list_parameters; /* of struct run_conditions */

struct export_question {
    struct run_conditions conditions;
    const char *after; /* the id of a run; NULL */
};
extern const struct parameters export_parameters;

struct wait_question {
    long long wait; /* seconds; see request_wait() */
};
extern const struct parameters wait_parameters;

struct steps_question {
    long long from, limit; /* limit 0: all */
};
extern const struct parameters steps_parameters;

struct reason_question {
    char reason[REASON_MAX + 1]; /* "" where none is given */
};
extern const struct parameters reason_parameters;

/* Of GET /v1/history; the filter of struct run_conditions. */
extern const struct parameters history_parameters;
