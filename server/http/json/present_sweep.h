/* The shape of every answer about sweeps; openapi.json describes it. */
#pragma once

#include "common/bytes.h"
#include "common/json_writer.h"
#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"

/* A sweep with its runs, and what they come to. */
struct sweep_view {
    const struct sweep_row *row;
    enum sweep_preset preset;
    const struct sweep_row_run *runs;
    size_t run_count;
    const struct sweep_result *result;
    struct false_alarms alarms; /* of an A/A */
    long long now_us;
};

void present_sweep(struct json_writer *out, const struct sweep_view *view);

/* Its parts alone: a cell, and how far its runs have come. */
void present_sweep_cell(struct json_writer *out, const struct sweep_view *view, size_t index);
void present_sweep_progress(struct json_writer *out, const char *key,
                            const struct sweep_view *view);

/* Without its cells, for lists. */
void present_sweep_head(struct json_writer *out, const struct sweep_row *row);

/* The cells as CSV. False at the limit of the text. */
bool present_sweep_csv(struct bytes *text, const struct sweep_view *view)
    __attribute__((warn_unused_result));
