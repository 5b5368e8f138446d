#include "server/runs/sweep_queue.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs/sweeps.h"
#include "engine/sweep/sweep_tune.h"

static long long possible_cells(const struct sweep *sweep)
{
    long long count = 0;

    for (size_t i = 0; i < sweep->count; i++)
        count += !sweep->cells[i].refused[0];
    return count;
}

bool sweep_queue(struct db *db, struct this_machine *here, const struct sweep_wish *wish,
                 struct run_id *ret_id, bool *ret_replayed, struct error *err)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct place place = this_machine_place(here, db);
    struct identity identity;
    struct sweep_order order = {.sweep = &sweep,
                                .request = wish->text,
                                .idempotency_key = wish->key,
                                .instance = identity.instance_type,
                                .now_us = clock_calendar_us(),
                                .queue_limit = wish->queue_limit};

    this_machine_identity(here, &identity);
    if (!sweep_from_text(wish->text, strlen(wish->text), &place, &sweep, err))
        return false;
    order.blocks = sweep.blocks;
    if (sweep.preset == SWEEP_TUNE) {
        sweep_tune_limit(&sweep, 0);
        order.blocks = sweep_tune_blocks(0);
    }
    order.may = wish->may;
    order.user = wish->user;
    order.runs = order.blocks * possible_cells(&sweep);
    return sweeps_create(db, &order, ret_id, ret_replayed, err);
}
