#include "engine/sweep/sweep_ranks.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <math.h>
#include <string.h>

#define FIT_ROUNDS 1000
#define FIT_DONE 1e-12 /* a logarithm that moves by less has arrived */
#define NOISY 3        /* times the variance of the other cells */

/* A cell while its row is made. */
struct fitted {
    double level;       /* logarithm of its speed */
    double squares;     /* of what is left of its runs */
    double information; /* how many runs it is worth */
    size_t runs;
    bool is_noisy, is_reached;
};

struct fit {
    const struct sweep_grid *grid;
    struct fitted *cells;
    double *blocks; /* what each block saw */
    bool *is_reached;
    size_t cell_count, block_count, runs; /* with a value */
    bool by_blocks;
};

static double value_at(const struct fit *fit, size_t cell, size_t block)
{
    return fit->grid->logs[cell * fit->grid->blocks + block];
}

static size_t cells_in(const struct fit *fit, size_t block)
{
    size_t count = 0;

    for (size_t i = 0; i < fit->grid->cells; i++)
        if (!isnan(value_at(fit, i, block)))
            count++;
    return count;
}

static void count_values(struct fit *fit)
{
    for (size_t i = 0; i < fit->grid->cells; i++) {
        for (size_t j = 0; j < fit->grid->blocks; j++)
            if (!isnan(value_at(fit, i, j)))
                fit->cells[i].runs++;
        fit->cell_count += fit->cells[i].runs > 0;
        fit->runs += fit->cells[i].runs;
    }
    for (size_t j = 0; j < fit->grid->blocks; j++)
        fit->block_count += cells_in(fit, j) > 0;
}

/* Of the cells with a value in this block all are reached, if the block is or one of them is. */
static bool spread_reach(struct fit *fit, size_t block)
{
    bool moved = false;

    for (size_t i = 0; i < fit->grid->cells; i++) {
        struct fitted *cell = &fit->cells[i];

        if (isnan(value_at(fit, i, block)) || cell->is_reached == fit->is_reached[block])
            continue;
        cell->is_reached = fit->is_reached[block] = moved = true;
    }
    return moved;
}

static bool do_blocks_link_all(struct fit *fit)
{
    size_t reached = 0;
    bool moved = true;

    for (size_t i = 0; i < fit->grid->cells; i++)
        if (fit->cells[i].runs > 0) {
            fit->cells[i].is_reached = true;
            break;
        }
    while (moved) {
        moved = false;
        for (size_t j = 0; j < fit->grid->blocks; j++)
            moved |= spread_reach(fit, j);
    }
    for (size_t i = 0; i < fit->grid->cells; i++)
        reached += fit->cells[i].is_reached;
    return reached == fit->cell_count;
}

static void fit_block(struct fit *fit, size_t block)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < fit->grid->cells; i++)
        if (!isnan(value_at(fit, i, block))) {
            sum += value_at(fit, i, block) - fit->cells[i].level;
            count++;
        }
    if (count > 0)
        fit->blocks[block] = sum / (double)count;
}

/* How far it moved. */
static double fit_cell(struct fit *fit, size_t index)
{
    struct fitted *cell = &fit->cells[index];
    double sum = 0, before = cell->level;

    for (size_t j = 0; j < fit->grid->blocks; j++)
        if (!isnan(value_at(fit, index, j)))
            sum += value_at(fit, index, j) - fit->blocks[j];
    if (cell->runs > 0)
        cell->level = sum / (double)cell->runs;
    return fabs(cell->level - before);
}

/* Least squares, by turns. */
static void fit_levels(struct fit *fit)
{
    double moved = INFINITY;

    for (int round = 0; round < FIT_ROUNDS && moved > FIT_DONE; round++) {
        moved = 0;
        for (size_t j = 0; fit->by_blocks && round > 0 && j < fit->grid->blocks; j++)
            fit_block(fit, j);
        for (size_t i = 0; i < fit->grid->cells; i++)
            moved = fmax(moved, fit_cell(fit, i));
    }
}

/* A run alone in its block says only what the block saw. The last factor makes a cell that is in
 * every block worth its runs, and is exact for balanced incomplete blocks as well. */
static void sweep_ranks_weigh(struct fit *fit)
{
    double all = (double)fit->cell_count;

    for (size_t i = 0; i < fit->grid->cells; i++)
        for (size_t j = 0; j < fit->grid->blocks; j++) {
            struct fitted *cell = &fit->cells[i];
            double rest = value_at(fit, i, j) - fit->blocks[j] - cell->level;
            double share = 1 - 1 / (double)cells_in(fit, j);

            if (isnan(rest))
                continue;
            cell->squares += rest * rest;
            cell->information += fit->by_blocks ? share * all / (all - 1) : 1;
        }
}

/* Degrees of freedom of what is left of all runs. */
static double degrees_of(const struct fit *fit, bool by_blocks)
{
    double left = (double)fit->runs - (double)fit->cell_count;

    return by_blocks ? left - (double)fit->block_count + 1 : left;
}

/* Of what is left of one cell's runs. */
static double own_degrees(const struct fit *fit, const struct fitted *cell)
{
    double own = (double)cell->runs - 1;

    return fit->by_blocks ? own * (1 - 1 / (double)fit->cell_count) : own;
}

/* Finds the noisy cells, and returns the variance of the others' runs. */
static double find_noise(struct fit *fit, double *ret_degrees)
{
    double squares = 0, degrees = degrees_of(fit, fit->by_blocks), others, rest;

    for (size_t i = 0; i < fit->grid->cells; i++)
        squares += fit->cells[i].squares;
    rest = squares;
    *ret_degrees = degrees;
    for (size_t i = 0; i < fit->grid->cells; i++) {
        struct fitted *cell = &fit->cells[i];
        double own = own_degrees(fit, cell);

        others = (squares - cell->squares) / (degrees - own);
        if (cell->runs < 2 || *ret_degrees - own < 1 || cell->squares / own <= NOISY * others)
            continue;
        cell->is_noisy = true;
        rest -= cell->squares;
        *ret_degrees -= own;
    }
    return fmax(rest, 0) / *ret_degrees;
}

static struct rank_row row_of(const struct fit *fit, const struct fitted *cell, double variance,
                              double degrees)
{
    struct rank_row row = {.estimate = cell->level, .error = NOTHING_KNOWN, .degrees = INFINITY};

    if (!(cell->information > 0))
        return row;
    if (cell->is_noisy) {
        variance = cell->squares / own_degrees(fit, cell);
        row.degrees = (double)cell->runs - 1;
    } else {
        row.degrees = degrees / 2; /* two rows of one estimate have its degrees together */
    }
    row.error = sqrt(variance / cell->information);
    return row;
}

bool sweep_rank_rows(const struct sweep_grid *grid, struct rank_row *ret_rows)
{
    AUTO(freep) struct fitted *cells = xcalloc(grid->cells, sizeof *cells);
    AUTO(freep) double *blocks = xcalloc(grid->blocks, sizeof *blocks);
    AUTO(freep) bool *is_reached = xcalloc(grid->blocks, sizeof *is_reached);
    struct fit fit = {grid, cells, blocks, is_reached, 0, 0, 0, false};
    double variance, degrees;

    count_values(&fit);
    if (degrees_of(&fit, false) < 1)
        return false;
    fit.by_blocks = fit.cell_count > 1 && degrees_of(&fit, true) >= 1 && do_blocks_link_all(&fit);
    fit_levels(&fit);
    sweep_ranks_weigh(&fit);
    variance = find_noise(&fit, &degrees);
    for (size_t i = 0; i < grid->cells; i++)
        ret_rows[i] = row_of(&fit, &cells[i], variance, degrees);
    return true;
}
