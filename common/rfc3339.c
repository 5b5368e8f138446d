#include "common/rfc3339.h"

#include "common/clock.h"

struct civil {
    int year, month, day, hour, minute, second;
};

/* `pattern` has a 0 for each digit, which follow each other into `*ret_numbers`. */
static bool rfc3339_follows(const char *text, const char *pattern, int *ret_numbers)
{
    bool inside = false;

    for (; *pattern; pattern++, text++) {
        if (*pattern != '0') {
            if (*text != *pattern)
                return false;
            inside = false;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        if (!inside)
            *ret_numbers++ = 0;
        inside = true;
        ret_numbers[-1] = ret_numbers[-1] * 10 + (*text - '0');
    }
    return true;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && leap);
}

static bool rfc3339_exists(const struct civil *civil)
{
    return civil->year >= 1970 && civil->month >= 1 && civil->month <= 12 && civil->day >= 1 &&
           civil->day <= days_of_month(civil->year, civil->month) && civil->hour < 24 &&
           civil->minute < 60 && civil->second < 60;
}

/* Days since 1970, counted in years that begin in March, so that leap days come last. */
static long long days_of(const struct civil *civil)
{
    long long year = civil->year - (civil->month <= 2);
    long long month = (civil->month + 9) % 12;

    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + civil->day -
           1 - 719468;
}

/* After the seconds: an optional fraction. Returns its length, or -1. */
static int read_fraction(const char *text, size_t length, long long *ret_us)
{
    long long unit = US_PER_SECOND / 10;
    size_t used = 1;

    *ret_us = 0;
    if (length == 0 || *text != '.')
        return 0;
    for (; used < length && text[used] >= '0' && text[used] <= '9'; used++, unit /= 10)
        *ret_us += unit * (text[used] - '0');
    return used > 1 && used <= 10 ? (int)used : -1;
}

bool rfc3339_read(struct span text, long long *ret_us)
{
    static const char pattern[] = "0000-00-00T00:00:00";
    const size_t fixed = sizeof pattern - 1;
    int numbers[6], fraction;
    long long us, total;

    if (text.length < fixed || !rfc3339_follows(text.start, pattern, numbers))
        return false;
    const struct civil civil = {numbers[0], numbers[1], numbers[2],
                                numbers[3], numbers[4], numbers[5]};
    fraction = read_fraction(text.start + fixed, text.length - fixed, &us);
    if (fraction < 0 || !rfc3339_exists(&civil))
        return false;
    text.start += fixed + (size_t)fraction;
    text.length -= fixed + (size_t)fraction;
    if (!span_is(text, "Z") && !span_is(text, "+00:00"))
        return false;
    total = (days_of(&civil) * 86400 + civil.hour * 3600 + civil.minute * 60 + civil.second) *
            US_PER_SECOND;
    if (total + us <= 0)
        return false; /* 0 stands for no time at all */
    *ret_us = total + us;
    return true;
}

void rfc3339_write(long long calendar_us, char ret_text[RFC3339_TEXT_SIZE])
{
    char *end = ret_text + RFC3339_SIZE - 2;
    int us = (int)(calendar_us % 1000);

    clock_rfc3339(calendar_us, ret_text);
    if (us == 0)
        return;
    *end++ = (char)('0' + us / 100);
    *end++ = (char)('0' + us / 10 % 10);
    *end++ = (char)('0' + us % 10);
    *end++ = 'Z';
    *end = '\0';
}
