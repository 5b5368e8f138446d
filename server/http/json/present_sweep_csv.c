/* Tested by tests/server/http/json/present_sweep_test.c. */
#include "server/http/json/present_sweep_csv.h"

#include "common/cleanup.h"
#include "server/http/json/csv_cells.h"

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

/* Dollars per million samples, price per hour, samples per dollar. */
static bool write_dollars(struct bytes *text, const struct sweep_view *view, size_t index)
{
    struct cost cost;

    if (!sweep_cell_cost(view, index, &cost))
        return bytes_printf(text, ",,,,,,,");
    return write_amount(text, &cost.dollars_per_million) &&
           bytes_printf(text, ",%.6g", sweep_dollars_per_hour(view)) &&
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
        if (sweep_cells_tie(result, index, i))
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
           write_dollars(text, view, index) && write_shares(text, &cell->shares) &&
           bytes_printf(text, ",%d", cell->voided) && write_tied(text, view, index) &&
           (sweep_cell_tokens(view, index, &tokens) ? write_amount(text, &tokens)
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
