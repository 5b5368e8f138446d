/* Parameters of a question that match nothing known here, so that a typo is answered with what
 * there is and not with an empty table. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define UNMATCHED_MAX 32

struct comparison_parts;

struct unmatched {
    const char *parameter; /* its name */
    char value[72];
    char words[320]; /* what it matches nothing of, and up to six values that are known */
};

/* Looks for the workload among all contenders, for each other filter among those of the workload,
 * and for names of types, families and providers also among the types that have a price. Fails
 * only when memory ends. */
bool comparison_unmatched(const struct comparison_parts *parts,
                          struct unmatched ret_list[UNMATCHED_MAX], size_t *ret_count,
                          struct error *err) __attribute__((warn_unused_result));
