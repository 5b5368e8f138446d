/* Numbers are written as printf writes them, digit for digit, and rounded as it rounds. */
#include "common/json_number.h"

#include "engine/stats/stats.h"
#include "tests/test.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

static void expect_like_printf(double number)
{
    for (int precision = 1; precision <= 17; precision++) {
        char text[JSON_NUMBER_SIZE], expected[64];
        int length = json_number_print(number, precision, text);

        snprintf(expected, sizeof expected, "%.*g", precision, number);
        EXPECT_STR(text, expected);
        EXPECT_INT(length, (long long)strlen(expected));
        EXPECT(json_number_rounded(number, precision) == strtod(expected, NULL));
    }
}

static void expect_around(double number)
{
    double up = number, down = number;

    for (int i = 0; i < 4; i++) {
        expect_like_printf(up);
        expect_like_printf(-up);
        expect_like_printf(down);
        up = nextafter(up, INFINITY);
        down = nextafter(down, -INFINITY);
    }
}

TEST(at_the_ends_of_what_is_done_by_hand)
{
    static const double numbers[] = {0,
                                     -0.0,
                                     1e-4,
                                     0.00099999999999999999,
                                     0.1,
                                     0.5,
                                     1,
                                     9.9999999999999995,
                                     99999.999999999985,
                                     123456789,
                                     999999999999999,
                                     999999999999999.5,
                                     999999999999999.9,
                                     1e15,
                                     1e16,
                                     9007199254740992,
                                     DBL_MIN,
                                     DBL_TRUE_MIN,
                                     DBL_MAX,
                                     1e-5};

    for (size_t i = 0; i < COUNT(numbers); i++)
        expect_around(numbers[i]);
}

TEST(around_powers_of_ten_and_of_two)
{
    for (int i = -8; i <= 18; i++)
        expect_around(pow(10, i));
    for (int i = -16; i <= 52; i++)
        expect_around(ldexp(1, i));
}

/* Halves, for which the digit before decides: 0.5, 1.5, 2.5 ... of the last digit. */
TEST(halves_are_rounded_to_even)
{
    for (int i = 1; i < 64; i++) {
        expect_like_printf(100000000000000.0 + i * 0.03125);
        expect_like_printf(10000000000000.0 + i * 0.001953125);
        expect_like_printf(i * 0.015625);
    }
}

TEST(numbers_by_chance)
{
    struct chance chance = chance_from("number_print");

    for (int i = 0; i < 20000; i++) {
        uint64_t bits = chance_next(&chance);
        double number = (double)(bits >> 11) * pow(10, -25 + (double)chance_below(&chance, 30));
        double shorter = floor(number * 1000) / 1000;

        expect_like_printf(number);
        expect_like_printf(shorter);
    }
}
