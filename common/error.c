#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void keep_printable(char *text)
{
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e)
            *text = '?';
}

static void error_fill(struct error *err, enum error_kind kind, const char *field,
                       const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

static void error_fill(struct error *err, enum error_kind kind, const char *field,
                       const char *format, va_list arguments)
{
    *err = (struct error){.kind = kind};
    snprintf(err->field, sizeof err->field, "%s", field ? field : "");
    vsnprintf(err->message, sizeof err->message, format, arguments);
    keep_printable(err->field);
    keep_printable(err->message);
}

bool error_set(struct error *err, enum error_kind kind, const char *field, const char *format,
               ...)
{
    va_list arguments;

    if (!err || err->kind != ERROR_NONE)
        return false;
    va_start(arguments, format);
    error_fill(err, kind, field, format, arguments);
    va_end(arguments);
    return false;
}

bool error_not_allowed(struct error *err, const char *field, struct allowed allowed,
                       const char *format, ...)
{
    va_list arguments;

    if (!err || err->kind != ERROR_NONE)
        return false;
    va_start(arguments, format);
    error_fill(err, ERROR_INVALID, field, format, arguments);
    va_end(arguments);
    err->allowed = allowed;
    return false;
}

bool error_within(struct error *err, const struct error *cause, const char *where)
{
    char field[sizeof cause->field + 32];

    snprintf(field, sizeof field, "%.31s%s%s", where, where[0] && cause->field[0] ? "." : "",
             cause->field);
    if (cause->kind == ERROR_INVALID && (cause->allowed.ranged || cause->allowed.choices))
        return error_not_allowed(err, field, cause->allowed, "%s", cause->message);
    return error_set(err, cause->kind, field, "%s", cause->message);
}

bool error_no_memory(struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

void error_clear(struct error *err)
{
    memset(err, 0, sizeof *err);
}
