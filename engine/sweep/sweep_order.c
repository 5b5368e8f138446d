#include "engine/sweep/sweep_order.h"

#include "engine/stats/stats.h"

static void sweep_order_swap(size_t *left, size_t *right)
{
    size_t kept = *left;

    *left = *right;
    *right = kept;
}

void sweep_order(const char *seed, long long block, size_t count, size_t ret_cells[])
{
    struct chance chance = chance_from(seed);

    for (size_t i = 0; i < count; i++)
        ret_cells[i] = i;
    chance.state += (uint64_t)(block / 2);
    chance.state = chance_next(&chance);
    for (size_t i = count; i > 1; i--)
        sweep_order_swap(&ret_cells[i - 1], &ret_cells[chance_below(&chance, i)]);
    for (size_t i = 0; block % 2 == 1 && i < count / 2; i++)
        sweep_order_swap(&ret_cells[i], &ret_cells[count - 1 - i]);
}
