/* The shape of a machine's identity in JSON: in answers, and in what is kept with a run. */
#pragma once

#include "pricing/machine/identity_data.h"
#include "server/base/members.h"

extern const struct members identity_members;

void present_identity(struct json_writer *out, const char *key, const struct identity *identity);
