#include "common/memory.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM 16 /* items of an array that grows */

void memory_is_out(size_t size)
{
    static const char before[] = "out of memory: ", after[] = " bytes were asked for\n";
    char line[sizeof before + sizeof after + 20], *digit = line + sizeof line;

    digit -= sizeof after - 1;
    memcpy(digit, after, sizeof after - 1);
    do
        *--digit = (char)('0' + size % 10);
    while ((size /= 10));
    digit -= sizeof before - 1;
    memcpy(digit, before, sizeof before - 1);
    if (write(STDERR_FILENO, digit, (size_t)(line + sizeof line - digit)) < 0)
        abort(); /* as it does below */
    abort();
}

void *xmalloc(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory)
        memory_is_out(size);
    return memory;
}

void *xcalloc(size_t count, size_t size)
{
    void *memory = count && size ? calloc(count, size) : calloc(1, 1);
    size_t all;

    if (!memory)
        memory_is_out(__builtin_mul_overflow(count, size, &all) ? SIZE_MAX : all);
    return memory;
}

void *xrealloc(void *old, size_t size)
{
    void *memory = realloc(old, size ? size : 1);

    if (!memory)
        memory_is_out(size);
    return memory;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
    size_t all;

    if (__builtin_mul_overflow(count, size, &all))
        memory_is_out(SIZE_MAX);
    return xrealloc(old, all);
}

void *xmemdup(const void *data, size_t size)
{
    void *copy = xmalloc(size);

    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *xstrdup(const char *text)
{
    return xmemdup(text, strlen(text) + 1);
}

char *xstrndup(const char *text, size_t length)
{
    size_t used = strnlen(text, length);
    char *copy = xmalloc(used + 1);

    memcpy(copy, text, used);
    copy[used] = '\0';
    return copy;
}

char *xvasprintf(const char *format, va_list arguments)
{
    char *text;

    /* The formats are ours, so nothing else can be wrong. */
    if (vasprintf(&text, format, arguments) < 0)
        memory_is_out(strlen(format));
    return text;
}

char *xasprintf(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = xvasprintf(format, arguments);
    va_end(arguments);
    return text;
}

void *xgrow(void *items, size_t count, size_t *room, size_t item_size)
{
    if (count < *room)
        return items;
    *room = *room ? 2 * *room : FIRST_ROOM;
    return xreallocarray(items, *room, item_size);
}

/* Before the first thread: another may not change it while jansson runs. */
__attribute__((constructor)) static void hook_jansson(void)
{
    json_set_alloc_funcs(xmalloc, free);
}
