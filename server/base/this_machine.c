/* Tested by tests/api/test_identity.py. */
#include "server/base/this_machine.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/prices/discounts.h"
#include "db/runs/machines.h"
#include "pricing/feeds/source.h"
#include "pricing/freshness.h"
#include "pricing/machine/choice.h"

#define PRICES_MAX 100000 /* of one instance type, in all regions */

struct this_machine *this_machine_new(const struct config *config, struct error *err)
{
    struct this_machine *here = calloc(1, sizeof *here);

    if (!here) {
        error_no_memory(err);
        return NULL;
    }
    pthread_mutex_init(&here->lock, NULL);
    here->config = config;
    memcpy(here->configured.provider, config->provider, sizeof config->provider);
    memcpy(here->configured.instance_type, config->instance_type, sizeof config->instance_type);
    memcpy(here->configured.region, config->region, sizeof config->region);
    memcpy(here->configured.zone, config->zone, sizeof config->zone);
    if (strcmp(config->life_cycle, "auto") != 0)
        snprintf(here->configured.life_cycle, sizeof here->configured.life_cycle, "%s",
                 config->life_cycle);
    snprintf(here->identity.source, sizeof here->identity.source, "unknown");
    snprintf(here->identity.note, sizeof here->identity.note, "no cloud was asked yet");
    identity_override(&here->identity, &here->configured);
    return here;
}

void this_machine_free(struct this_machine *here)
{
    if (!here)
        return;
    machine_clear(&here->machine);
    pthread_mutex_destroy(&here->lock);
    free(here);
}

bool this_machine_look(struct this_machine *here, struct error *err)
{
    enum cpu_isa isa = cpu_probe();

    topology_read("", &here->topology);
    vm_read("", here->shown_vm);
    here->place = (struct place){.topology = &here->topology, .isa = isa, .root = ""};
    return machine_read("", &here->topology, isa, &here->machine) || error_no_memory(err);
}

bool this_machine_store(struct this_machine *here, struct db *db, struct error *err)
{
    const struct machine_row row = {.fingerprint = here->machine.fingerprint,
                                    .stratum = here->machine.stratum,
                                    .facts = here->machine.facts,
                                    .seen_us = clock_calendar_us()};

    return machines_store(db, &row, &here->number, err);
}

void this_machine_ask(struct this_machine *here, fetch_fn *fetch, void *fetcher)
{
    const char *metadata = here->config->metadata;
    struct identity_question question = {.root = "", .fetch = fetch, .fetcher = fetcher};
    struct identity identity = {.source = "unknown", .note = "metadata is switched off"};

    if (strncmp(metadata, "aws=", 4) == 0)
        question.aws_url = metadata + 4;
    else if (strncmp(metadata, "gcp=", 4) == 0)
        question.gcp_url = metadata + 4;
    else if (strncmp(metadata, "azure=", 6) == 0)
        question.azure_url = metadata + 6;
    if (strcmp(metadata, "off") != 0)
        identity_ask(&question, &identity);
    identity_override(&identity, &here->configured);
    pthread_mutex_lock(&here->lock);
    here->identity = identity;
    here->asked = true;
    pthread_mutex_unlock(&here->lock);
}

bool this_machine_was_asked(struct this_machine *here)
{
    pthread_mutex_lock(&here->lock);
    bool asked = here->asked;
    pthread_mutex_unlock(&here->lock);
    return asked;
}

void this_machine_identity(struct this_machine *here, struct identity *ret_identity)
{
    pthread_mutex_lock(&here->lock);
    *ret_identity = here->identity;
    pthread_mutex_unlock(&here->lock);
}

void this_machine_vm(struct this_machine *here, char ret_vm[VM_SIZE])
{
    struct identity identity;

    this_machine_identity(here, &identity);
    vm_from_instance(identity.cloud, identity.instance_id, ret_vm);
    if (!ret_vm[0])
        snprintf(ret_vm, VM_SIZE, "%s", here->shown_vm);
}

struct search {
    const struct identity *identity;
    long long at_us;
    int rank;
    bool expired; /* a price was found, and it is too old */
    struct price_view best;
};

static void consider(void *user, const struct price_view *view)
{
    struct search *search = user;
    int rank = price_rank(&view->price, search->identity);
    long long said_us =
        view->confirmed_source_us > 0 ? view->confirmed_source_us : view->confirmed_us;

    if (rank == 0)
        return;
    if (freshness_of(view->price.kind, search->at_us - said_us,
                     source_pace_us(view->price.feed)) == PRICE_EXPIRED) {
        search->expired = true;
        return;
    }
    if (rank <= search->rank)
        return;
    search->rank = rank;
    search->best = *view;
}

/* The most specific price comes first. */
static void take_off(void *user, const struct discount *discount)
{
    struct machine_price *price = user;

    if (price->discount[0] || price->factor < 1 ||
        !discount_applies(discount, &price->view.price))
        return;
    price->factor = discount->factor;
    snprintf(price->discount, sizeof price->discount, "%s", discount->note);
}

/* The option --price-per-hour wins over every feed. */
static void take_option(double dollars, long long at_us, struct machine_price *price)
{
    struct price *typed = &price->view.price;

    price->known = price_set_number(typed, dollars);
    typed->kind = PRICE_TYPED;
    typed->fetched_us = price->view.since_us = at_us;
    snprintf(typed->currency, sizeof typed->currency, "USD");
    snprintf(typed->feed, sizeof typed->feed, "option");
}

static void explain(const struct search *search, struct machine_price *price)
{
    const struct identity *identity = search->identity;

    if (!identity->instance_type[0])
        snprintf(price->why_not, sizeof price->why_not, "the instance type is not known");
    else if (identity->terms[0])
        snprintf(price->why_not, sizeof price->why_not,
                 "this machine is billed for %s, and feeds have prices of plain Linux only: set "
                 "--price-per-hour, or type its price",
                 identity->terms);
    else if (search->expired)
        snprintf(price->why_not, sizeof price->why_not, "what the feeds say is too old");
    else
        snprintf(
            price->why_not, sizeof price->why_not, "no feed has a price (%s) for %.40s in %.40s",
            identity->life_cycle[0] ? identity->life_cycle : "typed", identity->instance_type,
            identity->region[0] ? identity->region : "an unknown region");
}

bool this_machine_price(struct this_machine *here, struct db *db, long long at_us,
                        struct machine_price *ret_price, struct error *err)
{
    struct identity identity;
    struct search search = {.identity = &identity, .at_us = at_us};
    struct machine_price price = {.factor = 1};

    this_machine_identity(here, &identity);
    if (here->config->price_per_hour > 0) {
        take_option(here->config->price_per_hour, at_us, &price);
    } else if (identity.instance_type[0]) {
        const struct price_filter filter = {
            .instance_type = identity.instance_type, .at_us = at_us, .limit = PRICES_MAX};

        if (!price_list(db, &filter, consider, &search, err))
            return false;
        price.known = search.rank > 0;
        price.view = search.best;
    }
    if (!price.known)
        explain(&search, &price);
    else if (!discounts_each(db, at_us, take_off, &price, err))
        return false;
    if (price.known && strcmp(price.view.price.currency, "USD") == 0)
        price.dollars = (double)price.view.price.nanos / 1e9 * price.factor;
    *ret_price = price;
    return true;
}

struct place this_machine_place(struct this_machine *here, struct db *db)
{
    struct place place = here->place;
    struct machine_price price;

    if (this_machine_price(here, db, clock_calendar_us(), &price, NULL) && price.known)
        place.dollars_per_hour = price.dollars;
    return place;
}
