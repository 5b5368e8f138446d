/* Property: what reads as a formula is computed without leaving its stack, to a finite number or
 * to none, and means the same between parentheses; what does not read says where. */
#include "common/cleanup.h"
#include "pricing/utility.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

#define UNTOUCHED 77

static const char *const fields[] = {"hours", "dollars", "samples_per_dollar", NULL};
static const double rows[][3] = {
    {5, 3, 1000}, {0, -1, 1e308}, {NAN, INFINITY, 1}, {-0.0, 1e-320, -INFINITY}};

static void check_stack(const struct utility *utility)
{
    size_t height = 0;

    ALWAYS(utility->count > 0 && utility->count <= UTILITY_STEPS_MAX);
    for (size_t i = 0; i < utility->count; i++) {
        switch (utility->steps[i].op) {
        case UTILITY_NUMBER:
            ALWAYS(isfinite(utility->steps[i].number));
            height++;
            break;
        case UTILITY_FIELD:
            ALWAYS(utility->steps[i].field < COUNT(rows[0]));
            height++;
            break;
        case UTILITY_NEGATE:
        case UTILITY_LOG:
            ALWAYS(height >= 1);
            break;
        default:
            ALWAYS(utility->steps[i].op <= UTILITY_LOG && height >= 2);
            height--;
        }
        ALWAYS(height <= UTILITY_DEPTH_MAX);
    }
    ALWAYS(height == 1);
}

static void check_same(const struct utility *one, const struct utility *other)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        double a = utility_value(one, rows[i]), b = utility_value(other, rows[i]);

        ALWAYS(isfinite(a) || isnan(a));
        ALWAYS(isnan(a) ? isnan(b) : !(a < b) && !(a > b) && !isnan(b));
    }
}

static void check_refused(const struct utility *utility, const struct error *err)
{
    ALWAYS(utility->count == UNTOUCHED);
    ALWAYS(err->kind == ERROR_INVALID && strcmp(err->field, "utility") == 0);
    ALWAYS(strstr(err->message, "character") != NULL);
}

FUZZ_TEXT(text)
{
    size_t length = strlen(text);
    char *between = malloc(length + 3);
    struct utility utility = {.count = UNTOUCHED}, again = {.count = UNTOUCHED};
    struct error err = {0}, why = {0};

    ALWAYS(between != NULL);
    snprintf(between, length + 3, "(%s)", text);
    if (utility_read(text, fields, &utility, &err)) {
        check_stack(&utility);
        check_same(&utility, &utility);
        if (utility_read(between, fields, &again, &why))
            check_same(&utility, &again);
        else /* a little too long, or a little too deep */
            ALWAYS(length + 2 > UTILITY_TEXT_MAX || strstr(why.message, "deep"));
    } else {
        check_refused(&utility, &err);
    }
    free(between);
}
