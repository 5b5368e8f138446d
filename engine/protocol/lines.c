#include "engine/protocol/lines.h"

#include <string.h>

bool lines_feed(struct lines *lines, const char *data, size_t length, line_fn *on_line,
                void *user, struct error *err)
{
    while (length > 0) {
        const char *newline = memchr(data, '\n', length);
        size_t piece = newline ? (size_t)(newline - data) : length;
        size_t eaten = newline ? piece + 1 : piece;
        size_t whole = lines->used + piece;

        /* The limit is on the line, not on the read: a worker gone mad costs us 64 KiB. */
        if (whole > sizeof lines->partial)
            return error_set(err, ERROR_UPSTREAM, NULL, "the worker wrote a line over %d bytes",
                             WORKER_LINE_MAX);
        memcpy(lines->partial + lines->used, data, piece);
        lines->used = newline ? 0 : whole;
        if (newline && !on_line(lines->partial, whole, user, err))
            return false;
        data += eaten;
        length -= eaten;
    }
    return true;
}
