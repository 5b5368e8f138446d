/* The roofline of a stored run, computed for each answer and never stored. */
#pragma once

#include "engine/run/run.h"
#include "engine/stats/roofline.h"

/* For a finished run with its full summary (lists lack it); *ret_known is false for any other.
 * *ret_details are the reported engine details. ERROR_INVALID if a text of the run is damaged. */
MUST_USE bool run_roofline(const struct run *run, bool *ret_known,
                           struct engine_details *ret_details, struct roofline *ret_roofline,
                           struct error *err);
