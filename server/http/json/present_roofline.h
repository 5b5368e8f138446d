/* The roofline of a run. */
#pragma once

#include "common/rows/members.h"

extern const struct members roofline_members;

/* Writes the member "roofline" of a struct run: null unless the run finished and its summary is
 * complete. */
void roofline_write(struct json_writer *out, const struct member *row, const void *object);
