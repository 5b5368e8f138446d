/* The roofline of a stored run, computed anew for each answer: nothing of it is stored. */
#pragma once

#include "engine/run/run.h"
#include "engine/stats/roofline.h"

/* Of a finished run with its whole summary (from a list it has not); *ret_known is false of any
 * other. *ret_details are those that the engine reported. ERROR_INVALID where a text of the run
 * is damaged. */
MUST_USE bool run_roofline(const struct run *run, bool *ret_known,
                           struct engine_details *ret_details, struct roofline *ret_roofline,
                           struct error *err);
