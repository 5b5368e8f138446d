#include "common/json_number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* In between every product below is a whole number of less than 128 bits, so digits are exact. */
#define SMALLEST 1e-4 /* below, %g writes an exponent */
#define LARGEST 1e15  /* from here on it may */
#define FRACTION_BITS 52
#define DIGITS_MAX 17

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
static bool scale(const struct binary *binary, int power, uint64_t *ret_scaled)
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

/* `digits` has `precision` of them, the first of which counts 10^exponent; trailing zeros are not
 * written. */
static int place(uint64_t digits, int precision, int exponent, char *text)
{
    char reversed[DIGITS_MAX];
    int length = 0, zeros = 0;

    for (int i = 0; i < precision; i++) {
        reversed[i] = (char)('0' + digits % 10);
        digits /= 10;
        zeros += zeros == i && reversed[i] == '0';
    }
    if (exponent < 0) {
        memcpy(text, "0.000", 5);
        length = 1 - exponent;
    }
    for (int i = precision - 1; i >= zeros || precision - i <= exponent + 1; i--) {
        text[length++] = reversed[i];
        if (precision - i == exponent + 1 && i > zeros)
            text[length++] = '.';
    }
    text[length] = '\0';
    return length;
}

/* 0 where only the C library knows. */
static int print_exactly(double number, int precision, char *text)
{
    double size = fabs(number);
    uint64_t bits, digits, limit = 1;
    struct binary binary;
    int exponent, length;

    if (!(size >= SMALLEST && size < LARGEST) || precision < 15 || precision > DIGITS_MAX)
        return 0;
    for (int i = 0; i < precision; i++)
        limit *= 10;
    memcpy(&bits, &size, sizeof bits);
    binary.mantissa = (bits & (((uint64_t)1 << FRACTION_BITS) - 1)) | (uint64_t)1
                                                                          << FRACTION_BITS;
    binary.exponent = (int)(bits >> FRACTION_BITS) - 1023 - FRACTION_BITS;
    /* That of the power of two below it: right, or one too small. */
    exponent = (int)floor((binary.exponent + FRACTION_BITS) * 0.30102999566398120);
    if (!scale(&binary, precision - 1 - exponent, &digits))
        return 0;
    if (digits >= limit && !scale(&binary, precision - 1 - ++exponent, &digits))
        return 0;
    if (digits >= limit || exponent < -4 || exponent >= precision)
        return 0;
    length = 0;
    if (number < 0)
        text[length++] = '-';
    return length + place(digits, precision, exponent, text + length);
}

int json_number_print(double number, int precision, char ret_text[JSON_NUMBER_SIZE])
{
    int length = print_exactly(number, precision, ret_text);

    return length > 0 ? length : snprintf(ret_text, JSON_NUMBER_SIZE, "%.*g", precision, number);
}
