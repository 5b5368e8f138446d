#include "pricing/parse_time.h"

#include "common/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define YEAR_10000 253402300800LL /* its first second */

/* Reads exactly `count` digits. */
static bool time_digits(const char **text, int count, int *ret_number)
{
    int number = 0;

    for (int i = 0; i < count; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        number = number * 10 + (**text - '0');
    }
    *ret_number = number;
    return true;
}

static bool time_mark(const char **text, char expected)
{
    if (**text != expected)
        return false;
    (*text)++;
    return true;
}

/* Where there is a point there are digits. */
static bool time_fraction(const char **text, long long *ret_us)
{
    long long us = 0, unit = US_PER_SECOND / 10;

    if (!time_mark(text, '.'))
        return true;
    if (**text < '0' || **text > '9')
        return false;
    for (; **text >= '0' && **text <= '9'; (*text)++, unit /= 10)
        us += (**text - '0') * unit;
    *ret_us = us;
    return true;
}

/* "Z", "+02:00", or nothing, which feeds use for UTC. */
static bool time_offset(const char **text, int *ret_seconds)
{
    int hours, minutes, sign = **text == '-' ? -1 : 1;

    *ret_seconds = 0;
    if (**text == '\0' || time_mark(text, 'Z'))
        return true;
    if (**text != '+' && **text != '-')
        return false;
    (*text)++;
    if (!time_digits(text, 2, &hours) || (time_mark(text, ':'), !time_digits(text, 2, &minutes)))
        return false;
    *ret_seconds = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

/* Only days that exist. */
static bool to_us(struct tm *when, int zone_seconds, long long us, long long *ret_us)
{
    struct tm same = *when;
    time_t seconds = timegm(&same);

    if (same.tm_mday != when->tm_mday || same.tm_mon != when->tm_mon ||
        same.tm_hour != when->tm_hour || same.tm_min != when->tm_min)
        return false;
    if (seconds < zone_seconds || seconds - zone_seconds >= YEAR_10000)
        return false;
    *ret_us = (seconds - zone_seconds) * US_PER_SECOND + us;
    return true;
}

bool parse_time(const char *text, long long *ret_us)
{
    struct tm when = {0};
    int zone_seconds = 0;
    long long us = 0;

    if (!time_digits(&text, 4, &when.tm_year) || !time_mark(&text, '-') ||
        !time_digits(&text, 2, &when.tm_mon) || !time_mark(&text, '-') ||
        !time_digits(&text, 2, &when.tm_mday))
        return false;
    if (*text == 'T' || *text == ' ') {
        text++;
        if (!time_digits(&text, 2, &when.tm_hour) || !time_mark(&text, ':') ||
            !time_digits(&text, 2, &when.tm_min) || !time_mark(&text, ':') ||
            !time_digits(&text, 2, &when.tm_sec))
            return false;
        if (!time_fraction(&text, &us) || !time_offset(&text, &zone_seconds))
            return false;
    }
    when.tm_year -= 1900;
    when.tm_mon -= 1;
    return *text == '\0' && to_us(&when, zone_seconds, us, ret_us);
}

bool parse_time_given(const char *text, long long *ret_us)
{
    long long us;

    if (!parse_time(text, &us) || us == 0)
        return false;
    *ret_us = us;
    return true;
}

bool parse_time_http(const char *text, long long *ret_us)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm when = {0};
    const char *comma = strchr(text, ','), *month;
    char name[4] = "";

    if (!comma || comma[1] != ' ')
        return false;
    text = comma + 2;
    if (!time_digits(&text, 2, &when.tm_mday) || !time_mark(&text, ' ') || strlen(text) < 4)
        return false;
    memcpy(name, text, 3);
    month = strstr(months, name);
    if (!month || (month - months) % 3 != 0)
        return false;
    when.tm_mon = (int)(month - months) / 3;
    text += 3;
    if (!time_mark(&text, ' ') || !time_digits(&text, 4, &when.tm_year) ||
        !time_mark(&text, ' ') || !time_digits(&text, 2, &when.tm_hour) ||
        !time_mark(&text, ':') || !time_digits(&text, 2, &when.tm_min) ||
        !time_mark(&text, ':') || !time_digits(&text, 2, &when.tm_sec))
        return false;
    when.tm_year -= 1900;
    return strcmp(text, " GMT") == 0 && to_us(&when, 0, 0, ret_us);
}
