/* Tested by tests/api/test_identity.py. */
#include "server/base/this_machine.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/runs/machines.h"
#include "pricing/machine/choice.h"

struct this_machine *this_machine_new(const struct config *config)
{
    struct this_machine *here = xcalloc(1, sizeof *here);

    pthread_mutex_init(&here->lock, NULL);
    load_watch_init(&here->load_watch);
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
    load_watch_clear(&here->load_watch);
    pthread_mutex_destroy(&here->lock);
    free(here);
}

void this_machine_look(struct this_machine *here)
{
    enum cpu_isa isa = cpu_probe();

    topology_read("", &here->topology);
    vm_read("", here->shown_vm);
    here->place = (struct place){.topology = &here->topology, .isa = isa, .root = ""};
    machine_read("", &here->topology, isa, &here->machine);
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

/* `given` as in struct machine_price_question. */
static bool find_price(struct this_machine *here, struct db *db, double given, long long at_us,
                       struct machine_price *ret_price, struct error *err)
{
    struct identity identity;
    char vm[VM_SIZE], name[INSTANCE_SIZE];

    this_machine_identity(here, &identity);
    this_machine_vm(here, vm);
    price_name_of_machine(vm, here->machine.stratum, name);
    return machine_price_find(
        db,
        &(struct machine_price_question){.identity = &identity,
                                         .name = name,
                                         .given = given,
                                         .has_gcp_key = here->config->gcp_key[0] != '\0',
                                         .at_us = at_us},
        ret_price, err);
}

bool this_machine_price(struct this_machine *here, struct db *db, long long at_us,
                        struct machine_price *ret_price, struct error *err)
{
    return find_price(here, db, here->config->price_per_hour, at_us, ret_price, err);
}

bool this_machine_typed_price(struct this_machine *here, struct db *db, long long at_us,
                              struct machine_price *ret_price, struct error *err)
{
    struct machine_price price;

    if (!find_price(here, db, 0, at_us, &price, err))
        return false;
    price.known =
        price.known && (price.at.price.kind == PRICE_TYPED || price.at.price.kind == PRICE_OWN);
    *ret_price = price;
    return true;
}

void this_machine_name_price(struct this_machine *here, struct price *price)
{
    struct identity identity;
    char vm[VM_SIZE];

    this_machine_identity(here, &identity);
    this_machine_vm(here, vm);
    if (!identity.instance_type[0]) {
        price_name_of_machine(vm, here->machine.stratum, price->instance_type);
        return;
    }
    snprintf(price->provider, sizeof price->provider, "%s", identity.provider);
    snprintf(price->region, sizeof price->region, "%s", identity.region);
    snprintf(price->instance_type, sizeof price->instance_type, "%s", identity.instance_type);
}

bool this_machine_load(struct this_machine *here, struct load *ret_load, long long *ret_due_ns)
{
    return load_watch_look(&here->load_watch, &here->topology, ret_load, ret_due_ns);
}

struct place this_machine_place(struct this_machine *here, struct db *db)
{
    struct place place = here->place;
    struct machine_price price;

    if (this_machine_price(here, db, clock_calendar_us(), &price, NULL) && price.known)
        place.dollars_per_hour = price.dollars;
    return place;
}
