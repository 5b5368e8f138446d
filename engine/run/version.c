#include "engine/run/version.h"

#include <stdbool.h>
#include <string.h>

#define PLAN ", plan "

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Where the kind of plan begins, or the text ends. */
static const char *end_of(const char *version)
{
    const char *plan = strstr(version, PLAN);

    return plan ? plan : version + strlen(version);
}

/* Compares numbers by value: without leading zeros, the longer one is greater. */
static int order_of_numbers(const char **left, const char **right)
{
    size_t left_length, right_length;
    int order;

    while (**left == '0' && is_digit((*left)[1]))
        (*left)++;
    while (**right == '0' && is_digit((*right)[1]))
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

        if (is_digit(*left) && is_digit(*right)) {
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
