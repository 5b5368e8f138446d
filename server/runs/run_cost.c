#include "server/runs/run_cost.h"

#include "common/cleanup.h"
#include "server/base/log.h"

void run_cost_look(struct this_machine *here, struct db *db, const struct run *run,
                   struct run_cost *ret_cost)
{
    struct error err = {0};

    *ret_cost = (struct run_cost){.at_us = run->started_us};
    this_machine_identity(here, &ret_cost->identity);
    if (!this_machine_price(here, db, run->started_us, &ret_cost->price, &err))
        log_line(LOG_ERROR, "run %s: its price could not be read: %s", run->id.text, err.message);
}

void run_cost_keep(struct run *run, const struct run_cost *cost, struct this_machine *here)
{
    const struct identity *identity = &cost->identity;
    const struct range *throughput = &run->summary.throughput;
    const struct amount speed = {.value = run->summary.samples_per_second,
                                 .low = throughput->low,
                                 .high = throughput->high,
                                 .has_interval = throughput->known};

    memcpy(run->where.provider, identity->provider, sizeof run->where.provider);
    memcpy(run->where.region, identity->region, sizeof run->where.region);
    memcpy(run->where.zone, identity->zone, sizeof run->where.zone);
    this_machine_vm(here, run->where.vm);
    run->paid = paid_price_of(&cost->price);
    run->price = run_cost_to_text(cost, run_is_worth_a_price(run) ? &speed : NULL);
}
