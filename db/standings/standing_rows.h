/* The part of standings.h that reads the runs of one contender: each version's by itself, and
 * which of them is the standing. */
#pragma once

#include "db/db.h"
#include "db/standings/contender.h"

/* A run from columns from `first` on: number, validity, samples_per_second, throughput_low,
 * throughput_high, vm, ended_us, provenance. */
struct run_result standing_result(struct stmt *row, int first);

/* Replaces version, standing, older versions and newest run of the contender. When it fails they
 * stay as they were. */
MUST_USE bool standing_rows_read(struct db *db, struct contender *contender, struct error *err);
