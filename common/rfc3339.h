/* Calendar times as documents have them: RFC 3339 in UTC. */
#pragma once

#include "common/clock.h"
#include "common/json_scan.h"

#include <stdbool.h>

#define RFC3339_TEXT_SIZE (RFC3339_SIZE + 3)

/* "2026-08-06T17:17:52Z", with Z or +00:00, and up to nine digits of a second; six are kept. Only
 * days and times that exist, after the beginning of 1970 and before 10000. */
MUST_USE bool rfc3339_read(struct span text, long long *ret_us);

/* With milliseconds, or with microseconds where there are some. */
void rfc3339_write(long long calendar_us, char ret_text[RFC3339_TEXT_SIZE]);
