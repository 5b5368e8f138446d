/* The log: one line an event on stderr, "time level message key=value ...". No secrets: nothing
 * a client sent in a header or a query is ever logged. */
#pragma once

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_INFO, LOG_DEBUG };

/* Lines above this level are dropped; LOG_INFO until told otherwise. */
void log_set_level(enum log_level level);
bool log_wants(enum log_level level);

void log_line(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
