/* Cuts a YAML document into lines while it arrives, where all that is wanted of it stands in
 * lines like "key:" and "key: value". What else YAML can do is not understood, but noticed. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define YAML_LINE_MAX 4096 /* bytes; a longer one is a failure */

/* NUL-terminated texts that live until the function returns. */
struct yaml_line {
    size_t indent;     /* spaces before it */
    bool tabbed;       /* there was a tab among them, so that they do not count */
    const char *key;   /* "" where the line is of another form */
    const char *value; /* "" where the line opens something, and where there is no key */
};

/* Gets every line but empty ones and comments. False ends it, with err. */
typedef bool yaml_line_fn(void *user, const struct yaml_line *line, struct error *err);

/* Zeroed but for its function, it is ready. */
struct yaml_lines {
    yaml_line_fn *line;
    void *user;
    size_t used;
    char held[YAML_LINE_MAX + 1];
};

MUST_USE bool yaml_lines_feed(struct yaml_lines *lines, const char *data, size_t length,
                              struct error *err);

/* At the end of the bytes: false in the middle of a line, for a number may be cut there. */
MUST_USE bool yaml_lines_end(const struct yaml_lines *lines, struct error *err);
