#include "server/http/json/present_sweep.h"

#include "common/clock.h"
#include "server/prices/price_json.h"

#include <string.h>

static void present_ratio(struct out *out, const char *key, const struct ratio *ratio)
{
    if (!ratio->known) {
        out_null(out, key);
        return;
    }
    out_open(out, key, '{');
    out_number(out, "value", ratio->value);
    out_number(out, "low", ratio->low);
    out_number(out, "high", ratio->high);
    out_text(out, "verdict", compare_name(compare_judge(ratio, COMPARE_MARGIN)));
    out_number(out, "smallest_detectable_change", compare_detectable(ratio, COMPARE_MARGIN));
    out_close(out, '}');
}

static void present_speed_interval(struct out *out, const struct cell_result *cell)
{
    if (!(cell->throughput.low > 0)) {
        out_null(out, "interval");
        return;
    }
    out_open(out, "interval", '{');
    out_number(out, "low", cell->throughput.low);
    out_number(out, "high", cell->throughput.high);
    out_number(out, "level", 0.95);
    out_text(out, "over", cell->over_runs ? "runs" : "steps of one run");
    out_close(out, '}');
}

static void present_runs(struct out *out, const struct sweep_view *view, size_t cell)
{
    out_open(out, "runs", '[');
    for (size_t i = 0; i < view->run_count; i++) {
        const struct sweep_row_run *row = &view->runs[i];

        if (row->run.cell != cell)
            continue;
        out_open(out, NULL, '{');
        out_text(out, "id", row->id.text);
        out_text(out, "state", run_state_name(row->run.state));
        out_integer(out, "block", row->run.block);
        out_integer(out, "position", (long long)i);
        if (row->run.validity == VALIDITY_UNKNOWN)
            out_null(out, "validity");
        else
            out_text(out, "validity", validity_name(row->run.validity));
        if (row->run.throughput.value > 0)
            out_number(out, "samples_per_second", row->run.throughput.value);
        else
            out_null(out, "samples_per_second");
        out_close(out, '}');
    }
    out_close(out, ']');
}

/* How much of n threads' speed is there, where the cells are numbers of threads. */
static void present_efficiency(struct out *out, const struct sweep_view *view, size_t index)
{
    const struct ratio *ratio = &view->result->cells[index].to_first;
    const char *name = view->row->cells[index].name;
    double threads;

    if (view->preset != SWEEP_THREADS || !ratio->known ||
        sscanf(name, "threads=%lf", &threads) != 1 || !(threads > 0)) {
        out_null(out, "efficiency");
        return;
    }
    out_open(out, "efficiency", '{');
    out_number(out, "value", ratio->value / threads);
    out_number(out, "low", ratio->low / threads);
    out_number(out, "high", ratio->high / threads);
    out_close(out, '}');
}

/* Dollars an hour as the latest run of the sweep was charged: one price for all cells, so that
 * dollars differ only where speeds do. 0 where no run has one. */
static double dollars_per_hour(const struct sweep_view *view)
{
    for (size_t i = view->run_count; i > 0; i--)
        if (view->runs[i - 1].dollars_per_hour > 0)
            return view->runs[i - 1].dollars_per_hour;
    return 0;
}

/* False where the speed of the cell, or the price, is not known. */
static bool cell_cost(const struct sweep_view *view, const struct cell_result *cell,
                      struct cost *ret_cost)
{
    const struct amount speed = {.value = cell->throughput.value,
                                 .low = cell->throughput.low,
                                 .high = cell->throughput.high,
                                 .has_interval = cell->throughput.low > 0};

    return cost_of(&speed, dollars_per_hour(view), ret_cost);
}

static void present_cell_cost(struct out *out, const struct sweep_view *view,
                              const struct cell_result *cell)
{
    struct cost cost;
    bool known = cell_cost(view, cell, &cost);

    present_interval(out, "samples_per_dollar", known ? &cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     known ? &cost.dollars_per_million : NULL);
}

static void present_cell(struct out *out, const struct sweep_view *view, size_t index)
{
    const struct sweep_row_cell *row = &view->row->cells[index];
    const struct cell_result *cell = &view->result->cells[index];

    out_open(out, NULL, '{');
    out_integer(out, "cell", (long long)index);
    out_text(out, "name", row->name);
    out_integer(out, "round", row->round);
    out_raw(out, "spec", row->spec_text);
    out_text(out, "refused", row->refused);
    out_integer(out, "valid_runs", cell->valid);
    out_integer(out, "invalid_runs", cell->invalid);
    out_integer(out, "failed_runs", cell->failed);
    if (cell->throughput.value > 0)
        out_number(out, "samples_per_second", cell->throughput.value);
    else
        out_null(out, "samples_per_second");
    present_speed_interval(out, cell);
    present_cell_cost(out, view, cell);
    present_ratio(out, "ratio_to_first", &cell->to_first);
    present_ratio(out, "ratio_to_previous", &cell->to_previous);
    present_ratio(out, "ratio_to_best", &cell->to_best);
    present_efficiency(out, view, index);
    if (cell->rank > 0)
        out_integer(out, "rank", cell->rank);
    else
        out_null(out, "rank");
    out_bool(out, "tied_with_best", cell->rank == 1);
    present_runs(out, view, index);
    out_close(out, '}');
}

static void present_progress_of_runs(struct out *out, const struct sweep_view *view)
{
    long long counts[RUN_STATES] = {0}, done, left;
    double elapsed;

    for (size_t i = 0; i < view->run_count; i++)
        counts[view->runs[i].run.state]++;
    left = counts[RUN_QUEUED] + counts[RUN_RUNNING];
    done = (long long)view->run_count - left;
    elapsed = (double)((view->row->ended_us ? view->row->ended_us : view->now_us) -
                       view->row->created_us) /
              1e6;
    out_open(out, "progress", '{');
    out_integer(out, "runs_total", (long long)view->run_count);
    out_integer(out, "runs_done", done);
    out_integer(out, "runs_running", counts[RUN_RUNNING]);
    out_number(out, "elapsed_seconds", elapsed);
    if (view->row->state != SWEEP_RUNNING)
        out_number(out, "seconds_left", 0);
    else if (done > 0)
        out_number(out, "seconds_left", elapsed / (double)done * (double)left);
    else
        out_null(out, "seconds_left");
    out_close(out, '}');
}

static void present_alarms(struct out *out, const struct sweep_view *view)
{
    const struct false_alarms *alarms = &view->alarms;

    if (view->preset != SWEEP_AA || alarms->pairs == 0) {
        out_null(out, "false_alarms");
        return;
    }
    out_open(out, "false_alarms", '{');
    out_integer(out, "pairs", alarms->pairs);
    out_integer(out, "alarms", alarms->alarms);
    out_number(out, "rate", (double)alarms->alarms / alarms->pairs);
    out_number(out, "low", alarms->low);
    out_number(out, "high", alarms->high);
    out_number(out, "margin", COMPARE_MARGIN);
    out_close(out, '}');
}

static void present_best(struct out *out, const struct sweep_view *view)
{
    const struct sweep_result *result = view->result;

    if (result->best >= result->count) {
        out_null(out, "best");
        return;
    }
    out_open(out, "best", '{');
    out_integer(out, "cell", (long long)result->best);
    out_text(out, "name", view->row->cells[result->best].name);
    out_open(out, "tied_with", '[');
    for (size_t i = 0; i < result->count; i++)
        if (i != result->best && result->cells[i].rank == 1)
            out_text(out, NULL, view->row->cells[i].name);
    out_close(out, ']');
    out_close(out, '}');
}

static void present_members(struct out *out, const struct sweep_row *row)
{
    out_text(out, "id", row->id.text);
    out_text(out, "state", sweep_state_name(row->state));
    out_raw(out, "request", row->request);
    out_time(out, "created_at", row->created_us);
    out_time(out, "ended_at", row->ended_us);
    out_integer(out, "rounds", row->rounds);
}

void present_sweep_head(struct out *out, const struct sweep_row *row)
{
    out_open(out, NULL, '{');
    present_members(out, row);
    out_close(out, '}');
}

void present_sweep(struct out *out, const struct sweep_view *view)
{
    out_open(out, NULL, '{');
    present_members(out, view->row);
    out_text(out, "preset", sweep_preset_name(view->preset));
    out_number(out, "margin", COMPARE_MARGIN);
    if (dollars_per_hour(view) > 0)
        out_number(out, "price_per_hour", dollars_per_hour(view));
    else
        out_null(out, "price_per_hour");
    present_progress_of_runs(out, view);
    present_best(out, view);
    present_alarms(out, view);
    out_open(out, "notes", '[');
    if (view->preset == SWEEP_TUNE || view->preset == SWEEP_BATCH || view->preset == SWEEP_LADDER)
        out_text(out, NULL, "Another batch size or precision may change how training converges.");
    out_close(out, ']');
    out_open(out, "cells", '[');
    for (size_t i = 0; i < view->row->count; i++)
        present_cell(out, view, i);
    out_close(out, ']');
    out_close(out, '}');
}

static bool write_ratio(struct bytes *text, const struct ratio *ratio)
{
    return ratio->known
               ? bytes_printf(text, ",%.4f,%.4f,%.4f", ratio->value, ratio->low, ratio->high)
               : bytes_printf(text, ",,,");
}

/* Quoted, because names and reasons may hold commas. */
static bool write_text(struct bytes *text, const char *words)
{
    bool ok = bytes_add(text, "\"", 1);

    for (const char *c = words; ok && *c; c++)
        ok = (*c != '"' || bytes_add(text, "\"", 1)) && bytes_add(text, c, 1);
    return ok && bytes_add(text, "\"", 1);
}

/* Dollars a million samples, and between which they lie. */
static bool write_dollars(struct bytes *text, const struct sweep_view *view,
                          const struct cell_result *cell)
{
    struct cost cost;
    bool known = cell_cost(view, cell, &cost);
    const struct amount *dollars = &cost.dollars_per_million;

    if (!known)
        return bytes_printf(text, ",,,");
    if (!dollars->has_interval)
        return bytes_printf(text, ",%.6g,,", dollars->value);
    return bytes_printf(text, ",%.6g,%.6g,%.6g", dollars->value, dollars->low, dollars->high);
}

static bool write_cell(struct bytes *text, const struct sweep_view *view, size_t index)
{
    const struct sweep_row_cell *row = &view->row->cells[index];
    const struct cell_result *cell = &view->result->cells[index];
    bool ok = bytes_printf(text, "%zu,", index) && write_text(text, row->name) &&
              bytes_printf(text, ",%lld,%d,%d,%d,%d", row->round, cell->rank, cell->valid,
                           cell->invalid, cell->failed);

    if (cell->throughput.value > 0)
        ok = ok && bytes_printf(text, ",%.6g", cell->throughput.value);
    else
        ok = ok && bytes_printf(text, ",");
    if (cell->throughput.low > 0)
        ok = ok && bytes_printf(text, ",%.6g,%.6g", cell->throughput.low, cell->throughput.high);
    else
        ok = ok && bytes_printf(text, ",,");
    return ok && write_ratio(text, &cell->to_first) && write_ratio(text, &cell->to_previous) &&
           write_ratio(text, &cell->to_best) && bytes_add(text, ",", 1) &&
           write_text(text, row->refused ? row->refused : "") &&
           write_dollars(text, view, cell) && bytes_printf(text, "\r\n");
}

bool present_sweep_csv(struct bytes *text, const struct sweep_view *view)
{
    bool ok = bytes_printf(
        text, "cell,name,round,rank,valid_runs,invalid_runs,failed_runs,samples_per_second,low,"
              "high,ratio_to_first,low,high,ratio_to_previous,low,high,ratio_to_best,low,high,"
              "refused,dollars_per_million_samples,low,high\r\n");

    for (size_t i = 0; ok && i < view->row->count; i++)
        ok = write_cell(text, view, i);
    return ok;
}
