/* The roofline of a run. */
#pragma once

#include "common/json_writer.h"
#include "engine/run/run.h"

/* The member "roofline" of a run: null but of a finished run with its whole summary. */
void present_roofline(struct json_writer *out, const struct run *run);
