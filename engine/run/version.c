#include "engine/run/version.h"

#include "common/text.h"
#include "engine/protocol/details.h"

#include <stdio.h>
#include <string.h>

#define PLAN ", plan "
_Static_assert(RUN_VERSION_SIZE >=
                   SOFTWARE_SIZE + LIBRARY_MAX + PLAN_MAX + sizeof(PLAN) + sizeof(", "),
               "room for the longest name");

/* Where the kind of plan begins, or the text ends. */
static const char *end_of(const char *version)
{
    const char *plan = strstr(version, PLAN);

    return plan ? plan : version + strlen(version);
}

/* The length of "worker 1" in "worker 1, 16 threads". */
static size_t length_before_threads(const char *software)
{
    static const char word[] = " threads";
    size_t length = strlen(software), word_length = sizeof word - 1, end, digits;

    if (length < word_length || strcmp(software + length - word_length, word) != 0)
        return length;
    digits = end = length - word_length;
    while (digits > 0 && text_is_digit(software[digits - 1]))
        digits--;
    if (digits == end || digits < 2 || memcmp(software + digits - 2, ", ", 2) != 0)
        return length;
    return digits - 2;
}

bool run_version_name(const struct run *run, char ret_name[RUN_VERSION_SIZE], struct error *err)
{
    struct engine_details details;
    bool has_library;

    if (!engine_details_from_text(run->engine_details, &details, err))
        return false;
    has_library = details.library[0] && !strstr(run->software, details.library);
    snprintf(ret_name, RUN_VERSION_SIZE, "%.*s%s%s%s%s",
             (int)length_before_threads(run->software), run->software, has_library ? ", " : "",
             has_library ? details.library : "", details.plan[0] ? PLAN : "",
             strcmp(details.plan, "cached") == 0 ? "measured" : details.plan);
    return true;
}

/* Compares numbers by value: without leading zeros, the longer one is greater. */
static int order_of_numbers(const char **left, const char **right)
{
    size_t left_length, right_length;
    int order;

    while (**left == '0' && text_is_digit((*left)[1]))
        (*left)++;
    while (**right == '0' && text_is_digit((*right)[1]))
        (*right)++;
    left_length = strspn(*left, "0123456789");
    right_length = strspn(*right, "0123456789");
    if (left_length != right_length)
        return left_length < right_length ? -1 : 1;
    order = strncmp(*left, *right, left_length);
    *left += left_length;
    *right += right_length;
    return order;
}

int run_version_length(const char *version)
{
    return (int)(end_of(version) - version);
}

int run_version_order(const char *left, const char *right)
{
    const char *left_end = end_of(left), *right_end = end_of(right);

    while (left < left_end && right < right_end) {
        int order;

        if (text_is_digit(*left) && text_is_digit(*right)) {
            order = order_of_numbers(&left, &right);
        } else {
            order = (unsigned char)*left - (unsigned char)*right;
            left++;
            right++;
        }
        if (order != 0)
            return order;
    }
    return (left < left_end) - (right < right_end);
}
