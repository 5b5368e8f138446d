/* The members of a row in JSON, and those that an answer has: rows are long, and most clients
 * read a few members. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct row_field {
    const char *name;
    bool is_usual; /* in an answer whose question names no members */
};

/* In the order of a row, ended by a name of NULL; a test compares them with a row. */
extern const struct row_field row_fields[];

/* Their names, and behind them "all": what a question may ask for. NULL behind the last. */
const char *row_field_name(size_t place);

/* The members of an answer: static names, NULL-terminated. */
#define ROW_FIELDS_MAX 48
struct row_fields_asked {
    const char *names[ROW_FIELDS_MAX];
};

/* Reads "id,rank,job"; with "all" among them every member. NULL asks for the usual ones. An id is
 * always among them. ERROR_INVALID names the parameter and what is near. */
MUST_USE bool row_fields_read(const char *parameter, const char *text,
                              struct row_fields_asked *ret_asked, struct error *err);
