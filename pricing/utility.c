#include "pricing/utility.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <math.h>
#include <stdarg.h>

struct parser {
    const char *text;
    size_t at;
    size_t depth;  /* of what is being read */
    size_t height; /* of the stack, when what was read so far is computed */
    const char *const *fields;
    struct utility *utility;
    struct error *err;
};

static bool utility_refuse(struct parser *parser, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Every error is set here, so that it always has a position. */
static bool utility_refuse(struct parser *parser, size_t at, const char *format, ...)
{
    char what[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(parser->err, ERROR_INVALID, "utility", "at character %zu: %s", at + 1, what);
}

static char utility_peek(struct parser *parser)
{
    while (parser->text[parser->at] && strchr(" \t\r\n", parser->text[parser->at]))
        parser->at++;
    return parser->text[parser->at];
}

static bool utility_accept(struct parser *parser, char expected)
{
    if (utility_peek(parser) != expected)
        return false;
    parser->at++;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* What was found instead, for people. */
static bool refuse_here(struct parser *parser, const char *expected)
{
    char here = utility_peek(parser);

    if (here == '\0')
        return utility_refuse(parser, parser->at, "%s was expected, and the formula ends",
                              expected);
    return utility_refuse(parser, parser->at, "%s was expected, not '%c'", expected, here);
}

static bool utility_emit(struct parser *parser, enum utility_op op, double number, size_t field)
{
    struct utility *utility = parser->utility;

    if (utility->count == UTILITY_STEPS_MAX)
        return utility_refuse(parser, parser->at, "the formula has more than %d steps",
                              UTILITY_STEPS_MAX);
    if (op == UTILITY_NUMBER || op == UTILITY_FIELD) {
        if (parser->height == UTILITY_DEPTH_MAX)
            return utility_refuse(parser, parser->at,
                                  "more than %d values wait for their operator",
                                  UTILITY_DEPTH_MAX);
        parser->height++;
    } else if (op != UTILITY_NEGATE && op != UTILITY_LOG) {
        parser->height--;
    }
    utility->steps[utility->count].op = op;
    utility->steps[utility->count].number = number;
    utility->steps[utility->count].field = field;
    utility->count++;
    return true;
}

static bool read_expression(struct parser *parser);
static bool read_factor(struct parser *parser);

static bool utility_descend(struct parser *parser, size_t at)
{
    if (parser->depth == UTILITY_DEPTH_MAX)
        return utility_refuse(parser, at, "parentheses and signs are more than %d deep",
                              UTILITY_DEPTH_MAX);
    parser->depth++;
    return true;
}

static size_t span_of_digits(const char *text)
{
    size_t span = 0;

    while (text_is_digit(text[span]))
        span++;
    return span;
}

/* Digits, a point, digits, an exponent: neither "0x1p3" nor "inf". 0 if there is none. */
static size_t span_of_number(const char *text)
{
    size_t span = span_of_digits(text), digits = span, exponent;

    if (text[span] == '.') {
        size_t more = span_of_digits(text + span + 1);

        digits += more;
        span += 1 + more;
    }
    if (digits == 0)
        return 0;
    if (text[span] == 'e' || text[span] == 'E') {
        exponent = span + 1 + (text[span + 1] == '-' || text[span + 1] == '+');
        if (text_is_digit(text[exponent]))
            span = exponent + span_of_digits(text + exponent);
    }
    return span;
}

static bool read_number(struct parser *parser)
{
    char digits[UTILITY_TEXT_MAX + 1], *end;
    size_t span = span_of_number(parser->text + parser->at), at = parser->at;
    double number;

    if (span == 0)
        return refuse_here(parser, "a digit");
    memcpy(digits, parser->text + at, span);
    digits[span] = '\0';
    number = strtod(digits, &end);
    /* It ends earlier if the process's locale has a decimal comma. */
    if (*end || !isfinite(number))
        return utility_refuse(parser, at, "the number is not one that can be computed with");
    parser->at += span;
    return utility_emit(parser, UTILITY_NUMBER, number, 0);
}

static bool refuse_field(struct parser *parser, size_t at, size_t span)
{
    char names[160] = "";
    size_t used = 0;

    for (size_t i = 0; parser->fields[i]; i++) {
        const char *comma = i > 0 ? ", " : "";
        size_t needed = strlen(comma) + strlen(parser->fields[i]);

        if (used + needed + sizeof ", ..." > sizeof names) {
            snprintf(names + used, sizeof names - used, ", ...");
            break;
        }
        snprintf(names + used, sizeof names - used, "%s%s", comma, parser->fields[i]);
        used += needed;
    }
    return utility_refuse(parser, at, "no field \"%.*s\"; there are %s",
                          span > 24 ? 24 : (int)span, parser->text + at,
                          used > 0 ? names : "none");
}

/* After "min(": one value at least. */
static bool read_arguments(struct parser *parser, enum utility_op op)
{
    size_t count = 0;

    if (!utility_descend(parser, parser->at - 1))
        return false;
    do {
        if (!read_expression(parser) ||
            (op != UTILITY_LOG && count++ > 0 && !utility_emit(parser, op, 0, 0)))
            return false;
    } while (op != UTILITY_LOG && utility_accept(parser, ','));
    if (!utility_accept(parser, ')'))
        return refuse_here(parser, op == UTILITY_LOG ? "')'" : "',' or ')'");
    parser->depth--;
    return op != UTILITY_LOG || utility_emit(parser, op, 0, 0);
}

static bool read_name(struct parser *parser)
{
    static const struct {
        const char *name;
        enum utility_op op;
    } functions[] = {{"min", UTILITY_MIN}, {"max", UTILITY_MAX}, {"log", UTILITY_LOG}};
    const char *name = parser->text + parser->at;
    size_t at = parser->at, span = 0;

    while (is_letter(name[span]) || text_is_digit(name[span]))
        span++;
    parser->at += span;
    if (utility_accept(parser, '(')) {
        for (size_t i = 0; i < COUNT(functions); i++)
            if (span == strlen(functions[i].name) && memcmp(name, functions[i].name, span) == 0)
                return read_arguments(parser, functions[i].op);
        return utility_refuse(parser, at, "no function \"%.*s\"; there are min, max, log",
                              span > 24 ? 24 : (int)span, name);
    }
    for (size_t i = 0; parser->fields[i]; i++)
        if (span == strlen(parser->fields[i]) && memcmp(name, parser->fields[i], span) == 0)
            return utility_emit(parser, UTILITY_FIELD, 0, i);
    return refuse_field(parser, at, span);
}

static bool read_primary(struct parser *parser)
{
    char here = utility_peek(parser);

    if (text_is_digit(here) || here == '.')
        return read_number(parser);
    if (is_letter(here))
        return read_name(parser);
    if (!utility_accept(parser, '('))
        return refuse_here(parser, "a number, a field, a function or '('");
    if (!utility_descend(parser, parser->at - 1) || !read_expression(parser))
        return false;
    if (!utility_accept(parser, ')'))
        return refuse_here(parser, "an operator or ')'");
    parser->depth--;
    return true;
}

static bool read_signed(struct parser *parser, bool negative)
{
    if (!utility_descend(parser, parser->at - 1) || !read_factor(parser))
        return false;
    parser->depth--;
    return !negative || utility_emit(parser, UTILITY_NEGATE, 0, 0);
}

static bool read_factor(struct parser *parser)
{
    if (utility_accept(parser, '-'))
        return read_signed(parser, true);
    if (utility_accept(parser, '+'))
        return read_signed(parser, false);
    return read_primary(parser);
}

/* From left to right: a / b / c is (a / b) / c. */
static bool read_term(struct parser *parser)
{
    if (!read_factor(parser))
        return false;
    for (;;) {
        enum utility_op op = UTILITY_MULTIPLY;

        if (!utility_accept(parser, '*')) {
            if (!utility_accept(parser, '/'))
                return true;
            op = UTILITY_DIVIDE;
        }
        if (!read_factor(parser) || !utility_emit(parser, op, 0, 0))
            return false;
    }
}

static bool read_expression(struct parser *parser)
{
    if (!read_term(parser))
        return false;
    for (;;) {
        enum utility_op op = UTILITY_ADD;

        if (!utility_accept(parser, '+')) {
            if (!utility_accept(parser, '-'))
                return true;
            op = UTILITY_SUBTRACT;
        }
        if (!read_term(parser) || !utility_emit(parser, op, 0, 0))
            return false;
    }
}

bool utility_read(const char *text, const char *const fields[], struct utility *ret_utility,
                  struct error *err)
{
    struct utility utility = {0};
    struct parser parser = {.text = text, .fields = fields, .utility = &utility, .err = err};

    if (strnlen(text, UTILITY_TEXT_MAX + 1) > UTILITY_TEXT_MAX)
        return utility_refuse(&parser, UTILITY_TEXT_MAX, "the formula is longer than %d",
                              UTILITY_TEXT_MAX);
    if (!read_expression(&parser))
        return false;
    if (utility_peek(&parser) != '\0')
        return refuse_here(&parser, "an operator or the end");
    *ret_utility = utility;
    return true;
}

static double utility_compute(enum utility_op op, double a, double b)
{
    switch (op) {
    case UTILITY_ADD:
        return a + b;
    case UTILITY_SUBTRACT:
        return a - b;
    case UTILITY_MULTIPLY:
        return a * b;
    case UTILITY_DIVIDE:
        return a / b;
    case UTILITY_NEGATE:
        return -a;
    case UTILITY_MIN:
        return a < b ? a : b;
    case UTILITY_MAX:
        return a > b ? a : b;
    case UTILITY_LOG:
        return log(a);
    default:
        return NAN;
    }
}

double utility_value(const struct utility *utility, const double *values)
{
    double stack[UTILITY_DEPTH_MAX];
    size_t height = 0;

    for (size_t i = 0; i < utility->count; i++) {
        enum utility_op op = utility->steps[i].op;
        double result;

        if (op == UTILITY_NUMBER) {
            result = utility->steps[i].number;
        } else if (op == UTILITY_FIELD) {
            result = values[utility->steps[i].field];
        } else if (op == UTILITY_NEGATE || op == UTILITY_LOG) {
            result = utility_compute(op, stack[--height], 0);
        } else {
            height -= 2;
            result = utility_compute(op, stack[height], stack[height + 1]);
        }
        /* NaN at once: min() of an unknown value and 1 would be 1. */
        if (!isfinite(result))
            return NAN;
        stack[height++] = result;
    }
    return height > 0 ? stack[0] : NAN;
}
