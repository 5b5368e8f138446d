/* How a row of `runs` becomes a struct run; shared by whoever selects from that table. */
#pragma once

#include "db/stmt.h"
#include "engine/run.h"

#define RUN_COLUMNS                                                                              \
    "number, id, state, spec, instance, created_us, started_us, ended_us, software, steps, "     \
    "ended_by, measured_steps, measured_seconds, samples_per_second, median_step_seconds, "      \
    "reason, stderr_tail"

/* Reads RUN_COLUMNS of the current row. */
bool run_from_row(struct stmt *row, struct run *ret_run, struct error *err)
    __attribute__((warn_unused_result));
