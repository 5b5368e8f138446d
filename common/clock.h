/* Two clocks: one that only goes forward, for durations, and the calendar, for people. Code that
 * is to be tested takes "now" as a parameter and leaves calling these to its caller. */
#pragma once

#include <stddef.h>

#define NS_PER_MS 1000000LL
#define NS_PER_SECOND 1000000000LL

/* Nanoseconds since some fixed point in the past. */
long long clock_monotonic_ns(void);

/* Microseconds since 1970-01-01 UTC. */
long long clock_calendar_us(void);

#define RFC3339_SIZE sizeof "2026-01-02T03:04:05.678Z"

/* Writes a calendar time (1970 to 9999) as RFC 3339 in UTC with milliseconds. */
void clock_rfc3339(long long calendar_us, char ret_text[RFC3339_SIZE]);
