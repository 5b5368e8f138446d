/* The members of a row about the job, the reference and the processor. */
#pragma once

#include "answers/compare/ranking.h"
#include "common/rows/members.h"

/* Each has a function that returns its object, or NULL. */
extern const struct members comparison_job_members; /* of struct row_job */
const void *comparison_find_job(const void *row);

extern const struct members comparison_peak_members; /* of struct comparison_row */
const void *comparison_find_peak(const void *row);

extern const struct members to_reference_members; /* of struct comparison_view */
const void *comparison_find_reference(const void *view);

/* Writes computed dollars. */
void comparison_write_exact(struct json_writer *out, const struct member *row,
                            const void *object);
