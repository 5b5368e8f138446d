/* What somebody wants of a machine, as a formula over the fields of a row:
 *     samples_per_dollar * min(1, 10 / hours)
 * Numbers, fields, + - * /, a sign, parentheses, min(a, b, ...), max(a, b, ...), log(a): nothing
 * that loops, allocates, or reaches anything else. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define UTILITY_TEXT_MAX 512
#define UTILITY_STEPS_MAX 128
#define UTILITY_DEPTH_MAX 32 /* of parentheses, and of values waiting for their operator */

enum utility_op {
    UTILITY_NUMBER,
    UTILITY_FIELD,
    UTILITY_ADD,
    UTILITY_SUBTRACT,
    UTILITY_MULTIPLY,
    UTILITY_DIVIDE,
    UTILITY_NEGATE,
    UTILITY_MIN, /* of the top two; repeated for more */
    UTILITY_MAX,
    UTILITY_LOG, /* natural */
};

/* A formula in postfix order, evaluated for any number of rows. A plain value. */
struct utility {
    size_t count;
    struct {
        enum utility_op op;
        double number; /* of UTILITY_NUMBER */
        size_t field;  /* of UTILITY_FIELD: its place in the list */
    } steps[UTILITY_STEPS_MAX];
};

/* `fields` is NULL-terminated. ERROR_INVALID of field "utility" says at which character (from 1)
 * what was expected, and lists the fields after an unknown one. *ret_utility is written only on
 * success. */
MUST_USE bool utility_read(const char *text, const char *const fields[],
                           struct utility *ret_utility, struct error *err);

/* `values` in the order of the fields, NaN where unknown. NaN if the result, or any intermediate
 * one, is not finite: such a row is not ranked. */
double utility_value(const struct utility *utility, const double *values);
