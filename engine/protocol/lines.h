/* Splits a stream of bytes into lines, wherever the pipe cuts it. */
#pragma once

#include "common/error.h"
#include "common/limits.h"

#include <stdbool.h>
#include <stddef.h>

struct lines {
    size_t used;
    char partial[WORKER_LINE_MAX];
};

/* Gets a line without its newline; not terminated. Returning false stops lines_feed(). */
typedef bool line_fn(const char *line, size_t length, void *user, struct error *err);

/* Calls on_line for every completed line and keeps the rest. */
MUST_USE bool lines_feed(struct lines *lines, const char *data, size_t length, line_fn *on_line,
                         void *user, struct error *err);
