/* Tested by tests/api/test_price_this_machine.py. */
#include "server/prices/typed_later.h"

#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "db/prices/price_put.h"
#include "server/prices/cost_json.h"

bool typed_later_find(struct this_machine *here, struct db *db, long long at_us,
                      struct machine_price *ret_price, struct error *err)
{
    struct machine_price price;

    if (!this_machine_typed_price(here, db, at_us, &price, err))
        return false;
    if (price.known)
        snprintf(price.at.price.feed, sizeof price.at.price.feed, TYPED_LATER_FEED);
    *ret_price = price;
    return true;
}

struct renewal {
    struct machine_price price;
    long long at_us;
};

static void typed_renew(void *user, struct run *run)
{
    const struct renewal *renewal = user;
    const struct amount speed = summary_speed(&run->summary);
    char *text = run_cost_renew(run->price, &renewal->price, renewal->at_us,
                                run_may_be_ranked(run) ? &speed : NULL);

    free(run->price);
    run->price = text;
    run->paid = paid_price_of(&renewal->price);
}

/* In the caller's transaction, which has already changed the revision. */
static bool renew_all(struct this_machine *here, struct db *db, long long at_us,
                      long long *ret_count, struct error *err)
{
    struct renewal renewal = {.at_us = at_us};
    char vm[VM_SIZE];

    this_machine_vm(here, vm);
    return typed_later_find(here, db, at_us, &renewal.price, err) &&
           run_prices_renew(db,
                            &(struct run_prices_of){.vm = vm, .stratum = here->machine.stratum},
                            typed_renew, &renewal, ret_count, err);
}

/* PRICE_OWN and PRICE_TYPED exclude each other: only the newest counts. */
static bool put_within(struct db *db, const struct price *price, struct error *err)
{
    struct price prices[2] = {*price, *price};
    long long series;

    prices[1].kind = price->kind == PRICE_OWN ? PRICE_TYPED : PRICE_OWN;
    prices[1].nanos = 0;
    return prices_series(db, &prices[1], &series, err) &&
           prices_put_within(db, prices, series > 0 ? 2 : 1, err);
}

bool typed_later_put(struct this_machine *here, struct db *db, const struct price *price,
                     long long *ret_runs, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) && put_within(db, price, err) &&
           renew_all(here, db, price->source_us, ret_runs, err) &&
           transaction_commit(&change, err);
}

bool typed_later_withdraw(struct this_machine *here, struct db *db, const struct price *price,
                          long long at_us, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    struct price ours = {0};
    long long count;

    this_machine_name_price(here, &ours);
    return strcmp(price->instance_type, ours.instance_type) != 0 ||
           (transaction_begin(&change, db, DB_DURABLE, err) && revision_touch(db, err) &&
            renew_all(here, db, at_us, &count, err) && transaction_commit(&change, err));
}
