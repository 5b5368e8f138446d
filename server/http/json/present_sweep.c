#include "server/http/json/present_sweep.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "server/http/json/csv_cells.h"
#include "server/prices/price_json.h"

#include <string.h>

static void present_ratio(struct json_writer *out, const char *key, const struct ratio *ratio)
{
    if (!ratio->known) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_number(out, "value", ratio->value);
    jsonw_number(out, "low", ratio->low);
    jsonw_number(out, "high", ratio->high);
    jsonw_text(out, "verdict", compare_name(compare_judge(ratio, COMPARE_MARGIN)));
    jsonw_number(out, "smallest_detectable_change", compare_detectable(ratio, COMPARE_MARGIN));
    jsonw_close(out, '}');
}

static void present_speed_interval(struct json_writer *out, const struct cell_result *cell)
{
    if (!(cell->throughput.low > 0)) {
        jsonw_null(out, "interval");
        return;
    }
    jsonw_open(out, "interval", '{');
    jsonw_number(out, "low", cell->throughput.low);
    jsonw_number(out, "high", cell->throughput.high);
    jsonw_number(out, "level", 0.95);
    jsonw_text(out, "over", cell->over_runs ? "runs" : "steps of one run");
    jsonw_close(out, '}');
}

static void present_runs(struct json_writer *out, const struct sweep_view *view, size_t cell)
{
    jsonw_open(out, "runs", '[');
    for (size_t i = 0; i < view->run_count; i++) {
        const struct sweep_row_run *row = &view->runs[i];

        if (row->run.cell != cell)
            continue;
        jsonw_open(out, NULL, '{');
        jsonw_text(out, "id", row->id.text);
        jsonw_text(out, "state", run_state_name(row->run.state));
        jsonw_integer(out, "block", row->run.block);
        jsonw_integer(out, "position", (long long)i);
        if (row->run.validity == VALIDITY_UNKNOWN)
            jsonw_null(out, "validity");
        else
            jsonw_text(out, "validity", validity_name(row->run.validity));
        jsonw_bool(out, "voided", row->run.is_void);
        if (row->run.throughput.value > 0)
            jsonw_number(out, "samples_per_second", row->run.throughput.value);
        else
            jsonw_null(out, "samples_per_second");
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

/* How much of n threads' speed is there, where the cells are numbers of threads. */
static void present_efficiency(struct json_writer *out, const struct sweep_view *view,
                               size_t index)
{
    const struct ratio *ratio = &view->result->cells[index].to_first;
    const char *name = view->row->cells[index].name;
    double threads;

    if (view->preset != SWEEP_THREADS || !ratio->known ||
        sscanf(name, "threads=%lf", &threads) != 1 || !(threads > 0)) {
        jsonw_null(out, "efficiency");
        return;
    }
    jsonw_open(out, "efficiency", '{');
    jsonw_number(out, "value", ratio->value / threads);
    jsonw_number(out, "low", ratio->low / threads);
    jsonw_number(out, "high", ratio->high / threads);
    jsonw_close(out, '}');
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

static void present_cell_cost(struct json_writer *out, const struct sweep_view *view,
                              const struct cell_result *cell)
{
    struct cost cost;
    bool known = cell_cost(view, cell, &cost);

    present_interval(out, "samples_per_dollar", known ? &cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     known ? &cost.dollars_per_million : NULL);
}

/* As samples a second, of workloads on text. */
static bool cell_tokens(const struct sweep_view *view, size_t index, struct amount *ret_speed)
{
    double tokens = (double)run_spec_text_tokens(view->row->cells[index].spec_text);
    const struct measure *speed = &view->result->cells[index].throughput;

    *ret_speed = (struct amount){.value = tokens * speed->value,
                                 .low = tokens * speed->low,
                                 .high = tokens * speed->high,
                                 .has_interval = speed->low > 0};
    return ret_speed->value > 0;
}

static void present_tokens(struct json_writer *out, const struct sweep_view *view, size_t index)
{
    struct amount speed;

    present_interval(out, "tokens_per_second", cell_tokens(view, index, &speed) ? &speed : NULL);
}

static void present_shares(struct json_writer *out, const struct time_shares *shares)
{
    if (!shares->known) {
        jsonw_null(out, "time_shares");
        return;
    }
    jsonw_open(out, "time_shares", '{');
    jsonw_number(out, "input", shares->input);
    jsonw_number(out, "compute", shares->compute);
    jsonw_close(out, '}');
}

/* Both have a value, and neither is surely faster. */
static bool is_tied(const struct sweep_result *result, size_t index, size_t other)
{
    return index != other && result->cells[index].group == result->cells[other].group &&
           result->cells[index].rank.low > 0 && result->cells[other].rank.low > 0 &&
           sweep_verdict(result, index, other) == COMPARE_TIED;
}

/* Names of the cells that cannot be told apart from this one. */
static void present_tied(struct json_writer *out, const char *key, const struct sweep_view *view,
                         size_t index)
{
    const struct sweep_result *result = view->result;

    jsonw_open(out, key, '[');
    for (size_t i = 0; i < result->count; i++)
        if (is_tied(result, index, i))
            jsonw_text(out, NULL, view->row->cells[i].name);
    jsonw_close(out, ']');
}

static void present_rank(struct json_writer *out, const struct sweep_view *view, size_t index)
{
    const struct rank_interval *rank = &view->result->cells[index].rank;

    if (rank->low == 0) {
        jsonw_null(out, "rank");
        jsonw_bool(out, "may_be_best", false);
        jsonw_null(out, "cannot_be_told_apart_from");
        return;
    }
    jsonw_open(out, "rank", '{');
    jsonw_integer(out, "low", (long long)rank->low);
    jsonw_integer(out, "high", (long long)rank->high);
    jsonw_close(out, '}');
    jsonw_bool(out, "may_be_best", rank->may_be_best);
    present_tied(out, "cannot_be_told_apart_from", view, index);
}

void present_sweep_cell(struct json_writer *out, const struct sweep_view *view, size_t index)
{
    const struct sweep_row_cell *row = &view->row->cells[index];
    const struct cell_result *cell = &view->result->cells[index];

    jsonw_open(out, NULL, '{');
    jsonw_integer(out, "cell", (long long)index);
    jsonw_text(out, "name", row->name);
    jsonw_integer(out, "round", row->round);
    jsonw_raw(out, "spec", row->spec_text);
    jsonw_text(out, "refused", row->refused);
    jsonw_integer(out, "valid_runs", cell->valid);
    jsonw_integer(out, "invalid_runs", cell->invalid);
    jsonw_integer(out, "failed_runs", cell->failed);
    jsonw_integer(out, "voided_runs", cell->voided);
    if (cell->throughput.value > 0)
        jsonw_number(out, "samples_per_second", cell->throughput.value);
    else
        jsonw_null(out, "samples_per_second");
    present_speed_interval(out, cell);
    present_tokens(out, view, index);
    present_cell_cost(out, view, cell);
    present_shares(out, &cell->shares);
    present_ratio(out, "ratio_to_first", &cell->to_first);
    present_ratio(out, "ratio_to_previous", &cell->to_previous);
    present_ratio(out, "ratio_to_best", &cell->to_best);
    present_efficiency(out, view, index);
    present_rank(out, view, index);
    present_runs(out, view, index);
    jsonw_close(out, '}');
}

void present_sweep_progress(struct json_writer *out, const char *key,
                            const struct sweep_view *view)
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
    jsonw_open(out, key, '{');
    jsonw_integer(out, "runs_total", (long long)view->run_count);
    jsonw_integer(out, "runs_done", done);
    jsonw_integer(out, "runs_running", counts[RUN_RUNNING]);
    jsonw_number(out, "elapsed_seconds", elapsed);
    if (view->row->state != SWEEP_RUNNING)
        jsonw_number(out, "seconds_left", 0);
    else if (done > 0)
        jsonw_number(out, "seconds_left", elapsed / (double)done * (double)left);
    else
        jsonw_null(out, "seconds_left");
    jsonw_close(out, '}');
}

static void present_alarms(struct json_writer *out, const struct sweep_view *view)
{
    const struct false_alarms *alarms = &view->alarms;

    if (view->preset != SWEEP_AA || alarms->pairs == 0) {
        jsonw_null(out, "false_alarms");
        return;
    }
    jsonw_open(out, "false_alarms", '{');
    jsonw_integer(out, "pairs", alarms->pairs);
    jsonw_integer(out, "alarms", alarms->alarms);
    jsonw_number(out, "rate", (double)alarms->alarms / alarms->pairs);
    jsonw_number(out, "low", alarms->low);
    jsonw_number(out, "high", alarms->high);
    jsonw_number(out, "margin", COMPARE_MARGIN);
    jsonw_close(out, '}');
}

static void present_best(struct json_writer *out, const struct sweep_view *view)
{
    const struct sweep_result *result = view->result;

    if (result->best >= result->count) {
        jsonw_null(out, "best");
        return;
    }
    jsonw_open(out, "best", '{');
    jsonw_integer(out, "cell", (long long)result->best);
    jsonw_text(out, "name", view->row->cells[result->best].name);
    present_tied(out, "cannot_be_told_apart_from", view, result->best);
    jsonw_close(out, '}');
}

static void present_members(struct json_writer *out, const struct sweep_row *row)
{
    jsonw_text(out, "id", row->id.text);
    jsonw_text(out, "state", sweep_state_name(row->state));
    jsonw_raw(out, "request", row->request);
    jsonw_time(out, "created_at", row->created_us);
    jsonw_time(out, "ended_at", row->ended_us);
    jsonw_integer(out, "rounds", row->rounds);
}

void present_sweep_head(struct json_writer *out, const struct sweep_row *row)
{
    jsonw_open(out, NULL, '{');
    present_members(out, row);
    jsonw_close(out, '}');
}

/* How many runs have no part in any number. */
static void present_lost_runs(struct json_writer *out, const struct sweep_result *result)
{
    int failed = 0, invalid = 0, all = 0;
    char text[160];

    for (size_t i = 0; i < result->count; i++) {
        failed += result->cells[i].failed;
        invalid += result->cells[i].invalid;
        all += result->cells[i].runs;
    }
    if (failed + invalid == 0)
        return;
    snprintf(text, sizeof text,
             "Of %d runs, %d failed and %d counted as invalid; each of them says why. A cell "
             "without a valid run has no number.",
             all, failed, invalid);
    jsonw_text(out, NULL, text);
}

void present_sweep(struct json_writer *out, const struct sweep_view *view)
{
    jsonw_open(out, NULL, '{');
    present_members(out, view->row);
    jsonw_text(out, "preset", sweep_preset_name(view->preset));
    jsonw_number(out, "margin", COMPARE_MARGIN);
    if (dollars_per_hour(view) > 0)
        jsonw_number(out, "price_per_hour", dollars_per_hour(view));
    else
        jsonw_null(out, "price_per_hour");
    present_sweep_progress(out, "progress", view);
    present_best(out, view);
    present_alarms(out, view);
    jsonw_open(out, "notes", '[');
    if (view->preset == SWEEP_TUNE || view->preset == SWEEP_BATCH || view->preset == SWEEP_LADDER)
        jsonw_text(out, NULL,
                   "Another batch size or precision may change how training converges.");
    if (view->result->group_count > 1)
        jsonw_text(out, NULL,
                   "Cells of different workloads are not compared: first, previous, best and "
                   "rank of a cell are those of its workload.");
    present_lost_runs(out, view->result);
    jsonw_close(out, ']');
    jsonw_open(out, "cells", '[');
    for (size_t i = 0; i < view->row->count; i++)
        present_sweep_cell(out, view, i);
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

static bool write_ratio(struct bytes *text, const struct ratio *ratio)
{
    return ratio->known
               ? bytes_printf(text, ",%.4f,%.4f,%.4f", ratio->value, ratio->low, ratio->high)
               : bytes_printf(text, ",,,");
}

static bool write_amount(struct bytes *text, const struct amount *amount)
{
    if (!amount->has_interval)
        return bytes_printf(text, ",%.6g,,", amount->value);
    return bytes_printf(text, ",%.6g,%.6g,%.6g", amount->value, amount->low, amount->high);
}

/* Dollars a million samples, what an hour costs, and samples a dollar. */
static bool write_dollars(struct bytes *text, const struct sweep_view *view,
                          const struct cell_result *cell)
{
    struct cost cost;

    if (!cell_cost(view, cell, &cost))
        return bytes_printf(text, ",,,,,,,");
    return write_amount(text, &cost.dollars_per_million) &&
           bytes_printf(text, ",%.6g", dollars_per_hour(view)) &&
           write_amount(text, &cost.samples_per_dollar);
}

static bool write_shares(struct bytes *text, const struct time_shares *shares)
{
    return shares->known ? bytes_printf(text, ",%.4g,%.4g", shares->input, shares->compute)
                         : bytes_printf(text, ",,");
}

static bool write_rank(struct bytes *text, const struct rank_interval *rank)
{
    if (rank->low == 0)
        return bytes_printf(text, ",,,");
    return bytes_printf(text, ",%zu,%zu,%s", rank->low, rank->high,
                        rank->may_be_best ? "true" : "false");
}

/* Names of the cells that cannot be told apart from this one, separated by semicolons. */
static bool write_tied(struct bytes *text, const struct sweep_view *view, size_t index)
{
    AUTO(bytes_free) struct bytes names = {.limit = text->limit};
    const struct sweep_result *result = view->result;
    bool ok = bytes_add(&names, "", 0);

    for (size_t i = 0; ok && i < result->count; i++)
        if (is_tied(result, index, i))
            ok = bytes_printf(&names, "%s%s", names.used > 0 ? "; " : "",
                              view->row->cells[i].name);
    return ok && csv_add_text(text, names.data);
}

static bool write_cell(struct bytes *text, const struct sweep_view *view, size_t index)
{
    const struct sweep_row_cell *row = &view->row->cells[index];
    const struct cell_result *cell = &view->result->cells[index];
    struct amount tokens;
    bool ok = bytes_printf(text, "%zu", index) && csv_add_text(text, row->name) &&
              bytes_printf(text, ",%lld", row->round) && write_rank(text, &cell->rank) &&
              bytes_printf(text, ",%d,%d,%d", cell->valid, cell->invalid, cell->failed);

    if (cell->throughput.value > 0)
        ok = ok && bytes_printf(text, ",%.6g", cell->throughput.value);
    else
        ok = ok && bytes_printf(text, ",");
    if (cell->throughput.low > 0)
        ok = ok && bytes_printf(text, ",%.6g,%.6g", cell->throughput.low, cell->throughput.high);
    else
        ok = ok && bytes_printf(text, ",,");
    return ok && write_ratio(text, &cell->to_first) && write_ratio(text, &cell->to_previous) &&
           write_ratio(text, &cell->to_best) &&
           csv_add_text(text, row->refused ? row->refused : "") &&
           write_dollars(text, view, cell) && write_shares(text, &cell->shares) &&
           bytes_printf(text, ",%d", cell->voided) && write_tied(text, view, index) &&
           (cell_tokens(view, index, &tokens) ? write_amount(text, &tokens)
                                              : bytes_printf(text, ",,,")) &&
           bytes_add(text, "\r\n", 2);
}

bool present_sweep_csv(struct bytes *text, const struct sweep_view *view)
{
    bool ok = bytes_printf(
        text, "cell,name,round,rank_low,rank_high,may_be_best,valid_runs,invalid_runs,failed_"
              "runs,samples_per_second,"
              "samples_per_second_low,samples_per_second_high,ratio_to_first,ratio_to_first_low,"
              "ratio_to_first_high,ratio_to_previous,ratio_to_previous_low,"
              "ratio_to_previous_high,ratio_to_best,ratio_to_best_low,ratio_to_best_high,refused,"
              "dollars_per_million_samples,dollars_per_million_samples_low,"
              "dollars_per_million_samples_high,dollars_per_hour,samples_per_dollar,"
              "samples_per_dollar_low,samples_per_dollar_high,input_share,compute_share,voided_"
              "runs,cannot_be_told_apart_from,tokens_per_second,tokens_per_second_low,"
              "tokens_per_second_high\r\n");

    for (size_t i = 0; ok && i < view->row->count; i++)
        ok = write_cell(text, view, i);
    return ok;
}
