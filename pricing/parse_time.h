/* Parses times of other formats, into microseconds since 1970 UTC. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

/* RFC 3339 or ISO 8601 as feeds have it: "2026-08-06T17:17:52Z", with fractions, with an offset
 * ("+02:00"), or a day alone ("2026-08-06"). Only from 1970 to 9999. */
MUST_USE bool parse_time(const char *text, long long *ret_us);

/* The same for a typed time, except the first moment of 1970, because 0 means unknown. */
MUST_USE bool parse_time_given(const char *text, long long *ret_us);

/* A date of HTTP: "Thu, 06 Aug 2026 17:17:52 GMT". */
MUST_USE bool parse_time_http(const char *text, long long *ret_us);
