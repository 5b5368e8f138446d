#include "engine/sweep/sweep_result.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/stats/pool.h"
#include "engine/stats/stats.h"
#include "engine/sweep/sweep_ranks.h"

#include <math.h>

#define BLOCKS_MAX 128 /* more than any sweep has */

/* How many blocks there are, so that a reader looks for no more. */
static long long blocks_of(const struct sweep_run *runs, size_t count)
{
    long long blocks = 0;

    for (size_t i = 0; i < count; i++)
        if (runs[i].block >= blocks && runs[i].block < BLOCKS_MAX)
            blocks = runs[i].block + 1;
    return blocks;
}

static bool is_valid(const struct sweep_run *run)
{
    return run->state == RUN_FINISHED && !run->is_void &&
           (run->validity == VALIDITY_OK || run->validity == VALIDITY_WARN) &&
           run->throughput.value > 0;
}

/* The valid run of a cell in a block: the latest, for one that was interrupted is run again. */
static const struct sweep_run *find_run(const struct sweep_run *runs, size_t count, size_t cell,
                                        long long block)
{
    const struct sweep_run *found = NULL;

    for (size_t i = 0; i < count; i++)
        if (runs[i].cell == cell && runs[i].block == block && is_valid(&runs[i]))
            found = &runs[i];
    return found;
}

/* All runs of a cell are of one machine. */
static struct measure measure_of(const struct pool_run *runs, size_t count)
{
    const struct pool_estimate estimate = pool_runs(runs, count, POOL_SEEN);

    return (struct measure){
        .value = exp(estimate.value), .low = exp(estimate.low), .high = exp(estimate.high)};
}

/* Squared distances of the logarithms from their mean. */
static double squares_of(const struct pool_run *runs, size_t count)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        mean += runs[i].value / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (runs[i].value - mean) * (runs[i].value - mean);
    return squares;
}

static void count_run(const struct sweep_run *run, struct cell_result *cell)
{
    cell->runs++;
    if (run->is_void)
        cell->voided++;
    else if (is_valid(run))
        cell->valid++;
    else if (run->state == RUN_FINISHED)
        cell->invalid++;
    else if (run_state_is_final(run->state))
        cell->failed++;
}

static void add_shares(const struct time_shares *shares, size_t *count, struct time_shares *mean)
{
    if (!shares->known)
        return;
    mean->known = true;
    mean->input += (shares->input - mean->input) / (double)++*count;
    mean->compute += (shares->compute - mean->compute) / (double)*count;
}

static void summarize_cell(const struct sweep_run *runs, size_t count, size_t index,
                           struct cell_result *cell)
{
    AUTO(freep) struct pool_run *values = xcalloc(count, sizeof *values);
    const struct sweep_run *only = NULL;
    size_t valid = 0, shared = 0;
    double stretch = 0;

    for (size_t i = 0; i < count; i++) {
        if (runs[i].cell != index)
            continue;
        count_run(&runs[i], cell);
        if (!is_valid(&runs[i]))
            continue;
        only = &runs[i];
        add_shares(&runs[i].shares, &shared, &cell->shares);
        values[valid++] = pool_run_of(&runs[i].throughput);
        stretch += compare_stretch(&runs[i].throughput);
    }
    cell->over_runs = valid > 1;
    if (valid > 0)
        cell->stretch = stretch / (double)valid;
    if (valid > 1) {
        cell->log_squares = squares_of(values, valid);
        cell->throughput = measure_of(values, valid);
    } else if (only) {
        cell->throughput = only->throughput;
    }
}

/* By blocks where there are two in which both were measured: what both saw cancels out. Else as
 * sure as their intervals. Of a cell to itself: surely 1. */
static struct ratio ratio_of(const struct sweep_run *runs, size_t count,
                             const struct sweep_result *result, size_t a, size_t b)
{
    double of_a[BLOCKS_MAX], of_b[BLOCKS_MAX], more = 0;
    struct ratio ratio;
    size_t pairs = 0;

    if (!(result->cells[a].throughput.value > 0) || !(result->cells[b].throughput.value > 0))
        return (struct ratio){.known = false};
    if (a == b)
        return (struct ratio){true, 1, 1, 1};
    for (long long block = 0, blocks = blocks_of(runs, count); block < blocks; block++) {
        const struct sweep_run *run_a = find_run(runs, count, a, block);
        const struct sweep_run *run_b = find_run(runs, count, b, block);

        if (!run_a || !run_b)
            continue;
        of_a[pairs] = run_a->throughput.value;
        of_b[pairs++] = run_b->throughput.value;
        more += compare_stretch(&run_a->throughput) - compare_stretch(&run_b->throughput);
    }
    if (pairs < 2)
        return compare_measures(&result->cells[a].throughput, &result->cells[b].throughput);
    ratio = compare_pairs(of_a, of_b, pairs);
    more /= (double)pairs;
    compare_widen(&ratio, fmax(more, 0), fmax(-more, 0));
    return ratio;
}

/* How far runs of one cell lie from each other, over all cells of a group that have two: standard
 * deviation of the logarithm. */
struct run_spread {
    double squares, deviation;
    size_t degrees;
};

static struct run_spread spread_of(const struct sweep_result *result, size_t group)
{
    struct run_spread spread = {0};

    for (size_t i = 0; i < result->count; i++) {
        if (result->cells[i].group != group)
            continue;
        spread.squares += result->cells[i].log_squares;
        spread.degrees += result->cells[i].valid > 1 ? (size_t)result->cells[i].valid - 1 : 0;
    }
    if (spread.degrees > 0)
        spread.deviation = sqrt(spread.squares / (double)spread.degrees);
    return spread;
}

/* What a cell surely reaches. */
static double lower_bound(const struct cell_result *cell, const struct run_spread *spread)
{
    if (spread->degrees > 0 && cell->valid > 0)
        return cell->throughput.value *
               exp(-stats_t95(spread->degrees) * spread->deviation / sqrt((double)cell->valid));
    return cell->throughput.low;
}

static bool sweep_result_beats(const struct cell_result *cell, const struct cell_result *best,
                               const struct run_spread *spread)
{
    double low = lower_bound(cell, spread), other = lower_bound(best, spread);

    if (low > 0 || other > 0)
        return low > other;
    return cell->throughput.value > best->throughput.value;
}

static size_t find_best(const struct sweep_result *result, size_t group, size_t from)
{
    const struct run_spread spread = spread_of(result, group);
    size_t best = result->count;

    for (size_t i = from; i < result->count; i++)
        if (result->cells[i].group == group && result->cells[i].throughput.value > 0 &&
            (best == result->count ||
             sweep_result_beats(&result->cells[i], &result->cells[best], &spread)))
            best = i;
    return best == result->count && from > 0 ? find_best(result, group, 0) : best;
}

/* Whether other cells of the group ran too and none of them has a value: then what is left is no
 * winner. */
static bool is_lone_survivor(const struct sweep_result *result, size_t group)
{
    size_t ran = 0, left = 0;

    for (size_t i = 0; i < result->count; i++) {
        if (result->cells[i].group != group)
            continue;
        ran += result->cells[i].runs > 0;
        left += result->cells[i].throughput.value > 0;
    }
    return ran > 1 && left == 1;
}

/* Its rows are the members of one group. */
static void fill_grid(const struct sweep_run *runs, size_t count, const size_t *members,
                      size_t cells, struct sweep_grid *grid)
{
    *grid = (struct sweep_grid){.cells = cells, .blocks = (size_t)blocks_of(runs, count)};
    grid->logs = xcalloc(cells * grid->blocks, sizeof *grid->logs);
    for (size_t i = 0; i < cells; i++)
        for (size_t j = 0; j < grid->blocks; j++) {
            const struct sweep_run *run = find_run(runs, count, members[i], (long long)j);

            grid->logs[i * grid->blocks + j] = run ? log(run->throughput.value) : NAN;
        }
}

/* Where no cell ran twice, a cell is as sure as the interval of its only run's steps. */
static struct rank_row row_of_steps(const struct cell_result *cell)
{
    const struct measure *speed = &cell->throughput;
    struct rank_row row = {
        .estimate = log(speed->value), .error = NOTHING_KNOWN, .degrees = INFINITY};

    if (!(speed->low > 0))
        return row;
    row.estimate = (log(speed->high) + log(speed->low)) / 2;
    row.error = (log(speed->high) - log(speed->low)) / (2 * Z_95);
    return row;
}

/* What disturbed all cells alike cancels out; a cell that was disturbed more may be faster. */
static void widen_rows(const struct sweep_result *result, const size_t *members, size_t count,
                       struct rank_row *rows)
{
    double least = INFINITY;

    for (size_t i = 0; i < count; i++)
        if (result->cells[members[i]].valid > 0)
            least = fmin(least, result->cells[members[i]].stretch);
    for (size_t i = 0; i < count; i++) {
        double half = (result->cells[members[i]].stretch - least) / 2;

        if (result->cells[members[i]].valid == 0)
            continue;
        rows[i].estimate += half;
        rows[i].error = hypot(rows[i].error, half / Z_95);
    }
}

static void rank_cells(const struct sweep_run *runs, size_t run_count, const size_t *members,
                       size_t count, struct sweep_result *result)
{
    AUTO(freep) struct rank_row *rows = xcalloc(count, sizeof *rows);
    struct rank_intervals *intervals = &result->intervals[result->cells[members[0]].group];
    struct sweep_grid grid;
    size_t ranked = 0;
    bool made;

    fill_grid(runs, run_count, members, count, &grid);
    made = sweep_rank_rows(&grid, rows);
    free(grid.logs);
    if (made)
        widen_rows(result, members, count, rows);
    for (size_t i = 0; i < count; i++) {
        struct cell_result *cell = &result->cells[members[i]];

        if (!(cell->throughput.value > 0))
            continue;
        cell->rank_row = ranked;
        rows[ranked++] = made ? rows[i] : row_of_steps(cell);
    }
    rank_intervals_compute(rows, ranked, COMPARE_MARGIN, intervals);
    for (size_t i = 0; i < count; i++)
        if (result->cells[members[i]].throughput.value > 0)
            result->cells[members[i]].rank = intervals->rows[result->cells[members[i]].rank_row];
}

static void compare_group(const struct sweep_run *runs, size_t run_count, size_t group,
                          size_t final_from, struct sweep_result *result)
{
    AUTO(freep) size_t *members = xcalloc(result->count, sizeof *members);
    size_t best = find_best(result, group, final_from), count = 0;

    for (size_t i = 0; i < result->count; i++)
        if (result->cells[i].group == group)
            members[count++] = i;
    for (size_t i = 0; best < result->count && i < count; i++) {
        struct cell_result *cell = &result->cells[members[i]];

        cell->to_first = ratio_of(runs, run_count, result, members[i], members[0]);
        cell->to_best = ratio_of(runs, run_count, result, members[i], best);
        if (i > 0)
            cell->to_previous = ratio_of(runs, run_count, result, members[i], members[i - 1]);
    }
    result->best =
        result->group_count > 1 || is_lone_survivor(result, group) ? result->count : best;
    if (count > 0)
        rank_cells(runs, run_count, members, count, result);
}

/* The groups that there are; at least one. */
static size_t take_groups(const size_t *groups, struct sweep_result *result)
{
    size_t count = 1;

    for (size_t i = 0; groups && i < result->count; i++) {
        result->cells[i].group = groups[i];
        if (groups[i] >= count)
            count = groups[i] + 1;
    }
    return count;
}

void sweep_result_compute(const struct sweep_run *runs, size_t run_count, size_t cell_count,
                          size_t final_from, const size_t *groups,
                          struct sweep_result *ret_result)
{
    struct sweep_result result = {.cells = xcalloc(cell_count, sizeof *result.cells),
                                  .count = cell_count,
                                  .best = cell_count};

    result.group_count = take_groups(groups, &result);
    result.intervals = xcalloc(result.group_count, sizeof *result.intervals);
    for (size_t i = 0; i < cell_count; i++)
        summarize_cell(runs, run_count, i, &result.cells[i]);
    for (size_t group = 0; group < result.group_count; group++)
        compare_group(runs, run_count, group, final_from, &result);
    *ret_result = result;
}

enum comparison sweep_verdict(const struct sweep_result *result, size_t left, size_t right)
{
    const struct cell_result *l = &result->cells[left], *r = &result->cells[right];

    if (l->rank.low == 0 || r->rank.low == 0 || l->group != r->group)
        return COMPARE_TIED;
    return rank_verdict(&result->intervals[l->group], l->rank_row, r->rank_row);
}

void sweep_result_clear(struct sweep_result *result)
{
    freep(&result->cells);
    for (size_t i = 0; result->intervals && i < result->group_count; i++)
        rank_intervals_clear(&result->intervals[i]);
    freep(&result->intervals);
    *result = (struct sweep_result){0};
}

struct false_alarms sweep_false_alarms(const struct sweep_run *runs, size_t run_count)
{
    struct false_alarms alarms = {0};

    for (long long block = 0, blocks = blocks_of(runs, run_count); block < blocks; block++) {
        const struct sweep_run *one = find_run(runs, run_count, 0, block);
        const struct sweep_run *other = find_run(runs, run_count, 1, block);

        if (!one || !other)
            continue;
        struct ratio ratio = compare_measures(&one->throughput, &other->throughput);
        alarms.pairs++;
        alarms.alarms += compare_judge(&ratio, COMPARE_MARGIN) != COMPARE_TIED;
    }
    stats_wilson(alarms.alarms, alarms.pairs, &alarms.low, &alarms.high);
    return alarms;
}
