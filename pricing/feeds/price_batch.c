#include "pricing/feeds/price_batch.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/memory.h"
#include "common/table.h"

#include <assert.h>

/* An index from hashes (or the next free numbers) to places in a list. */
struct place {
    uint64_t name;
    size_t index;
};

struct price_batch {
    char feed[32];
    long long fetched_us;
    struct price_batch_facts facts;
    struct price *prices; /* one with nanos 0 was ambiguous, or dropped */
    size_t count, room, dead;
    struct table by_key;
    struct instance_type *types;
    size_t type_count, type_room;
    struct table by_type;
    struct interruption *interruptions;
    size_t interruption_count, interruption_room;
};

static uint64_t hash_price(const struct price *price)
{
    uint64_t hash = hash_part(HASH_START, price->instance_type);

    hash = hash_part(hash_part(hash, price->region), price->zone);
    return hash_step(hash, (uint64_t)price->kind);
}

static bool is_twin(const struct price *left, const struct price *right)
{
    return left->kind == right->kind && strcmp(left->instance_type, right->instance_type) == 0 &&
           strcmp(left->region, right->region) == 0 && strcmp(left->zone, right->zone) == 0 &&
           strcmp(left->provider, right->provider) == 0 &&
           strcmp(left->currency, right->currency) == 0;
}

struct price_batch *price_batch_new(const char *feed, long long fetched_us)
{
    struct price_batch *batch = xcalloc(1, sizeof *batch);

    snprintf(batch->feed, sizeof batch->feed, "%s", feed);
    batch->fetched_us = fetched_us;
    return batch;
}

void price_batch_empty(struct price_batch *batch)
{
    freep(&batch->prices);
    table_free(&batch->by_key);
    freep(&batch->types);
    table_free(&batch->by_type);
    freep(&batch->interruptions);
    batch->facts = (struct price_batch_facts){0};
    batch->count = batch->room = batch->dead = 0;
    batch->type_count = batch->type_room = 0;
    batch->interruption_count = batch->interruption_room = 0;
}

void price_batch_free(struct price_batch *batch)
{
    if (!batch)
        return;
    price_batch_empty(batch);
    free(batch);
}

void price_batch_freep(struct price_batch **batch)
{
    price_batch_free(*batch);
    *batch = NULL;
}

struct price_batch_facts *price_batch_facts(struct price_batch *batch)
{
    return &batch->facts;
}

static void note_place(struct table *table, uint64_t name, size_t index)
{
    struct place *place = table_add(table, name, sizeof *place);

    assert(place->index == 0); /* it is new */
    place->index = index;
}

/* NULL: there is none, and it would have this name. */
static struct price *batch_find(const struct price_batch *batch, const struct price *like,
                                uint64_t *ret_name)
{
    const struct place *place;

    for (*ret_name = hash_price(like); (place = table_find(&batch->by_key, *ret_name));
         ++*ret_name)
        if (is_twin(&batch->prices[place->index], like))
            return &batch->prices[place->index];
    return NULL;
}

/* Both are dropped; the first one's place stays, so that a third is recognised. */
static void meet_twin(struct price_batch *batch, struct price *first, const struct price *second,
                      enum price_batch_twin twin)
{
    if (twin == TWIN_MAY_BE_EQUAL && first->nanos == second->nanos)
        return;
    if (first->nanos > 0) {
        first->nanos = 0;
        batch->dead++;
        batch->facts.tally.ambiguous++;
    }
    batch->facts.tally.ambiguous++;
}

bool price_batch_add(struct price_batch *batch, const struct price *price,
                     enum price_batch_twin twin, struct error *err)
{
    uint64_t name;
    struct price *first = batch_find(batch, price, &name), *added;

    if (first) {
        meet_twin(batch, first, price, twin);
        return true;
    }
    if (batch->count >= PRICE_BATCH_PRICES_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "the feed has more than %d prices",
                         PRICE_BATCH_PRICES_MAX);
    assert(price->nanos > 0);
    batch->prices = xgrow(batch->prices, batch->count, &batch->room, sizeof *batch->prices);
    added = &batch->prices[batch->count];
    *added = *price;
    added->fetched_us = batch->fetched_us;
    snprintf(added->feed, sizeof added->feed, "%s", batch->feed);
    note_place(&batch->by_key, name, batch->count++);
    return true;
}

static struct instance_type *find_type(const struct price_batch *batch,
                                       const struct instance_type *like, uint64_t *ret_name)
{
    const struct place *place;

    *ret_name = hash_part(hash_part(HASH_START, like->name), like->provider);
    for (; (place = table_find(&batch->by_type, *ret_name)); ++*ret_name) {
        struct instance_type *type = &batch->types[place->index];

        if (strcmp(type->name, like->name) == 0 && strcmp(type->provider, like->provider) == 0)
            return type;
    }
    return NULL;
}

static void batch_complete(struct instance_type *type, const struct instance_type *more)
{
    if (type->vcpus == 0)
        type->vcpus = more->vcpus;
    if (type->memory_gib == 0)
        type->memory_gib = more->memory_gib;
    if (!type->architecture[0])
        memcpy(type->architecture, more->architecture, sizeof type->architecture);
    if (!type->accelerator[0])
        memcpy(type->accelerator, more->accelerator, sizeof type->accelerator);
}

void price_batch_add_type(struct price_batch *batch, const struct instance_type *type)
{
    uint64_t name;
    struct instance_type *known = find_type(batch, type, &name);

    if (known) {
        batch_complete(known, type);
        return;
    }
    batch->types =
        xgrow(batch->types, batch->type_count, &batch->type_room, sizeof *batch->types);
    batch->types[batch->type_count] = *type;
    note_place(&batch->by_type, name, batch->type_count++);
}

void price_batch_add_interruption(struct price_batch *batch,
                                  const struct interruption *interruption)
{
    batch->interruptions = xgrow(batch->interruptions, batch->interruption_count,
                                 &batch->interruption_room, sizeof *batch->interruptions);
    batch->interruptions[batch->interruption_count++] = *interruption;
}

size_t price_batch_count(const struct price_batch *batch)
{
    return batch->count - batch->dead;
}

size_t price_batch_type_count(const struct price_batch *batch)
{
    return batch->type_count;
}

size_t price_batch_interruption_count(const struct price_batch *batch)
{
    return batch->interruption_count;
}

void price_batch_drop_expensive(struct price_batch *batch, size_t place)
{
    assert(place < batch->count);
    batch->dead += batch->prices[place].nanos > 0;
    batch->facts.tally.expensive += batch->prices[place].nanos > 0;
    batch->prices[place].nanos = 0;
    assert(batch->dead <= batch->count);
}

size_t price_batch_places(const struct price_batch *batch)
{
    return batch->count;
}

const struct price *price_batch_next(const struct price_batch *batch, size_t *position)
{
    while (*position < batch->count) {
        const struct price *price = &batch->prices[(*position)++];

        if (price->nanos > 0)
            return price;
    }
    return NULL;
}

const struct instance_type *price_batch_type(const struct price_batch *batch, size_t index)
{
    assert(index < batch->type_count);
    return &batch->types[index];
}

const struct interruption *price_batch_interruption(const struct price_batch *batch, size_t index)
{
    assert(index < batch->interruption_count);
    return &batch->interruptions[index];
}

void price_batch_name_band(struct price_batch *batch, size_t index, const char band[16])
{
    memcpy(batch->interruptions[index].band, band, 16);
}

const struct price *price_batch_find(const struct price_batch *batch, const struct price *like,
                                     size_t *ret_place)
{
    uint64_t name;
    const struct price *price = batch_find(batch, like, &name);

    if (!price || price->nanos == 0)
        return NULL;
    *ret_place = (size_t)(price - batch->prices);
    return price;
}
