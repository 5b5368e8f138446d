#include "pricing/price.h"

#include "common/cleanup.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NANO_DIGITS 9
#define EXACT_DOLLARS 1e6 /* below, nanos are at most fifteen digits */
#define EXPONENT_MAX 40   /* a larger one is not a price, whatever its digits */

const char *const price_kind_names[] = {"on_demand",           "spot", "typed", "own",
                                        PRICE_COMMITTED_NAMES, NULL};
_Static_assert(COUNT(price_kind_names) == PRICE_KINDS + 1, "every kind has a name");
const char *const price_given_kind_names[] = {"on_demand", "spot", "typed", "own", NULL};

const char *price_kind_name(enum price_kind kind)
{
    return price_kind_names[kind];
}

bool price_kind_from_name(const char *name, enum price_kind *ret_kind)
{
    for (int kind = PRICE_ON_DEMAND; kind < PRICE_KINDS; kind++)
        if (strcmp(name, price_kind_names[kind]) == 0) {
            *ret_kind = (enum price_kind)kind;
            return true;
        }
    return false;
}

/* A decimal taken apart: digits without the point, and where the point is. */
struct decimal {
    char digits[64];
    int count;
    int point; /* digits before it; may be negative or beyond the digits */
};

/* Adds a run of digits; leading zeros are left out so that they cost no room. */
static const char *take_digits(const char *text, bool whole, struct decimal *decimal)
{
    for (; isdigit((unsigned char)*text); text++) {
        bool leading = *text == '0' && decimal->count == 0;

        if (!leading && decimal->count == (int)sizeof decimal->digits)
            return NULL;
        if (!leading)
            decimal->digits[decimal->count++] = *text;
        decimal->point += whole ? !leading : -leading;
    }
    return text;
}

static bool read_exponent(const char *text, struct decimal *decimal)
{
    char *end;
    long exponent;

    if (*text == '\0')
        return true;
    if (*text != 'e' && *text != 'E')
        return false;
    text++;
    if (!isdigit((unsigned char)text[*text == '+' || *text == '-']))
        return false;
    exponent = strtol(text, &end, 10);
    if (*end || exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX)
        return false;
    decimal->point += (int)exponent;
    return true;
}

static bool read_decimal(const char *text, struct decimal *ret_decimal)
{
    struct decimal decimal = {.count = 0};
    const char *rest = text;

    if (!isdigit((unsigned char)*rest) || !(rest = take_digits(rest, true, &decimal)))
        return false;
    if (*rest == '.') {
        if (!isdigit((unsigned char)*++rest) || !(rest = take_digits(rest, false, &decimal)))
            return false;
    }
    if (!read_exponent(rest, &decimal))
        return false;
    *ret_decimal = decimal;
    return true;
}

/* Of at most so many digits. */
static bool read_nanos(const char *text, int digits_max, long long *ret_nanos)
{
    struct decimal decimal;
    long long nanos = 0;
    int wanted;

    if (!read_decimal(text, &decimal))
        return false;
    wanted = decimal.count > 0 ? decimal.point + NANO_DIGITS : 0; /* that are whole nanos */
    if (wanted < 0 || wanted > digits_max)
        return false;
    for (int i = 0; i < wanted; i++)
        nanos = nanos * 10 + (i < decimal.count ? decimal.digits[i] - '0' : 0);
    if (wanted < decimal.count && decimal.digits[wanted] >= '5')
        nanos++;
    *ret_nanos = nanos;
    return true;
}

bool price_read_nanos(const char *text, long long *ret_nanos)
{
    long long nanos;

    if (!read_nanos(text, 15, &nanos) || nanos <= 0 || nanos > PRICE_NANOS_MAX)
        return false;
    *ret_nanos = nanos;
    return true;
}

bool price_read_amount(const char *text, long long *ret_nanos)
{
    return read_nanos(text, 18, ret_nanos);
}

void price_write_nanos(long long nanos, char ret_text[PRICE_TEXT_SIZE])
{
    int length = snprintf(ret_text, PRICE_TEXT_SIZE, "%lld.%09lld", nanos / 1000000000,
                          nanos % 1000000000);

    while (length > 0 && ret_text[length - 1] == '0')
        ret_text[--length] = '\0';
    if (length > 0 && ret_text[length - 1] == '.')
        ret_text[length - 1] = '\0';
}

bool price_set(struct price *price, const char *text)
{
    long long nanos;

    if (strlen(text) >= sizeof price->text || !price_read_nanos(text, &nanos))
        return false;
    assert(nanos > 0 && nanos <= PRICE_NANOS_MAX);
    price->nanos = nanos;
    snprintf(price->text, sizeof price->text, "%s", text);
    return true;
}

double price_exact(double dollars)
{
    if (!isfinite(dollars))
        return dollars;
    if (fabs(dollars) < EXACT_DOLLARS && fabs(dollars) >= 1e-9)
        return (double)llround(dollars * 1e9) / 1e9;
    return json_number_rounded(dollars, 15);
}

bool price_set_number(struct price *price, double number)
{
    char text[PRICE_TEXT_SIZE];

    json_number_write(number, text);
    return price_set(price, text);
}

bool price_word(char *member, size_t size, const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length >= size)
        return false;
    for (const char *c = text; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            return false;
    memcpy(member, text, length + 1);
    return true;
}
