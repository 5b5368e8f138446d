/* Tested by tests/server/http/json/present_sweep_test.c. */
#include "server/http/json/present_sweep_cell.h"

#include "engine/spec/run_spec_text.h"
#include "server/http/json/present_rank.h"
#include "server/http/json/present_run.h"
#include "server/prices/price_json.h"

MEMBER_KNOWN(ratio_is_known, struct ratio, ratio, ratio->known)

static void write_verdict(struct json_writer *out, const struct member *row, const void *object)
{
    jsonw_text(out, row->name, compare_name(compare_judge(object, COMPARE_MARGIN)));
}

static void write_detectable(struct json_writer *out, const struct member *row,
                             const void *object)
{
    jsonw_number(out, row->name, compare_detectable(object, COMPARE_MARGIN));
}

static const struct member cell_interval_rows[] = {
    {MEMBER(struct ratio, value)},
    {MEMBER(struct ratio, low)},
    {MEMBER(struct ratio, high)},
    {0},
};
static const struct members cell_interval_members = {.rows = cell_interval_rows};

static const struct member cell_ratio_rows[] = {
    {MEMBER_ROWS(&cell_interval_members)},
    {MEMBER_WRITTEN("verdict", MEMBER_TEXT, write_verdict), .words = comparison_names},
    {MEMBER_WRITTEN("smallest_detectable_change", MEMBER_NUMBER, write_detectable),
     .range = MEMBER_NOT_NEGATIVE, .meaning = "As a share of 1."},
    {0},
};
static const struct members cell_ratio_members = {
    .name = "Ratio",
    .meaning = "Ratio of throughputs, paired by blocks where there are two of them. `better` and "
               "`worse` only when the whole interval is beyond the margin.",
    .rows = cell_ratio_rows,
    .is_known = ratio_is_known};

static const struct members efficiency_members = {
    .name = "Efficiency",
    .meaning =
        "Efficiency of n threads: their speed divided by n times the speed of the first cell.",
    .rows = cell_interval_rows,
    .is_known = ratio_is_known};

MEMBER_KNOWN(cell_has_interval, struct cell_result, result, result->throughput.low > 0)

static const char *const levels[] = {"steps of one run", "runs", NULL};

static void write_over(struct json_writer *out, const struct member *row, const void *object)
{
    jsonw_text(out, row->name, levels[MEMBER_VALUE(bool, row, object)]);
}

static const struct member speed_rows[] = {
    {MEMBER_AS(struct cell_result, "low", throughput.low)},
    {MEMBER_AS(struct cell_result, "high", throughput.high)},
    {MEMBER_CONSTANT("level", "0.95")},
    {MEMBER_AS(struct cell_result, "over", over_runs), .words = levels, .write = write_over,
     .meaning = "The level that the interval covers."},
    {0},
};
static const struct members speed_members = {
    .name = "CellInterval", .rows = speed_rows, .is_known = cell_has_interval};

/* A run, and its place in the order of the sweep's runs. */
struct placed_run {
    struct sweep_row_run run;
    size_t position;
};

static const struct member cell_run_rows[] = {
    {MEMBER_AS(struct placed_run, "id", run.id.text), .reference = "RunId"},
    {MEMBER_AS(struct placed_run, "state", run.run.state), .members = &run_state_members},
    {MEMBER_AS(struct placed_run, "block", run.run.block), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct placed_run, position), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Its place in the order of the sweep's runs."},
    {MEMBER_AS(struct placed_run, "validity", run.run.validity), .nullable = true,
     .words = validity_names + VALIDITY_OK, .first = VALIDITY_OK},
    {MEMBER_AS(struct placed_run, "voided", run.run.is_void),
     .meaning = "A user voided it: it counts nowhere."},
    {MEMBER_AS(struct placed_run, "samples_per_second", run.run.throughput.value),
     .nullable = true, .range = MEMBER_POSITIVE},
    {0},
};
static const struct members cell_run_members = {.name = "CellRun", .rows = cell_run_rows};

static void write_cell_runs(struct json_writer *out, const struct member *row, const void *object)
{
    const struct cell_view *cell = object;
    const struct sweep_view *view = cell->view;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < view->run_count; i++)
        if (view->runs[i].run.cell == cell->index)
            members_write(out, NULL, &cell_run_members, &(struct placed_run){view->runs[i], i});
    jsonw_close(out, ']');
}

/* Scaling efficiency, if the cells vary the number of threads. */
static void write_efficiency(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct cell_view *cell = object;
    struct ratio ratio = cell->result.to_first;
    double threads;

    if (cell->view->preset != SWEEP_THREADS ||
        sscanf(cell->row.name, "threads=%lf", &threads) != 1 || !(threads > 0)) {
        jsonw_null(out, row->name);
        return;
    }
    ratio.value /= threads;
    ratio.low /= threads;
    ratio.high /= threads;
    members_write(out, row->name, &efficiency_members, &ratio);
}

static void write_samples_per_dollar(struct json_writer *out, const struct member *row,
                                     const void *object)
{
    const struct cell_view *cell = object;
    struct cost cost;

    present_interval(out, row->name,
                     sweep_cell_cost(cell->view, cell->index, &cost) ? &cost.samples_per_dollar
                                                                     : NULL);
}

static void write_cell_dollars(struct json_writer *out, const struct member *row,
                               const void *object)
{
    const struct cell_view *cell = object;
    struct cost cost;

    present_interval(out, row->name,
                     sweep_cell_cost(cell->view, cell->index, &cost) ? &cost.dollars_per_million
                                                                     : NULL);
}

static void write_cell_tokens(struct json_writer *out, const struct member *row,
                              const void *object)
{
    const struct cell_view *cell = object;
    struct amount speed;

    present_interval(out, row->name,
                     sweep_cell_tokens(cell->view, cell->index, &speed) ? &speed : NULL);
}

MEMBER_KNOWN(shares_are_known, struct time_shares, shares, shares->known)

static const struct member shares_rows[] = {
    {MEMBER(struct time_shares, input), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct time_shares, compute), .range = MEMBER_NOT_NEGATIVE},
    {0},
};
static const struct members shares_members = {.rows = shares_rows, .is_known = shares_are_known};

void sweep_cell_write_tied(struct json_writer *out, const char *key,
                           const struct sweep_view *view, size_t index)
{
    jsonw_open(out, key, '[');
    for (size_t i = 0; i < view->result->count; i++)
        if (sweep_cells_tie(view->result, index, i))
            jsonw_text(out, NULL, view->row->cells[i].name);
    jsonw_close(out, ']');
}

static void write_tied(struct json_writer *out, const struct member *row, const void *object)
{
    const struct cell_view *cell = object;

    if (cell->result.rank.low > 0)
        sweep_cell_write_tied(out, row->name, cell->view, cell->index);
    else
        jsonw_null(out, row->name);
}

static const struct member cell_rows[] = {
    {MEMBER_AS(struct cell_view, "cell", index), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct cell_view, "name", row.name)},
    {MEMBER_AS(struct cell_view, "round", row.round), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_SPEC_AT(struct cell_view, row.spec), .reference = "StoredSpec"},
    {MEMBER_AS(struct cell_view, "refused", row.refused), .nullable = true,
     .meaning = "Why the cell does not run on this machine."},
    {MEMBER_AS(struct cell_view, "valid_runs", result.valid), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct cell_view, "invalid_runs", result.invalid), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Counted, never used."},
    {MEMBER_AS(struct cell_view, "failed_runs", result.failed), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct cell_view, "voided_runs", result.voided), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Taken back by a user, and never used."},
    {MEMBER_AS(struct cell_view, "samples_per_second", result.throughput.value), .nullable = true,
     .range = MEMBER_POSITIVE, .meaning = "Median of the valid runs."},
    {MEMBER_OBJECT_AT(struct cell_view, "interval", result), .members = &speed_members,
     .nullable = true},
    {TOKENS_PER_SECOND(write_cell_tokens)},
    {MEMBER_WRITTEN("samples_per_dollar", MEMBER_JSON, write_samples_per_dollar),
     .reference = "Amount", .nullable = true, .meaning = "At the sweep's `price_per_hour`."},
    {MEMBER_WRITTEN("dollars_per_million_samples", MEMBER_JSON, write_cell_dollars),
     .reference = "Amount", .nullable = true},
    {MEMBER_OBJECT_AT(struct cell_view, "time_shares", result.shares), .members = &shares_members,
     .nullable = true,
     .meaning = "Where the time of the measured steps went, mean of the valid runs; null where "
                "the engine does not report it. `input`: waiting for or making the batch; "
                "`compute`: forward, backward and update."},
    {MEMBER_OBJECT_AT(struct cell_view, "ratio_to_first", result.to_first),
     .members = &cell_ratio_members, .nullable = true},
    {MEMBER_OBJECT_AT(struct cell_view, "ratio_to_previous", result.to_previous),
     .members = &cell_ratio_members, .nullable = true},
    {MEMBER_OBJECT_AT(struct cell_view, "ratio_to_best", result.to_best),
     .members = &cell_ratio_members, .nullable = true},
    {MEMBER_WRITTEN("efficiency", MEMBER_OBJECT, write_efficiency),
     .members = &efficiency_members, .nullable = true},
    {MEMBER_OBJECT_AT(struct cell_view, "rank", result.rank), .members = &rank_interval_members,
     .nullable = true,
     .meaning = "The ranks that the cell may have, by samples a second; null without a value. "
                "With 95 % the true ranks of all cells together lie between low and high."},
    {MEMBER_AS(struct cell_view, "may_be_best", result.rank.may_be_best),
     .meaning = "No other cell is surely faster."},
    {MEMBER_WRITTEN("cannot_be_told_apart_from", MEMBER_LIST, write_tied), .nullable = true,
     .schema = "{\"type\": \"string\"}",
     .meaning = "Names of those cells; null without a value."},
    {MEMBER_LIST_OF("runs", &cell_run_members), .write = write_cell_runs},
    {0},
};
const struct members sweep_cell_members = {.name = "Cell", .rows = cell_rows};

struct cell_view cell_view_of(const struct sweep_view *view, size_t index)
{
    return (struct cell_view){.view = view,
                              .index = index,
                              .row = view->row->cells[index],
                              .result = view->result->cells[index]};
}
