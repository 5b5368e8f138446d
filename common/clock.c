#include "common/clock.h"

#include <string.h>
#include <time.h>

long long clock_monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

long long clock_calendar_us_of(long long seconds, long nanoseconds)
{
    if (seconds > CALENDAR_US_MAX / US_PER_SECOND)
        return CALENDAR_US_MAX;
    if (seconds < 0 || (seconds == 0 && nanoseconds < 1000))
        return 1;
    return seconds * US_PER_SECOND + nanoseconds / 1000;
}

long long clock_calendar_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return clock_calendar_us_of(now.tv_sec, now.tv_nsec);
}

/* The two (or more) digits of `number`, right-aligned at `end`. */
static void put_digits(char *end, int count, long long number)
{
    for (; count > 0; count--, number /= 10)
        *--end = (char)('0' + number % 10);
}

/* By arithmetic (days counted from 0000-03-01, so that leap days come last) instead of gmtime()
 * and printf(): an answer with fifty runs holds 150 of these. */
void clock_rfc3339(long long calendar_us, char ret_text[RFC3339_SIZE])
{
    if (calendar_us < 0)
        calendar_us = 0;
    if (calendar_us > CALENDAR_US_MAX)
        calendar_us = CALENDAR_US_MAX;

    long long seconds = calendar_us / US_PER_SECOND, of_day = seconds % 86400;
    long long days = seconds / 86400 + 719468;
    long long era = days / 146097, day_of_era = days % 146097;
    long long year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    long long day = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long long month = (5 * day + 2) / 153; /* 0 is March */
    long long year = year_of_era + era * 400 + (month >= 10);

    memcpy(ret_text, "0000-00-00T00:00:00.000Z", RFC3339_SIZE);
    put_digits(ret_text + 4, 4, year);
    put_digits(ret_text + 7, 2, month < 10 ? month + 3 : month - 9);
    put_digits(ret_text + 10, 2, day - (153 * month + 2) / 5 + 1);
    put_digits(ret_text + 13, 2, of_day / 3600);
    put_digits(ret_text + 16, 2, of_day / 60 % 60);
    put_digits(ret_text + 19, 2, of_day % 60);
    put_digits(ret_text + 23, 3, calendar_us / 1000 % 1000);
}
