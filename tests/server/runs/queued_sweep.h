/* A sweep whose runs are queued, for one test. */
#pragma once

#include "db/runs/sweeps.h"
#include "tests/db/database.h"

/* Of one short run. */
#define ONE_RUN                                                                                  \
    "{\"base\":{\"engine\":\"ok\",\"steps\":3,\"warmup_steps\":0},\"knobs\":{\"seed\":[1]},"     \
    "\"blocks\":1}"

/* Its request as a client sends it. */
static inline struct run_id queued_sweep(struct db *db, const struct place *place,
                                         const char *request)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct run_id id = {""};
    bool replayed;

    EXPECT_OK(sweep_from_text(request, strlen(request), place, &sweep, &err));
    EXPECT_OK(sweeps_create(db,
                            &(struct sweep_order){.sweep = &sweep,
                                                  .blocks = sweep.blocks,
                                                  .request = request,
                                                  .instance = "",
                                                  .now_us = NOON_US,
                                                  .queue_limit = 10},
                            &id, &replayed, &err));
    return id;
}

/* On a machine of as many cores. */
static inline struct run_id queued_sweep_on(struct db *db, int cores, const char *request)
{
    struct topology topology = {
        .cpu_count = cores, .core_count = cores, .package_count = 1, .node_count = 1};
    const struct place place = {.topology = &topology, .isa = CPU_AVX2, .root = "/nowhere"};

    return queued_sweep(db, &place, request);
}

static inline enum sweep_state sweep_state_of(struct db *db, const struct run_id *id)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    EXPECT(sweeps_find(db, id->text, &row, NULL));
    return row.state;
}
