#include "server/base/log.h"

#include "common/clock.h"
#include "common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum log_level highest = LOG_INFO;

void log_set_level(enum log_level level)
{
    highest = level;
}

bool log_wants(enum log_level level)
{
    return level <= highest;
}

void log_line(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"error", "info", "debug"};
    char when[RFC3339_SIZE], text[1024];
    va_list arguments;

    if (!log_wants(level))
        return;
    clock_rfc3339(clock_calendar_us(), when);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_line(text, strlen(text));
    /* One write a line: lines of several threads do not mix. */
    fprintf(stderr, "%s %s %s\n", when, names[level], text);
}
