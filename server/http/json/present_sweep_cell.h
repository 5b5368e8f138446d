/* A cell of a sweep. */
#pragma once

#include "common/rows/members.h"
#include "server/http/json/sweep_view.h"

/* It borrows all from the view. */
struct cell_view {
    const struct sweep_view *view;
    size_t index;
    struct sweep_row_cell row;
    struct cell_result result;
};
struct cell_view cell_view_of(const struct sweep_view *view, size_t index);
extern const struct members sweep_cell_members;

/* An array of the names of the cells that cannot be told apart from this one. */
void sweep_cell_write_tied(struct json_writer *out, const char *key,
                           const struct sweep_view *view, size_t index);
