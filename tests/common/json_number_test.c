#include "common/json_number.h"

#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <float.h>
#include <limits.h>

/* From memory of exactly its size, so that reading on is seen. Returns how far was read. */
static ptrdiff_t read_real(const char *text, double *ret_number)
{
    size_t length = strlen(text);
    AUTO(freep) char *exact = malloc(length > 0 ? length : 1);
    const char *at = exact;

    memcpy(exact, text, length);
    return json_number_read(&at, exact + length, ret_number) ? at - exact
                                                             : (at == exact ? -1 : -2);
}

static ptrdiff_t read_whole(const char *text, long long *ret_number)
{
    const char *at = text;
    bool ok = json_number_read_whole(&at, text + strlen(text), ret_number);

    return ok ? at - text : (at == text ? -1 : -2);
}

static bool same_bits(double left, double right)
{
    return memcmp(&left, &right, sizeof left) == 0;
}

TEST(whole_numbers_are_read_to_their_limits)
{
    static const struct {
        const char *text;
        long long number;
    } cases[] = {{"0", 0},
                 {"-0", 0},
                 {"7", 7},
                 {"-7", -7},
                 {"1000000000000000", 1000000000000000},
                 {"9223372036854775807", LLONG_MAX},
                 {"-9223372036854775807", -LLONG_MAX}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        long long number = 77;

        EXPECT_INT(read_whole(cases[i].text, &number), (long long)strlen(cases[i].text));
        EXPECT_INT(number, cases[i].number);
    }
}

TEST(what_is_no_whole_number_is_refused_and_nothing_moves)
{
    static const char *const texts[] = {
        "",    "-",   "+1",       "01", "-01", "1.0",   "1e3",  "1E3",  "9223372036854775808",
        "NaN", "nan", ".5",       "x",  " 1",  "\"1\"", "0x10", "null", "99999999999999999999",
        "--1", "-a",  "-Infinity"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        long long number = 77;
        ptrdiff_t got = read_whole(texts[i], &number);

        /* "0x10" is the number 0 and something behind it, which is for the caller to refuse. */
        EXPECT_INT(got, strcmp(texts[i], "0x10") == 0 ? 1 : -1);
        EXPECT_INT(number, got < 0 ? 77 : 0);
    }
}

TEST(reals_are_the_nearest_doubles)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.0",
                                        "1",
                                        "2.302585092994046",
                                        "6.9077552789821368",
                                        "0.1",
                                        "-0.30000000000000004",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "9007199254740993.0000000001",
                                        "0.000001",
                                        "1.7976931348623157e308",
                                        "2.2250738585072014e-308",
                                        "5e-324",
                                        "1e-7",
                                        "1E+7",
                                        "12345678901234567890123",
                                        "0.00000000000000000000000012345678901234567",
                                        "9007199254740992.5",
                                        "1.00000000000000011102230246251565404"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        double number = 77;

        EXPECT_INT(read_real(texts[i], &number), (long long)strlen(texts[i]));
        EXPECT(same_bits(number, strtod(texts[i], NULL)));
    }
}

TEST(what_is_no_real_is_refused)
{
    static const char *const texts[] = {
        "",
        "-",
        ".",
        "1.",
        "1.e5",
        ".5",
        "1e",
        "1e+",
        "1e999",
        "-1e309",
        "1e-999",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "inf",
        "+1",
        "00",
        "01.5",
        "1e99999999999999999999",
        "1.000000000000000000000000000000000000000000000000000000000000000"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        double number = 77;

        EXPECT_INT(read_real(texts[i], &number), -1);
        EXPECT_NEAR(number, 77, 0);
    }
}

TEST(a_number_ends_where_its_text_ends)
{
    const char *text = "12.5e3,7", *at = text;
    double number;

    EXPECT(json_number_read(&at, text + 8, &number));
    EXPECT_NEAR(number, 12500, 0);
    EXPECT_INT(at - text, 6);
    at = text;
    EXPECT(
        json_number_read(&at, text + 4, &number)); /* what stands behind the end is not there */
    EXPECT_NEAR(number, 12.5, 0);
    at = text;
    EXPECT(!json_number_read(&at, text + 3, &number)); /* "12." */
    EXPECT_INT(at - text, 0);
}

static void write_and_compare(double number)
{
    char text[JSON_NUMBER_SIZE], plain[JSON_NUMBER_SIZE];
    int length = json_number_write(number, text);
    double again;

    for (int precision = 15; precision <= 17; precision++) {
        snprintf(plain, sizeof plain, "%.*g", precision, number);
        if (same_bits(strtod(plain, NULL), number))
            break;
    }
    EXPECT_STR(text, plain);
    EXPECT_INT(length, (long long)strlen(text));
    EXPECT_INT(read_real(text, &again), length);
    EXPECT(same_bits(again, number));
}

TEST(what_is_written_is_the_shortest_that_reads_back)
{
    static const double numbers[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.1,
                                     0.2,
                                     0.3,
                                     0.1 + 0.2,
                                     1e-5,
                                     1e-4,
                                     9.9999e-5,
                                     0.00012345,
                                     1e14,
                                     1e15,
                                     1e16,
                                     1e17,
                                     1e22,
                                     1e23,
                                     1e100,
                                     DBL_MAX,
                                     DBL_MIN,
                                     DBL_TRUE_MIN,
                                     100,
                                     120,
                                     123456,
                                     0.5,
                                     9.5,
                                     99.5,
                                     999999999999999.9,
                                     0.9999999999999999,
                                     9.999999999999999,
                                     9.9999999999999982,
                                     2.302585092994046,
                                     6.9077552789821368,
                                     1.0 / 3,
                                     2.0 / 3,
                                     1e-3,
                                     4e9,
                                     3.0000000000000004,
                                     1000.0000000000001,
                                     4503599627370497.5};

    for (size_t i = 0; i < COUNT(numbers); i++) {
        write_and_compare(numbers[i]);
        write_and_compare(-numbers[i]);
    }
}

TEST(so_are_a_hundred_thousand_losses)
{
    struct chance chance = seeded(3);

    for (int i = 0; i < 20000 && test_failures == 0; i++) {
        double loss = 2.3 + normal(&chance);

        write_and_compare(loss);
        write_and_compare((float)loss); /* engines compute it in f32 as well */
        write_and_compare(exp(20 * normal(&chance)));
        write_and_compare(ceil(loss * 1000) / 1000);
        write_and_compare(loss * 1e9);
    }
}

TEST(any_bits_are_read_as_the_c_library_reads_them)
{
    struct chance chance = seeded(4);

    for (int i = 0; i < 50000 && test_failures == 0; i++) {
        uint64_t bits = chance_next(&chance);
        double number, read;
        char text[JSON_NUMBER_SIZE];

        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        write_and_compare(number);
        snprintf(text, sizeof text, "%.*f", (int)(bits % 18), (double)(bits >> 40) / 777);
        EXPECT(read_real(text, &read) > 0);
        EXPECT(same_bits(read, strtod(text, NULL)));
        snprintf(text, sizeof text, "%llu.%llue-%d", (unsigned long long)bits % 1000,
                 (unsigned long long)(bits >> 10) % 10000000000000000, (int)(bits >> 60));
        EXPECT(read_real(text, &read) > 0);
        EXPECT(same_bits(read, strtod(text, NULL)));
    }
}

TEST(whole_numbers_are_written_to_their_limits)
{
    static const long long numbers[] = {0, 1, -1, 9, 10, 1000000000000000, LLONG_MAX, LLONG_MIN};

    for (size_t i = 0; i < COUNT(numbers); i++) {
        char text[JSON_NUMBER_SIZE], plain[JSON_NUMBER_SIZE];

        snprintf(plain, sizeof plain, "%lld", numbers[i]);
        EXPECT_INT(json_number_write_whole(numbers[i], text), (long long)strlen(plain));
        EXPECT_STR(text, plain);
    }
}
