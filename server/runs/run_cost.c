#include "server/runs/run_cost.h"

#include "common/cleanup.h"
#include "server/base/log.h"
#include "server/prices/typed_later.h"

void run_cost_look(struct this_machine *here, struct db *db, const struct run *run,
                   struct run_cost *ret_cost)
{
    struct error err = {0};

    *ret_cost = (struct run_cost){.at_us = run->started_us};
    this_machine_identity(here, &ret_cost->identity);
    if (!this_machine_price(here, db, run->started_us, &ret_cost->price, &err))
        log_line(LOG_ERROR, "run %s: its price could not be read: %s", run->id.text, err.message);
}

/* A price typed during a run that began without one. */
static void look_again(struct this_machine *here, struct db *db, const struct run *run,
                       struct run_cost *cost)
{
    struct machine_price typed;
    struct error err = {0};

    if (!typed_later_find(here, db, run->ended_us, &typed, &err))
        log_line(LOG_ERROR, "run %s: its price could not be read: %s", run->id.text, err.message);
    else if (typed.known)
        cost->price = typed;
}

void run_cost_follow(struct this_machine *here, struct db *db, const struct run *run,
                     struct run_cost *cost)
{
    const struct machine_price *price = &cost->price;
    struct price_window over = {.length_us = run->ended_us - run->started_us};
    const struct price_course_question question = {.series = price->at.series,
                                                   .at_us = run->ended_us};
    struct error err = {0};

    if (!price->known)
        look_again(here, db, run, cost);
    if (!price->known || price->at.price.kind != PRICE_SPOT || question.series <= 0 ||
        run->started_us <= 0 || over.length_us <= 0)
        return;
    if (!price_course(db, &question, 1, &over, &err)) {
        log_line(LOG_ERROR, "run %s: the history of its price could not be read: %s",
                 run->id.text, err.message);
        return;
    }
    /* A history of part of the time does not describe the rest. */
    if (!over.known || over.low >= over.high || over.known_us < (double)over.length_us)
        return;
    over.mean = price_exact(over.mean * price->factor);
    over.low = price_exact(over.low * price->factor);
    over.high = price_exact(over.high * price->factor);
    cost->over = over;
}

void run_cost_keep(struct run *run, const struct run_cost *cost, struct this_machine *here)
{
    const struct identity *identity = &cost->identity;
    const struct amount speed = summary_speed(&run->summary);

    memcpy(run->where.provider, identity->provider, sizeof run->where.provider);
    memcpy(run->where.region, identity->region, sizeof run->where.region);
    memcpy(run->where.zone, identity->zone, sizeof run->where.zone);
    this_machine_vm(here, run->where.vm);
    run->paid = run_cost_paid(cost);
    run->price = run_cost_to_text(cost, run_may_be_ranked(run) ? &speed : NULL);
}
