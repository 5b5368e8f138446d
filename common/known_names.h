/* Suggests known names for an unknown one (a typo). */
#pragma once

#include "common/error.h"

#include <stddef.h>

#define KNOWN_NAMES_MAX 64

/* Names are borrowed. */
struct known_names {
    const char *list[KNOWN_NAMES_MAX];
    size_t count;
    const char *all; /* the document that lists all, or NULL */
};

/* Adds a name; ignored when the list is full. */
void known_names_add(struct known_names *known, const char *name);
void known_names_add_all(struct known_names *known, const char *const names[]);

/* ERROR_INVALID of `field`: `what` ("is not a known field"), then all names where they are few,
 * or those nearest to `name`, and the document that lists the rest. `name` need not end with a
 * NUL. Always returns false. */
struct unknown_name {
    const char *field, *what, *name;
    size_t length;
};
bool error_unknown_name(struct error *err, const struct unknown_name *unknown,
                        const struct known_names *known);

/* The same for a member of a JSON object: unless `name` is one of the NULL-terminated names. */
MUST_USE bool known_names_check(const char *const names[], const char *name, struct error *err);
