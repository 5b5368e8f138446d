#include "common/bytes.h"

#include "common/error.h"
#include "common/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bytes_reserve(struct bytes *bytes, size_t length)
{
    if (length > bytes->limit - bytes->used)
        return false;

    size_t needed = bytes->used + length + 1;
    size_t size = bytes->size ? bytes->size : 1024;

    while (size < needed)
        size *= 2;
    if (size > bytes->limit + 1)
        size = bytes->limit + 1;
    if (size <= bytes->size)
        return true;

    bytes->data = xrealloc(bytes->data, size);
    bytes->size = size;
    return true;
}

bool bytes_printf(struct bytes *bytes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !bytes_reserve(bytes, (size_t)length))
        return false;

    va_start(arguments, format);
    vsnprintf(bytes->data + bytes->used, (size_t)length + 1, format, arguments);
    va_end(arguments);
    bytes->used += (size_t)length;
    return true;
}

bool bytes_too_long(const struct bytes *bytes, const char *what, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "%s is longer than %zu bytes", what,
                     bytes->limit);
}

void bytes_drop(struct bytes *bytes, size_t length)
{
    if (length == 0)
        return;
    memmove(bytes->data, bytes->data + length, bytes->used - length + 1);
    bytes->used -= length;
}

void bytes_fit(struct bytes *bytes)
{
    if (bytes->used + 1 >= bytes->size)
        return;
    bytes->data = xrealloc(bytes->data, bytes->used + 1);
    bytes->size = bytes->used + 1;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){.limit = bytes->limit};
}
