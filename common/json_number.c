#include "common/json_number.h"

#include "common/cleanup.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 19 /* that always fit 64 bits */
#define EXACT_POWER 22
#define EXACT_DIGITS (1ULL << DBL_MANT_DIG)

/* What is written in a number: digits * 10^exponent. */
struct decimal {
    bool negative, whole;
    bool cut; /* there were more digits than fit */
    uint64_t digits;
    int count; /* of digits that count, leading zeros aside */
    int exponent;
};

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG == 64
/* Powers of ten that 64 bits of mantissa hold exactly. */
#define WIDE_POWER 27
static const long double wide_powers[WIDE_POWER + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
#endif

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

/* Reads consecutive digits; returns how many. */
static int take_digits(const char **at, const char *end, struct decimal *decimal)
{
    const char *first = *at;

    for (; is_digit(*at, end); (*at)++) {
        if (decimal->count == 0 && **at == '0')
            continue;
        if (++decimal->count > DIGITS_MAX)
            decimal->cut = true;
        else
            decimal->digits = decimal->digits * 10 + (uint64_t)(**at - '0');
    }
    return (int)(*at - first);
}

static bool read_exponent(const char **at, const char *end, struct decimal *decimal)
{
    bool negative = false;
    int exponent = 0;

    (*at)++;
    if (*at < end && (**at == '+' || **at == '-'))
        negative = *(*at)++ == '-';
    if (!is_digit(*at, end))
        return false;
    for (; is_digit(*at, end); (*at)++)
        if (exponent < 100000)
            exponent = exponent * 10 + (**at - '0');
    decimal->exponent += negative ? -exponent : exponent;
    return true;
}

static bool read_decimal(const char **at, const char *end, struct decimal *ret_decimal)
{
    struct decimal decimal = {.whole = true};
    const char *text = *at;

    if ((size_t)(end - text) > NUMBER_LENGTH_MAX)
        end = text + NUMBER_LENGTH_MAX + 1; /* nothing longer is a number of ours */
    const char *start = text;
    if (text < end && *text == '-') {
        decimal.negative = true;
        text++;
    }
    bool zero = text < end && *text == '0';
    int digits = take_digits(&text, end, &decimal);
    if (digits == 0 || (zero && digits > 1))
        return false;
    if (text < end && *text == '.') {
        decimal.whole = false;
        text++;
        digits = take_digits(&text, end, &decimal);
        if (digits == 0)
            return false;
        decimal.exponent = -digits;
    }
    if (text < end && (*text == 'e' || *text == 'E')) {
        decimal.whole = false;
        if (!read_exponent(&text, end, &decimal))
            return false;
    }
    if (text - start > NUMBER_LENGTH_MAX)
        return false;
    *at = text;
    *ret_decimal = decimal;
    return true;
}

bool json_number_read_whole(const char **at, const char *end, long long *ret_number)
{
    const char *start = *at;
    struct decimal decimal;

    if (!read_decimal(at, end, &decimal) || !decimal.whole || decimal.cut ||
        decimal.digits > LLONG_MAX) {
        *at = start;
        return false;
    }
    *ret_number = decimal.negative ? -(long long)decimal.digits : (long long)decimal.digits;
    return true;
}

/* Sixteen and seventeen digits: 64 bits of mantissa are eleven more than the answer has. They are
 * rounded correctly, and rounding again goes wrong only where those eleven say "just half". */
static bool through_wide(const struct decimal *decimal, double *ret_number)
{
#if LDBL_MANT_DIG == 64
    int exponent = decimal->exponent;
    long double wide = (long double)decimal->digits;
    uint64_t mantissa;

    if (exponent < -WIDE_POWER || exponent > WIDE_POWER)
        return false;
    wide = exponent < 0 ? wide / wide_powers[-exponent] : wide * wide_powers[exponent];
    memcpy(&mantissa, &wide, sizeof mantissa);
    if ((mantissa & 0x7ff) == 0x400)
        return false;
    *ret_number = (double)wide;
    return true;
#else
    (void)decimal;
    (void)ret_number;
    return false;
#endif
}

/* False if only the C library can decide. */
static bool decimal_read(const struct decimal *decimal, double *ret_number)
{
    int exponent = decimal->exponent;

    if (decimal->cut)
        return false;
    if (decimal->digits == 0) {
        *ret_number = 0;
        return true;
    }
    /* Both numbers are exact, so the one operation on them rounds correctly. */
    if (decimal->digits <= EXACT_DIGITS && exponent >= -EXACT_POWER && exponent <= EXACT_POWER) {
        *ret_number = exponent < 0 ? (double)decimal->digits / powers[-exponent]
                                   : (double)decimal->digits * powers[exponent];
        return true;
    }
    return through_wide(decimal, ret_number);
}

bool json_number_read(const char **at, const char *end, double *ret_number)
{
    const char *start = *at, *behind = *at;
    char copy[NUMBER_LENGTH_MAX + 1];
    struct decimal decimal;
    double number;

    if (!read_decimal(&behind, end, &decimal))
        return false;
    if (decimal_read(&decimal, &number)) {
        *ret_number = decimal.negative ? -number : number;
        *at = behind;
        return true;
    }
    memcpy(copy, start, (size_t)(behind - start));
    copy[behind - start] = '\0';
    number = strtod(copy, NULL);
    if (!isfinite(number) || fpclassify(number) == FP_ZERO)
        return false;
    *ret_number = number;
    *at = behind;
    return true;
}

int json_number_write_whole(long long number, char ret_text[JSON_NUMBER_SIZE])
{
    unsigned long long left =
        number < 0 ? 0ULL - (unsigned long long)number : (unsigned long long)number;
    char reversed[JSON_NUMBER_SIZE];
    int count = 0, length = 0;

    do {
        reversed[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        ret_text[length++] = '-';
    while (count > 0)
        ret_text[length++] = reversed[--count];
    ret_text[length] = '\0';
    return length;
}

/* In between every product below is a whole number of less than 128 bits, so digits are exact. */
#define SMALLEST 1e-4 /* below, %g writes an exponent */
#define LARGEST 1e15  /* from here on it may */
#define FRACTION_BITS 52
#define PRINTED_MIN 15 /* digits that always read back */
#define PRINTED_MAX 17 /* digits that every number reads back from */

__extension__ typedef unsigned __int128 wide_number;

static const uint64_t powers_of_five[] = {1,
                                          5,
                                          25,
                                          125,
                                          625,
                                          3125,
                                          15625,
                                          78125,
                                          390625,
                                          1953125,
                                          9765625,
                                          48828125,
                                          244140625,
                                          1220703125,
                                          6103515625,
                                          30517578125,
                                          152587890625,
                                          762939453125,
                                          3814697265625,
                                          19073486328125,
                                          95367431640625,
                                          476837158203125,
                                          2384185791015625};
#define POWER_MAX ((int)(sizeof powers_of_five / sizeof *powers_of_five) - 1)

/* mantissa * 2^exponent */
struct binary {
    uint64_t mantissa;
    int exponent;
};

/* 10^power times the number, rounded as printf does: half to even. False where it has no digits
 * behind the point, or too many. */
static bool binary_scale(const struct binary *binary, int power, uint64_t *ret_scaled)
{
    int shift = -(binary->exponent + power);
    wide_number product, whole, rest, half;

    if (power < 0 || power > POWER_MAX || shift < 1 || shift > 100)
        return false;
    product = (wide_number)binary->mantissa * powers_of_five[power];
    half = (wide_number)1 << (shift - 1);
    whole = product >> shift;
    rest = product - (whole << shift);
    *ret_scaled = (uint64_t)whole + (rest > half || (rest == half && (whole & 1) != 0));
    return true;
}

/* Writes the digits without zeros at the end of a fraction. The first one counts a power of ten
 * from -4 to the number of digits. */
static int decimal_write(const struct decimal *decimal, char *text)
{
    int count = decimal->count, first = count - 1 + decimal->exponent;
    int least = first > 0 ? first + 1 : 1;
    uint64_t digits = decimal->digits;
    char *at = text;
    bool point;

    for (; count > least && digits % 10 == 0; digits /= 10)
        count--;
    point = first >= 0 && count > least;
    if (decimal->negative)
        *at++ = '-';
    if (first < 0) {
        memcpy(at, "0.000", 5);
        at += 1 - first;
    }
    for (int i = count; i-- > 0; digits /= 10)
        at[i + (point && i > first)] = (char)('0' + digits % 10);
    if (point)
        at[first + 1] = '.';
    at += count + point;
    *at = '\0';
    return (int)(at - text);
}

/* The nearest number with so many digits, as printf rounds. False if only the C library can
 * decide. */
static bool round_to(double number, int precision, struct decimal *ret_decimal)
{
    const double size = fabs(number);
    const uint64_t limit = (uint64_t)powers[precision];
    uint64_t bits, digits;
    struct binary binary;
    int first;

    if (!(size >= SMALLEST && size < LARGEST))
        return false;
    memcpy(&bits, &size, sizeof bits);
    binary.mantissa = (bits & (((uint64_t)1 << FRACTION_BITS) - 1)) | (uint64_t)1
                                                                          << FRACTION_BITS;
    binary.exponent = (int)(bits >> FRACTION_BITS) - 1023 - FRACTION_BITS;
    /* The exponent of the power of two below it: exact, or one too small. */
    first = (int)floor((binary.exponent + FRACTION_BITS) * 0.30102999566398120);
    if (!binary_scale(&binary, precision - 1 - first, &digits))
        return false;
    if (digits >= limit && !binary_scale(&binary, precision - 1 - ++first, &digits))
        return false;
    *ret_decimal = (struct decimal){.negative = number < 0,
                                    .digits = digits,
                                    .count = precision,
                                    .exponent = first + 1 - precision};
    return digits < limit && first >= -4 && first < precision;
}

/* Whether all its digits are before the point, and at most PRINTED_MIN. -0 has a sign too. */
static bool is_whole(double number)
{
    return fabs(number) < LARGEST && number == (double)(long long)number &&
           !(number == 0 && signbit(number));
}

int json_number_print(double number, int precision, char ret_text[JSON_NUMBER_SIZE])
{
    struct decimal decimal;

    if (precision >= PRINTED_MIN && is_whole(number))
        return json_number_write_whole((long long)number, ret_text);
    if (round_to(number, precision, &decimal))
        return decimal_write(&decimal, ret_text);
    return snprintf(ret_text, JSON_NUMBER_SIZE, "%.*g", precision, number);
}

double json_number_rounded(double number, int precision)
{
    char text[JSON_NUMBER_SIZE];
    struct decimal decimal;
    double rounded;

    if (precision >= PRINTED_MIN && is_whole(number))
        return number;
    if (round_to(number, precision, &decimal) && decimal_read(&decimal, &rounded))
        return decimal.negative ? -rounded : rounded;
    json_number_print(number, precision, text);
    return strtod(text, NULL);
}

int json_number_write(double number, char ret_text[JSON_NUMBER_SIZE])
{
    for (int precision = PRINTED_MIN; precision < PRINTED_MAX; precision++)
        if (json_number_rounded(number, precision) == number)
            return json_number_print(number, precision, ret_text);
    return json_number_print(number, PRINTED_MAX, ret_text);
}
