#include "server/http/json/present_sweep_csv.h"

#include "server/http/json/csv_cells.h"
#include "server/http/json/present_sweep_cell.h"

#include <math.h>

static void write_csv_price(struct json_writer *out, const struct member *row, const void *object)
{
    const struct cell_view *cell = object;
    struct cost cost;

    jsonw_number(out, row->name,
                 sweep_cell_cost(cell->view, cell->index, &cost)
                     ? sweep_dollars_per_hour(cell->view)
                     : NAN);
}

/* A cell, and the price of its sweep. */
static const struct member sweep_csv_rows[] = {
    {MEMBER_ROWS(&sweep_cell_members)},
    {MEMBER_WRITTEN("dollars_per_hour", MEMBER_NUMBER, write_csv_price)},
    {0},
};
static const struct members sweep_csv_members = {.rows = sweep_csv_rows};

static const char columns[] =
    "cell name round rank.low rank.high may_be_best valid_runs invalid_runs failed_runs "
    "samples_per_second interval.low=samples_per_second_low "
    "interval.high=samples_per_second_high "
    "ratio_to_first* ratio_to_previous* ratio_to_best* refused dollars_per_million_samples* "
    "dollars_per_hour samples_per_dollar* time_shares.input=input_share "
    "time_shares.compute=compute_share voided_runs cannot_be_told_apart_from tokens_per_second*";

bool present_sweep_csv(struct bytes *text, const struct sweep_view *view)
{
    bool ok = csv_add_head(text, columns);

    for (size_t i = 0; ok && i < view->row->count; i++) {
        const struct cell_view cell = cell_view_of(view, i);

        ok = csv_add_line(text, columns, &sweep_csv_members, &cell);
    }
    return ok;
}
