/* The log: one line per event on stderr, "time level message key=value ...". Never log what a
 * client sent in a header or a query: it may be a secret. Whatever a message quotes, it stays one
 * line of clean text: text_make_line(). */
#pragma once

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_INFO, LOG_DEBUG };

/* Drops lines above this level; initially LOG_INFO. */
void log_set_level(enum log_level level);
bool log_wants(enum log_level level);

void log_line(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
