#include "engine/sweep/sweep_result.h"

#include "common/cleanup.h"
#include "engine/stats/stats.h"

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

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Median, and Student's t on the logarithms, whose squared distances from their mean it sums. */
static struct measure measure_of(double *values, size_t count, double *ret_squares)
{
    double mean = 0, squares = 0, half;

    qsort(values, count, sizeof *values, by_size);
    for (size_t i = 0; i < count; i++)
        mean += log(values[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    *ret_squares = squares;
    half = stats_t95(count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
    return (struct measure){.value = (values[(count - 1) / 2] + values[count / 2]) / 2,
                            .low = exp(mean - half),
                            .high = exp(mean + half)};
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

static bool summarize_cell(const struct sweep_run *runs, size_t count, size_t index,
                           struct cell_result *cell)
{
    AUTO(freep) double *values = malloc((count + 1) * sizeof *values);
    const struct sweep_run *only = NULL;
    size_t valid = 0, shared = 0;

    if (!values)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].cell != index)
            continue;
        count_run(&runs[i], cell);
        if (!is_valid(&runs[i]))
            continue;
        only = &runs[i];
        add_shares(&runs[i].shares, &shared, &cell->shares);
        values[valid++] = runs[i].throughput.value;
    }
    cell->over_runs = valid > 1;
    if (valid > 1)
        cell->throughput = measure_of(values, valid, &cell->log_squares);
    else if (only)
        cell->throughput = only->throughput;
    return true;
}

/* By blocks where there are two in which both were measured: what both saw cancels out. Else as
 * sure as their intervals. */
static struct ratio ratio_of(const struct sweep_run *runs, size_t count,
                             const struct sweep_result *result, size_t a, size_t b)
{
    double of_a[BLOCKS_MAX], of_b[BLOCKS_MAX];
    size_t pairs = 0;

    if (!(result->cells[a].throughput.value > 0) || !(result->cells[b].throughput.value > 0))
        return (struct ratio){.known = false};
    for (long long block = 0, blocks = blocks_of(runs, count); block < blocks; block++) {
        const struct sweep_run *run_a = find_run(runs, count, a, block);
        const struct sweep_run *run_b = find_run(runs, count, b, block);

        if (!run_a || !run_b)
            continue;
        of_a[pairs] = run_a->throughput.value;
        of_b[pairs++] = run_b->throughput.value;
    }
    if (pairs > 1)
        return compare_pairs(of_a, of_b, pairs);
    return compare_measures(&result->cells[a].throughput, &result->cells[b].throughput);
}

/* How far runs of one cell lie from each other, over all cells that have two: standard deviation
 * of the logarithm. */
struct run_spread {
    double squares, deviation;
    size_t degrees;
};

static struct run_spread spread_of(const struct sweep_result *result)
{
    struct run_spread spread = {0};

    for (size_t i = 0; i < result->count; i++) {
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

static bool beats(const struct cell_result *cell, const struct cell_result *best,
                  const struct run_spread *spread)
{
    double low = lower_bound(cell, spread), other = lower_bound(best, spread);

    if (low > 0 || other > 0)
        return low > other;
    return cell->throughput.value > best->throughput.value;
}

static size_t find_best(const struct sweep_result *result, size_t from)
{
    const struct run_spread spread = spread_of(result);
    size_t best = result->count;

    for (size_t i = from; i < result->count; i++)
        if (result->cells[i].throughput.value > 0 &&
            (best == result->count || beats(&result->cells[i], &result->cells[best], &spread)))
            best = i;
    return best == result->count && from > 0 ? find_best(result, 0) : best;
}

/* The best cell gets rank 1 with all that are not surely slower; of the rest the fastest gets the
 * next rank, with all that tie with it. */
static void rank_cells(const struct sweep_run *runs, size_t count, struct sweep_result *result)
{
    for (int rank = 1;; rank++) {
        size_t leader = rank == 1 ? result->best : result->count;

        for (size_t i = 0; rank > 1 && i < result->count; i++)
            if (result->cells[i].rank == 0 && result->cells[i].throughput.value > 0 &&
                (leader == result->count ||
                 result->cells[i].throughput.value > result->cells[leader].throughput.value))
                leader = i;
        if (leader == result->count)
            return;
        for (size_t i = 0; i < result->count; i++) {
            struct cell_result *cell = &result->cells[i];
            struct ratio ratio = ratio_of(runs, count, result, i, leader);

            if (cell->rank == 0 && cell->throughput.value > 0 &&
                (i == leader || compare_judge(&ratio, COMPARE_MARGIN) != COMPARE_WORSE))
                cell->rank = rank;
        }
    }
}

bool sweep_result_compute(const struct sweep_run *runs, size_t run_count, size_t cell_count,
                          size_t final_from, struct sweep_result *ret_result)
{
    struct sweep_result result = {.cells = calloc(cell_count + 1, sizeof *result.cells),
                                  .count = cell_count};

    if (!result.cells)
        return false;
    for (size_t i = 0; i < cell_count; i++)
        if (!summarize_cell(runs, run_count, i, &result.cells[i])) {
            free(result.cells);
            return false;
        }
    result.best = find_best(&result, final_from);
    for (size_t i = 0; result.best < cell_count && i < cell_count; i++) {
        struct cell_result *cell = &result.cells[i];

        cell->to_first = ratio_of(runs, run_count, &result, i, 0);
        cell->to_best = ratio_of(runs, run_count, &result, i, result.best);
        if (i > 0)
            cell->to_previous = ratio_of(runs, run_count, &result, i, i - 1);
    }
    rank_cells(runs, run_count, &result);
    *ret_result = result;
    return true;
}

void sweep_result_clear(struct sweep_result *result)
{
    freep(&result->cells);
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
