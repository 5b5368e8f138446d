/* The roofline of a run. */
#pragma once

#include "server/base/members.h"

extern const struct members roofline_members;

/* The member "roofline" of a struct run: null but of a finished run with its whole summary. */
void roofline_write(struct json_writer *out, const struct member *row, const void *object);
