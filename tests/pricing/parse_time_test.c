/* Times as others write them. */
#include "pricing/parse_time.h"

#include "tests/test.h"

#define UNTOUCHED (-77)
#define SECOND 1000000LL

static long long when(const char *text)
{
    long long us = UNTOUCHED;

    if (!parse_time(text, &us))
        EXPECT_INT(us, UNTOUCHED);
    return us;
}

static long long http(const char *text)
{
    long long us = UNTOUCHED;

    if (!parse_time_http(text, &us))
        EXPECT_INT(us, UNTOUCHED);
    return us;
}

TEST(times_are_read_with_fractions_and_offsets)
{
    EXPECT_INT(when("2026-08-06T17:17:52Z"), 1786036672 * SECOND);
    EXPECT_INT(when("2026-08-06 17:17:52"), 1786036672 * SECOND);
    EXPECT_INT(when("2026-08-06T19:17:52+02:00"), 1786036672 * SECOND);
    EXPECT_INT(when("2026-08-06T19:17:52+0200"), 1786036672 * SECOND);
    EXPECT_INT(when("2026-08-06T11:47:52-05:30"), 1786036672 * SECOND);
    EXPECT_INT(when("2026-08-06T17:17:52.5Z"), 1786036672 * SECOND + 500000);
    EXPECT_INT(when("2026-08-06T17:17:52.123456Z"), 1786036672 * SECOND + 123456);
    EXPECT_INT(when("2026-08-06T17:17:52.1234569Z"), 1786036672 * SECOND + 123456);
    EXPECT_INT(when("2026-08-06T17:17:52.000+00:00"), 1786036672 * SECOND);
    EXPECT_INT(when("2026-08-06"), 1785974400 * SECOND);
}

TEST(only_from_1970_to_9999)
{
    EXPECT_INT(when("1970-01-01T00:00:00Z"), 0);
    EXPECT_INT(when("1969-12-31T23:59:59Z"), UNTOUCHED);
    EXPECT_INT(when("1970-01-01T00:00:00+00:01"), UNTOUCHED);
    EXPECT_INT(when("1970-01-01T02:00:00+02:00"), 0);
    EXPECT_INT(when("0000-01-01"), UNTOUCHED);
    EXPECT_INT(when("9999-12-31T23:59:59.999999Z"), 253402300800 * SECOND - 1);
    EXPECT_INT(when("9999-12-31T23:59:59-00:01"), UNTOUCHED);
    EXPECT_INT(when("9999-12-31T23:59:59-23:59"), UNTOUCHED);
    EXPECT_INT(when("10000-01-01"), UNTOUCHED);
}

/* What is kept as 0 is a time that is not known. */
TEST(a_person_does_not_give_the_first_moment_of_1970)
{
    static const char *const wrong[] = {"1970-01-01T00:00:00Z", "1970-01-01T02:00:00+02:00",
                                        "1970-01-01", "1969-12-31", ""};
    long long us = 7;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(!parse_time_given(wrong[i], &us));
    EXPECT_INT(us, 7);
    EXPECT(parse_time_given("1970-01-01T00:00:00.000001Z", &us));
    EXPECT_INT(us, 1);
}

TEST(days_that_are_not_are_refused)
{
    EXPECT(when("2028-02-29") > 0);
    EXPECT_INT(when("2026-02-29"), UNTOUCHED);
    EXPECT_INT(when("2100-02-29"), UNTOUCHED);
    EXPECT_INT(when("2026-04-31"), UNTOUCHED);
    EXPECT_INT(when("2026-00-10"), UNTOUCHED);
    EXPECT_INT(when("2026-13-10"), UNTOUCHED);
    EXPECT_INT(when("2026-01-00"), UNTOUCHED);
    EXPECT_INT(when("2026-08-06T24:00:00Z"), UNTOUCHED);
    EXPECT_INT(when("2026-08-06T17:60:00Z"), UNTOUCHED);
    EXPECT_INT(when("2026-08-06T17:17:61Z"), UNTOUCHED);
    EXPECT_INT(when("2026-08-06T17:17:99Z"), UNTOUCHED);
    EXPECT_INT(when("2026-08-06T17:17:52+24:00"), UNTOUCHED);
    EXPECT_INT(when("2026-08-06T17:17:52+02:60"), UNTOUCHED);
}

TEST(a_text_that_is_not_a_time_is_refused)
{
    EACH_TEXT(wrong, "", "now", "1786036672", "2026", "2026-08", "2026-8-6", "2026/08/06",
              "06.08.2026", "2026-08-06T", "2026-08-06T17", "2026-08-06T17:17",
              "2026-08-06T17:17:5", "2026-08-06T17:17:52z ", "2026-08-06T17:17:52Zz",
              "2026-08-06T17:17:52 Z", "2026-08-06T17:17:52,5Z", "2026-08-06T17:17:52.Z",
              "2026-08-06T17:17:52.", "2026-08-06T17:17:52+", "2026-08-06T17:17:52+2",
              "2026-08-06T17:17:52+02", "2026-08-06T17:17:52+02:0", "2026-08-06T17:17:52 UTC",
              " 2026-08-06", "2026-08-06 ", "2026-08-06Z", "-026-08-06", "+2026-08-06",
              "2026-08-06T-1:17:52Z")
        EXPECT_INT(when(wrong), UNTOUCHED);
}

TEST(http_has_dates_of_its_own)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

    EXPECT_INT(http("Thu, 06 Aug 2026 17:17:52 GMT"), 1786036672 * SECOND);
    for (size_t i = 0; i < COUNT(months); i++) {
        char text[40], same[40];

        snprintf(text, sizeof text, "Mon, 02 %s 2026 00:00:00 GMT", months[i]);
        snprintf(same, sizeof same, "2026-%02zu-02", i + 1);
        EXPECT_INT(http(text), when(same));
    }
}

TEST(a_text_that_is_not_an_http_date_is_refused)
{
    EACH_TEXT(wrong, "", ",", ", ", "Thu", "2026-08-06T17:17:52Z", "Thu, 6 Aug 2026 17:17:52 GMT",
              "Thu,06 Aug 2026 17:17:52 GMT", "Thu, 06 aug 2026 17:17:52 GMT",
              "Thu, 06 anF 2026 17:17:52 GMT", "Thu, 06 Au 2026 17:17:52 GMT",
              "Thu, 06 Aug 26 17:17:52 GMT", "Thu, 06 Aug 2026 17:17:52",
              "Thu, 06 Aug 2026 17:17:52 CET", "Thu, 06 Aug 2026 17:17:52 GMT ",
              "Thu, 31 Feb 2026 17:17:52 GMT", "Thu, 06 Aug 2026 24:17:52 GMT",
              "Thu, 06 Aug 2026 17:17:60 GMT", "Thu, 06 Aug 1969 17:17:52 GMT",
              "Thursday, 06-Aug-26 17:17:52 GMT", "Thu Aug  6 17:17:52 2026", "Thu, 06 Aug",
              "Thu, 06 ")
        EXPECT_INT(http(wrong), UNTOUCHED);
}
