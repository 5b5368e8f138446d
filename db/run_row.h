/* How a row of `runs` becomes a struct run; shared by whoever selects from that table. */
#pragma once

#include "db/stmt.h"
#include "engine/run.h"

#define RUN_LEAN_COLUMNS                                                                         \
    "number, id, state, spec, instance, created_us, started_us, ended_us, software, steps, "     \
    "ended_by, measured_steps, measured_seconds, samples_per_second, median_step_seconds, "      \
    "reason, stderr_tail, samples, peak_memory_bytes, first_measured, throughput_low, "          \
    "throughput_high, validity, setup_ns, gradient_cosine, gradient_cosine IS NOT NULL, "        \
    "worst_layer_cosine, worst_layer_cosine IS NOT NULL, "                                       \
    "(SELECT fingerprint FROM machines WHERE machines.number = machine), "                       \
    "(SELECT sweeps.id FROM sweeps WHERE sweeps.number = sweep), cell, block, "                  \
    "provenance, provider, region, zone, vm"

/* For one run, and for a page of them: there these texts would be most of all bytes. */
#define RUN_COLUMNS RUN_LEAN_COLUMNS ", engine_details, loaded, summary, findings, price"
#define RUN_LIST_COLUMNS RUN_LEAN_COLUMNS ", NULL, NULL, NULL, NULL, NULL"

/* Reads the columns of the current row, in that order. */
bool run_from_row(struct stmt *row, struct run *ret_run, struct error *err)
    __attribute__((warn_unused_result));
