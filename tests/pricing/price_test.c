/* What a price is, and how exactly it is read: to the last tenth of a billionth. */
#include "pricing/price.h"

#include "common/json_number.h"
#include "tests/test.h"

#include <math.h>

#define UNTOUCHED (-77)

static long long nanos_of(const char *text)
{
    long long nanos = UNTOUCHED;

    if (!price_read_nanos(text, &nanos))
        EXPECT_INT(nanos, UNTOUCHED); /* written only on success */
    else
        EXPECT(nanos > 0 && nanos <= PRICE_NANOS_MAX);
    return nanos;
}

TEST(decimals_are_read_exactly)
{
    EXPECT_INT(nanos_of("0.3570000000"), 357000000);
    EXPECT_INT(nanos_of("1"), 1000000000);
    EXPECT_INT(nanos_of("0.000000001"), 1);
    EXPECT_INT(nanos_of("98.32"), 98320000000);
    EXPECT_INT(nanos_of("0.1"), 100000000);   /* which no double is */
    EXPECT_INT(nanos_of("4.35"), 4350000000); /* 4.3499999999999996 as a double */
    EXPECT_INT(nanos_of("007.50"), 7500000000);
    EXPECT_INT(nanos_of("100000"), PRICE_NANOS_MAX);
    EXPECT_INT(nanos_of("99999.999999999"), PRICE_NANOS_MAX - 1);
}

TEST(exponents_are_numbers_too)
{
    EXPECT_INT(nanos_of("9.0E-4"), 900000);
    EXPECT_INT(nanos_of("9e-4"), 900000);
    EXPECT_INT(nanos_of("1e0"), 1000000000);
    EXPECT_INT(nanos_of("1.5e+2"), 150000000000);
    EXPECT_INT(nanos_of("0.00015E3"), 150000000);
    EXPECT_INT(nanos_of("12345.0e-004"), 1234500000);
    EXPECT_INT(nanos_of("1e-9"), 1);
    EXPECT_INT(nanos_of("1e5"), PRICE_NANOS_MAX);
    EXPECT_INT(nanos_of("1000000000000000000000000000000e-30"), 1000000000);
}

TEST(the_tenth_decimal_rounds_half_up)
{
    EXPECT_INT(nanos_of("0.0000000014"), 1);
    EXPECT_INT(nanos_of("0.0000000015"), 2);
    EXPECT_INT(nanos_of("0.00000000149999999"), 1); /* once, and not digit by digit */
    EXPECT_INT(nanos_of("0.0000000025"), 3);
    EXPECT_INT(nanos_of("0.9999999995"), 1000000000);
    EXPECT_INT(nanos_of("0.0000000005"), 1);
    EXPECT_INT(nanos_of("5e-10"), 1);
}

TEST(nothing_costs_nothing)
{
    EACH_TEXT(nothing, "0", "0.0", "0000", "0.0000000000", "0e5", "1e-10", "4.9e-10",
              "0.00000000049", "1e-40")
        EXPECT_INT(nanos_of(nothing), UNTOUCHED);
}

TEST(a_text_that_is_not_a_plain_decimal_is_not_a_price)
{
    EACH_TEXT(wrong, "", " ", "-1", "+1", "-0.5", "nan", "NaN", "inf", "Infinity", "0x10",
              "0x1p3", " 1", "1 ", "1\n", "1,5", "1,000", "1.", ".5", ".", "1..2", "1.2.3", "1e",
              "1e+", "1e 1", "1e1.5", "e5", "1f", "$1", "1 USD", "N/A*", "null", "1e41", "1e-41",
              "1_0", "0b1", "1e+-2", "1e--2", "--1", "1e999999999999999999999",
              "1e-999999999999999999999", "\xd9\xa1" /* a digit, but in Arabic */)
        EXPECT_INT(nanos_of(wrong), UNTOUCHED);
}

TEST(more_than_any_machine_costs_is_no_price)
{
    char digits[400] = "";

    EXPECT_INT(nanos_of("100000.000000001"), UNTOUCHED);
    EXPECT_INT(nanos_of("100001"), UNTOUCHED);
    EXPECT_INT(nanos_of("99999.9999999995"), PRICE_NANOS_MAX); /* rounds to what is allowed */
    EXPECT_INT(nanos_of("100000.0000000005"), UNTOUCHED);
    EXPECT_INT(nanos_of("9223372036854775808"), UNTOUCHED);
    EXPECT_INT(nanos_of("18446744073709551617e-9"), UNTOUCHED);
    EXPECT_INT(nanos_of("1e40"), UNTOUCHED);
    memset(digits, '9', sizeof digits - 1);
    EXPECT_INT(nanos_of(digits), UNTOUCHED);
    memset(digits, '0', sizeof digits - 1);
    EXPECT_INT(nanos_of(digits), UNTOUCHED);
    digits[sizeof digits - 2] = '1';
    EXPECT_INT(nanos_of(digits), 1000000000);
}

TEST(nanos_are_written_as_the_shortest_decimal)
{
    static const struct {
        long long nanos;
        const char *text;
    } rows[] = {{357000000, "0.357"}, {1, "0.000000001"},          {1000000000, "1"},
                {10000000000, "10"},  {1000000001, "1.000000001"}, {PRICE_NANOS_MAX, "100000"},
                {900000, "0.0009"},   {120000000000, "120"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[PRICE_TEXT_SIZE];

        price_write_nanos(rows[i].nanos, text);
        EXPECT_STR(text, rows[i].text);
        EXPECT_INT(nanos_of(text), rows[i].nanos);
    }
}

TEST(a_price_keeps_the_text_as_it_was_received)
{
    struct price price = {.nanos = 5, .text = "old"};

    EXPECT(price_set(&price, "9.0E-4"));
    EXPECT_HAS(price, (text, "9.0E-4"), (nanos, 900000));
    EXPECT(!price_set(&price, "nothing"));
    /* Longer than there is room for: cutting it could make another number of it. */
    EXPECT(!price_set(&price, "1.00000000000000000000000000000000000000"));
    EXPECT_HAS(price, (text, "9.0E-4"), (nanos, 900000));
    EXPECT(price_set(&price, "1.0000000000000000000000000000000000000"));
    EXPECT_INT((long long)strlen(price.text), (long long)sizeof price.text - 1);
}

TEST(a_number_of_json_has_the_shortest_text_that_reads_back)
{
    static const struct {
        double number;
        const char *text;
        long long nanos;
    } rows[] = {
        {0.1, "0.1", 100000000},
        {4.35, "4.35", 4350000000},
        {0.0009, "0.0009", 900000},
        {0.00001, "1e-05", 10000},
        {7, "7", 7000000000},
        {100000, "100000", PRICE_NANOS_MAX},
        {0.1 + 0.2, "0.30000000000000004", 300000000},
        {5.1234567890123457, "5.123456789012346", 5123456789}, /* with one digit fewer */
    };
    struct price price;

    for (size_t i = 0; i < COUNT(rows); i++) {
        EXPECT(price_set_number(&price, rows[i].number));
        EXPECT_SAME(price, rows[i], text, nanos);
        EXPECT_NEAR(strtod(price.text, NULL), rows[i].number, 0);
    }
}

TEST(a_number_that_is_no_price_is_refused)
{
    struct price price = {.nanos = 5, .text = "5e-9"};

    EACH(double, wrong, 0, -0.0, -1, 1e-10, 1e-300, 100000.1, 1e300)
        EXPECT(!price_set_number(&price, wrong));
    EXPECT(!price_set_number(&price, (double)NAN));
    EXPECT(!price_set_number(&price, (double)INFINITY));
    EXPECT(!price_set_number(&price, -(double)INFINITY));
    EXPECT_HAS(price, (nanos, 5), (text, "5e-9"));
}

TEST(a_word_fits_is_there_and_is_printable)
{
    char member[6] = "old";

    EXPECT(!PRICE_WORD(member, ""));
    EXPECT(!PRICE_WORD(member, "123456"));
    EXPECT(!PRICE_WORD(member, "a\tb"));
    EXPECT(!PRICE_WORD(member, "a\x7f"));
    EXPECT(!PRICE_WORD(member, "\xc3\xa9"));
    EXPECT_STR(member, "old");
    EXPECT(PRICE_WORD(member, "a ~!5"));
    EXPECT_STR(member, "a ~!5");
}

TEST(kinds_have_names_and_no_others)
{
    enum price_kind kind = PRICE_OWN;

    for (int i = PRICE_ON_DEMAND; i < PRICE_KINDS; i++) {
        EXPECT(price_kind_from_name(price_kind_name((enum price_kind)i), &kind));
        EXPECT_INT(kind, i);
    }
    EXPECT_STR(price_kind_name(PRICE_SPOT), "spot");
    EXPECT(price_kind_names[PRICE_KINDS] == NULL);
    EXPECT(price_given_kind_names[PRICE_OWN + 1] == NULL);
    EXPECT(!price_kind_from_name("", &kind));
    EXPECT(!price_kind_from_name("Spot", &kind));
    EXPECT(!price_kind_from_name("reserved", &kind));
    EXPECT_INT(kind, PRICE_KINDS - 1); /* as it was */
}

TEST(an_amount_may_be_nothing_and_more_than_an_hour_costs)
{
    long long nanos = UNTOUCHED;

    EXPECT(price_read_amount("0.0000000000", &nanos));
    EXPECT_INT(nanos, 0);
    EXPECT(price_read_amount("812345.67", &nanos));
    EXPECT_INT(nanos, 812345670000000);
    EXPECT(!price_read_amount("1000000000", &nanos));
    EXPECT(!price_read_amount("-1", &nanos));
    EXPECT(!price_read_amount("", &nanos));
    EXPECT_INT(nanos, 812345670000000);
}

TEST(what_was_multiplied_is_written_to_the_nano)
{
    static const struct {
        double dollars;
        const char *text;
    } rows[] = {{32.7726 * 0.7, "22.94082"},
                {81.52000000000001, "81.52"},
                {0.1 + 0.2, "0.3"},
                {0.0000000004, "4e-10"},
                {123456.7890123456, "123456.789012346"},
                {12345678.123456789, "12345678.1234568"},
                {0, "0"}};
    char text[PRICE_TEXT_SIZE];

    for (size_t i = 0; i < COUNT(rows); i++) {
        json_number_write(price_exact(rows[i].dollars), text);
        EXPECT_STR(text, rows[i].text);
    }
    EXPECT(isnan(price_exact(NAN)));
}
