/* Two clocks: a monotonic one for durations, and the calendar clock for people. Code under test
 * takes "now" as a parameter; its caller reads the clock. */
#pragma once

#include <stddef.h>

#define NS_PER_MS 1000000LL
#define NS_PER_SECOND 1000000000LL
#define US_PER_SECOND 1000000LL
#define US_PER_MINUTE (60 * US_PER_SECOND)
#define US_PER_HOUR (60 * US_PER_MINUTE)
#define US_PER_DAY (24 * US_PER_HOUR)

/* Nanoseconds since some fixed point in the past. */
long long clock_monotonic_ns(void);

/* The end of the year 9999. */
#define CALENDAR_US_MAX 253402300799999999LL

/* Microseconds since 1970-01-01 UTC, clamped to 1..CALENDAR_US_MAX, so that a stored time can
 * always be written and read again. */
long long clock_calendar_us(void);
long long clock_calendar_us_of(long long seconds, long nanoseconds);

#define RFC3339_SIZE sizeof "2026-01-02T03:04:05.678Z"

/* Writes a calendar time as RFC 3339 in UTC with milliseconds, clamped to the years 1970 to
 * 9999. */
void clock_rfc3339(long long calendar_us, char ret_text[RFC3339_SIZE]);
