/* JSON of a machine's identity, in answers and stored with runs. */
#pragma once

#include "common/rows/members.h"
#include "pricing/machine/identity_data.h"

extern const struct members identity_members;

void present_identity(struct json_writer *out, const char *key, const struct identity *identity);
