#include "common/clock.h"

#include "tests/test.h"

#include <limits.h>
#include <time.h>

static const struct {
    long long calendar_us;
    const char *text;
} moments[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {1, "1970-01-01T00:00:00.000Z"},
    {999, "1970-01-01T00:00:00.000Z"}, /* cut, never rounded into a time to come */
    {1000, "1970-01-01T00:00:00.001Z"},
    {999999, "1970-01-01T00:00:00.999Z"},
    {1000000, "1970-01-01T00:00:01.000Z"},
    {86399999999, "1970-01-01T23:59:59.999Z"},
    {86400000000, "1970-01-02T00:00:00.000Z"},
    {1767323045678901, "2026-01-02T03:04:05.678Z"},
    {2147483648000000, "2038-01-19T03:14:08.000Z"}, /* beyond 32 bits of seconds */
    {253402300799999000, "9999-12-31T23:59:59.999Z"},
};

TEST(a_moment_is_written_in_utc_with_milliseconds)
{
    for (size_t i = 0; i < COUNT(moments); i++) {
        char text[RFC3339_SIZE];

        clock_rfc3339(moments[i].calendar_us, text);
        EXPECT_STR(text, moments[i].text);
    }
}

/* Every fifth day from 1970 to 9999 against the calendar of the C library. */
TEST(every_date_agrees_with_the_c_library)
{
    int wrong = 0;

    for (long long day = 0; day < 2932897; day += 5) {
        time_t seconds = (time_t)(day * 86400 + day % 86400);
        char text[RFC3339_SIZE], wanted[RFC3339_SIZE];
        struct tm parts;

        clock_rfc3339(seconds * 1000000LL + 7000, text);
        gmtime_r(&seconds, &parts);
        EXPECT_INT((long long)strftime(wanted, sizeof wanted, "%Y-%m-%dT%H:%M:%S.007Z", &parts),
                   RFC3339_SIZE - 1);
        if (strcmp(text, wanted) != 0 && wrong++ == 0)
            EXPECT_STR(text, wanted);
    }
    EXPECT_INT(wrong, 0);
}

TEST(the_calendar_clock_gives_the_time_of_day)
{
    long long before = (long long)time(NULL) * 1000000, now = clock_calendar_us();

    /* time() may run behind by a tick of the kernel's coarse clock, never by a second. */
    EXPECT(now >= before);
    EXPECT(now < before + 60 * 1000000LL);
}

/* A clock that was never set, or was set too far: still a time that documents can
 * have. 0 stands for no time. */
TEST(a_clock_beyond_what_can_be_written_stands_at_the_end)
{
    static const struct {
        long long seconds, us;
    } cases[] = {{-1, 1},
                 {LLONG_MIN / 2, 1},
                 {0, 1},
                 {1, 1000000},
                 {253402300799, CALENDAR_US_MAX - 999999},
                 {253402300800, CALENDAR_US_MAX},
                 {LLONG_MAX / 2, CALENDAR_US_MAX}};
    char text[RFC3339_SIZE];

    for (size_t i = 0; i < COUNT(cases); i++)
        EXPECT_INT(clock_calendar_us_of(cases[i].seconds, 0), cases[i].us);
    clock_rfc3339(CALENDAR_US_MAX, text);
    EXPECT_STR(text, "9999-12-31T23:59:59.999Z");
    clock_rfc3339(LLONG_MAX, text);
    EXPECT_STR(text, "9999-12-31T23:59:59.999Z");
    clock_rfc3339(-1, text);
    EXPECT_STR(text, "1970-01-01T00:00:00.000Z");
    clock_rfc3339(LLONG_MIN, text);
    EXPECT_STR(text, "1970-01-01T00:00:00.000Z");
}

TEST(the_monotonic_clock_counts_nanoseconds_and_never_goes_back)
{
    struct timespec nap = {.tv_nsec = 5 * NS_PER_MS};
    long long start = clock_monotonic_ns(), last = start;

    for (int i = 0; i < 10000; i++) {
        long long now = clock_monotonic_ns();

        EXPECT(now >= last);
        last = now;
    }
    start = clock_monotonic_ns();
    nanosleep(&nap, NULL);
    last = clock_monotonic_ns();
    EXPECT(last - start >= 5 * NS_PER_MS);
    EXPECT(last - start < 30 * NS_PER_SECOND);
}
