#include "common/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

long long clock_monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

long long clock_calendar_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

void clock_rfc3339(long long calendar_us, char ret_text[RFC3339_SIZE])
{
    time_t seconds = (time_t)(calendar_us / 1000000);
    int milliseconds = (int)(calendar_us / 1000 % 1000);
    char text[64];
    struct tm parts;

    gmtime_r(&seconds, &parts);
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
             milliseconds);
    memcpy(ret_text, text, RFC3339_SIZE - 1);
    ret_text[RFC3339_SIZE - 1] = '\0';
}
