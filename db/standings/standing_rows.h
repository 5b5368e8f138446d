/* For standings.h: reads the runs of one contender, computes each version, and chooses the
 * standing. */
#pragma once

#include "db/db.h"
#include "db/standings/contender.h"

/* A run from the columns from `first` on: number, validity, samples_per_second, throughput_low,
 * throughput_high, vm, ended_us, provenance. */
struct run_result standing_result(struct stmt *row, int first);

/* Replaces version, standing, older versions and newest run of the contender; unchanged on
 * failure. */
MUST_USE bool standing_rows_read(struct db *db, struct contender *contender, struct error *err);
