#include "common/rfc3339.h"

#include "tests/test.h"

#include <time.h>

static bool read_text(const char *text, long long *ret_us)
{
    return rfc3339_read((struct span){text, strlen(text)}, ret_us);
}

TEST(times_are_read)
{
    static const struct {
        const char *text;
        long long us;
    } cases[] = {
        {"1970-01-01T00:00:00.000001Z", 1},
        {"1970-01-01T00:00:01Z", 1000000},
        {"2000-02-29T12:34:56Z", 951827696000000},
        {"2026-11-21T15:08:17.123Z", 1795273697123000},
        {"2026-11-21T15:08:17.123456+00:00", 1795273697123456},
        {"2026-11-21T15:08:17.123456999Z", 1795273697123456},
        {"9999-12-31T23:59:59.999999Z", 253402300799999999},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        long long us = 77;

        EXPECT(read_text(cases[i].text, &us));
        EXPECT_INT(us, cases[i].us);
    }
}

TEST(a_text_that_is_not_a_time_is_refused)
{
    static const char *const texts[] = {
        "",
        "2026-11-21",
        "2026-11-21T15:08:17",
        "2026-11-21 15:08:17Z",
        "2026-11-21T15:08:17z",
        "2026-11-21T15:08:17.Z",
        "2026-11-21T15:08:17.1234567890Z",
        "2026-11-21T15:08:17,5Z",
        "2026-11-21T15:08:17+01:00",
        "2026-11-21T15:08:17ZZ",
        "2026-11-21T24:00:00Z",
        "2026-11-21T15:60:00Z",
        "2026-11-21T15:08:60Z",
        "2026-11-31T15:08:17Z",
        "2026-02-29T15:08:17Z",
        "2100-02-29T15:08:17Z",
        "2026-00-21T15:08:17Z",
        "2026-13-21T15:08:17Z",
        "2026-11-00T15:08:17Z",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00Z", /* which stands for no time at all */
        "0000-01-01T00:00:00Z",
        "-026-11-21T15:08:17Z",
        "10000-01-01T00:00:00Z",
        "2026-11-21T15:08:1",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        long long us = 77;

        EXPECT(!read_text(texts[i], &us));
        EXPECT_INT(us, 77);
    }
}

TEST(a_written_text_is_read_back_unchanged)
{
    for (long long us = 1; us < 253402300800000000; us += 3456789012345678) {
        char text[RFC3339_TEXT_SIZE], calendar[40];
        time_t seconds = us / 1000000;
        struct tm parts;
        long long read;

        rfc3339_write(us, text);
        EXPECT(read_text(text, &read));
        EXPECT_INT(read, us);
        gmtime_r(&seconds, &parts);
        strftime(calendar, sizeof calendar, "%Y-%m-%dT%H:%M:%S", &parts);
        EXPECT(strncmp(text, calendar, strlen(calendar)) == 0);
    }
}

TEST(milliseconds_are_written_unless_there_is_more)
{
    char text[RFC3339_TEXT_SIZE];

    rfc3339_write(1795273697123000, text);
    EXPECT_STR(text, "2026-11-21T15:08:17.123Z");
    rfc3339_write(1795273697123045, text);
    EXPECT_STR(text, "2026-11-21T15:08:17.123045Z");
}
