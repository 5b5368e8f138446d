/* The order of two numbers. */
#pragma once

#include <stddef.h>

static inline long long least_of(long long a, long long b)
{
    return a < b ? a : b;
}

static inline long long most_of(long long a, long long b)
{
    return a > b ? a : b;
}

static inline size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* For qsort() of doubles. */
static inline int order_ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}
