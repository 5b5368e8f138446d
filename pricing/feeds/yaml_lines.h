/* Splits a YAML document into lines as it arrives, for feeds that only need lines like "key:" and
 * "key: value". Other YAML is not understood, but reported. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define YAML_LINE_MAX 4096 /* bytes; a longer one is a failure */

/* NUL-terminated texts, valid during the call. */
struct yaml_line {
    size_t indent;     /* leading spaces */
    bool tabbed;       /* the indent has a tab, so it does not count */
    const char *key;   /* "" for lines of another form */
    const char *value; /* "" if the line opens a block, or has no key */
};

/* Gets every line except empty ones and comments. Return false to stop, with err. */
typedef bool yaml_line_fn(void *user, const struct yaml_line *line, struct error *err);

/* Zero it and set its function. */
struct yaml_lines {
    yaml_line_fn *line;
    void *user;
    size_t used;
    char held[YAML_LINE_MAX + 1];
};

MUST_USE bool yaml_lines_feed(struct yaml_lines *lines, const char *data, size_t length,
                              struct error *err);

/* At the end of the bytes: false inside a line, since a number may be cut there. */
MUST_USE bool yaml_lines_end(const struct yaml_lines *lines, struct error *err);
