/* The shape in JSON of what a person took back. */
#pragma once

#include "common/json_writer.h"
#include "common/taken_back.h"

/* An object with who, when and why; null where it was not taken back. */
void present_taken_back(struct json_writer *out, const char *key, const struct taken_back *taken);
