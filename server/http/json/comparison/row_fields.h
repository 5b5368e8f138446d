/* The members of a row that an answer contains: rows are long, and most clients read a few
 * members. Their names are in the order of comparison_row_members. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The names that a question may use: the members, then "all", then NULL. */
const char *row_field_name(size_t place);

/* The selected members: static names, NULL-terminated. */
#define ROW_FIELDS_MAX 48
struct row_fields_asked {
    const char *names[ROW_FIELDS_MAX];
};

/* Parses "id,rank,job"; "all" selects every member, NULL those that are not `on_request`. "id" is
 * always added. ERROR_INVALID names the parameter and similar names. */
MUST_USE bool row_fields_read(const char *parameter, const char *text,
                              struct row_fields_asked *ret_asked, struct error *err);
