/* Which values stored runs have in what they are filtered by: the answer to a filter that matches
 * none. Reads indexes alone, a step for each value, however many runs have it. */
#pragma once

#include "common/limits.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>

enum run_value {
    RUN_WORKLOAD,
    RUN_ENGINE,
    RUN_INSTANCE,
    RUN_LABEL_KEY,
    RUN_LABEL_VALUE, /* of one key */
};

#define RUN_VALUES_MAX 64

struct run_values {
    char list[RUN_VALUES_MAX][LABEL_VALUE_MAX + 1]; /* in order */
    size_t count;
};

struct run_value_question {
    enum run_value kind;
    const char *key; /* of RUN_LABEL_VALUE; NULL for the others */
    const char *value;
};

/* Whether a run has the value. Where none has, *ret_values has those next to it in order, half of
 * them below and half above. */
bool run_values_look(struct db *db, const struct run_value_question *question, bool *ret_found,
                     struct run_values *ret_values, struct error *err)
    __attribute__((warn_unused_result));
