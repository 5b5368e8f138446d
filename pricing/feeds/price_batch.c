#include "pricing/feeds/price_batch.h"

#include "common/cleanup.h"

#include <stdint.h>

#define TABLE_MIN 256 /* a power of two */

/* A table of places in an array, by hash; 0 is a free slot. */
struct table {
    uint32_t *slots;
    size_t size; /* a power of two */
};

struct basket {
    char feed[32];
    long long fetched_us;
    struct basket_facts facts;
    struct price *prices; /* one with nanos 0 was ambiguous */
    size_t count, room, dead;
    struct table by_key;
    struct instance_type *types;
    size_t type_count, type_room;
    struct table by_type;
    struct interruption *interruptions;
    size_t interruption_count, interruption_room;
};

static uint32_t hash_text(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash ^ 0xff) * 16777619u;
}

static uint32_t hash_price(const struct price *price)
{
    uint32_t hash = hash_text(2166136261u, price->instance_type);

    hash = hash_text(hash, price->region);
    hash = hash_text(hash, price->zone);
    return (hash ^ (uint32_t)price->kind) * 2654435761u;
}

static bool is_twin(const struct price *left, const struct price *right)
{
    return left->kind == right->kind && strcmp(left->instance_type, right->instance_type) == 0 &&
           strcmp(left->region, right->region) == 0 && strcmp(left->zone, right->zone) == 0 &&
           strcmp(left->provider, right->provider) == 0 &&
           strcmp(left->currency, right->currency) == 0;
}

static uint32_t hash_type(const struct instance_type *type)
{
    return hash_text(hash_text(2166136261u, type->name), type->provider);
}

struct basket *basket_new(const char *feed, long long fetched_us, struct error *err)
{
    struct basket *basket = calloc(1, sizeof *basket);

    if (!basket) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    snprintf(basket->feed, sizeof basket->feed, "%s", feed);
    basket->fetched_us = fetched_us;
    return basket;
}

void basket_empty(struct basket *basket)
{
    freep(&basket->prices);
    freep(&basket->by_key.slots);
    freep(&basket->types);
    freep(&basket->by_type.slots);
    freep(&basket->interruptions);
    basket->facts = (struct basket_facts){0};
    basket->count = basket->room = basket->dead = basket->by_key.size = 0;
    basket->type_count = basket->type_room = basket->by_type.size = 0;
    basket->interruption_count = basket->interruption_room = 0;
}

void basket_free(struct basket *basket)
{
    if (!basket)
        return;
    basket_empty(basket);
    free(basket);
}

void basket_freep(struct basket **basket)
{
    basket_free(*basket);
    *basket = NULL;
}

struct basket_facts *basket_facts(struct basket *basket)
{
    return &basket->facts;
}

/* Makes room for one more element of `size` bytes. */
static bool grow(void *array_pointer, size_t count, size_t *room, size_t size, struct error *err)
{
    size_t wanted = *room ? *room + *room / 2 : 64;
    void *old, *array;

    if (count < *room)
        return true;
    memcpy(&old, array_pointer, sizeof old);
    array = realloc(old, wanted * size);
    if (!array)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    memcpy(array_pointer, &array, sizeof array);
    *room = wanted;
    return true;
}

/* Puts a place into the table at the first free slot after its hash. */
static void table_put(struct table *table, uint32_t hash, size_t place)
{
    size_t slot = hash & (table->size - 1);

    while (table->slots[slot])
        slot = (slot + 1) & (table->size - 1);
    table->slots[slot] = (uint32_t)place + 1;
}

/* True when the table has room for one more; `rehash` fills the larger one. */
static bool table_grow(struct table *table, size_t count, bool *ret_larger, struct error *err)
{
    size_t size = table->size ? table->size * 2 : TABLE_MIN;
    uint32_t *slots;

    *ret_larger = false;
    if (table->size > 0 && count * 3 < table->size * 2)
        return true;
    slots = calloc(size, sizeof *slots);
    if (!slots)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    free(table->slots);
    *table = (struct table){slots, size};
    *ret_larger = true;
    return true;
}

static bool make_room(struct basket *basket, struct error *err)
{
    bool larger;

    if (basket->count >= BASKET_PRICES_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "the feed has more than %d prices",
                         BASKET_PRICES_MAX);
    if (!grow(&basket->prices, basket->count, &basket->room, sizeof *basket->prices, err) ||
        !table_grow(&basket->by_key, basket->count, &larger, err))
        return false;
    for (size_t i = 0; larger && i < basket->count; i++)
        table_put(&basket->by_key, hash_price(&basket->prices[i]), i);
    return true;
}

static struct price *find(const struct basket *basket, const struct price *like)
{
    size_t mask = basket->by_key.size - 1;

    if (basket->by_key.size == 0)
        return NULL;
    for (size_t slot = hash_price(like) & mask; basket->by_key.slots[slot];
         slot = (slot + 1) & mask) {
        struct price *price = &basket->prices[basket->by_key.slots[slot] - 1];

        if (is_twin(price, like))
            return price;
    }
    return NULL;
}

/* Both are thrown out; the first one's place stays, so that a third is recognised. */
static void meet_twin(struct basket *basket, struct price *first, const struct price *second,
                      enum basket_twin twin)
{
    if (twin == TWIN_MAY_BE_EQUAL && first->nanos == second->nanos)
        return;
    if (first->nanos > 0) {
        first->nanos = 0;
        basket->dead++;
        basket->facts.tally.ambiguous++;
    }
    basket->facts.tally.ambiguous++;
}

bool basket_add(struct basket *basket, const struct price *price, enum basket_twin twin,
                struct error *err)
{
    struct price *first = find(basket, price), *added;

    if (first) {
        meet_twin(basket, first, price, twin);
        return true;
    }
    if (!make_room(basket, err))
        return false;
    added = &basket->prices[basket->count];
    *added = *price;
    added->fetched_us = basket->fetched_us;
    snprintf(added->feed, sizeof added->feed, "%s", basket->feed);
    table_put(&basket->by_key, hash_price(price), basket->count++);
    return true;
}

static struct instance_type *find_type(const struct basket *basket,
                                       const struct instance_type *like)
{
    size_t mask = basket->by_type.size - 1;

    if (basket->by_type.size == 0)
        return NULL;
    for (size_t slot = hash_type(like) & mask; basket->by_type.slots[slot];
         slot = (slot + 1) & mask) {
        struct instance_type *type = &basket->types[basket->by_type.slots[slot] - 1];

        if (strcmp(type->name, like->name) == 0 && strcmp(type->provider, like->provider) == 0)
            return type;
    }
    return NULL;
}

static void complete(struct instance_type *type, const struct instance_type *more)
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

bool basket_add_type(struct basket *basket, const struct instance_type *type, struct error *err)
{
    struct instance_type *known = find_type(basket, type);
    bool larger;

    if (known) {
        complete(known, type);
        return true;
    }
    if (!grow(&basket->types, basket->type_count, &basket->type_room, sizeof *basket->types,
              err) ||
        !table_grow(&basket->by_type, basket->type_count, &larger, err))
        return false;
    for (size_t i = 0; larger && i < basket->type_count; i++)
        table_put(&basket->by_type, hash_type(&basket->types[i]), i);
    basket->types[basket->type_count] = *type;
    table_put(&basket->by_type, hash_type(type), basket->type_count++);
    return true;
}

bool basket_add_interruption(struct basket *basket, const struct interruption *interruption,
                             struct error *err)
{
    if (!grow(&basket->interruptions, basket->interruption_count, &basket->interruption_room,
              sizeof *basket->interruptions, err))
        return false;
    basket->interruptions[basket->interruption_count++] = *interruption;
    return true;
}

size_t basket_count(const struct basket *basket)
{
    return basket->count - basket->dead;
}

size_t basket_type_count(const struct basket *basket)
{
    return basket->type_count;
}

size_t basket_interruption_count(const struct basket *basket)
{
    return basket->interruption_count;
}

size_t basket_places(const struct basket *basket)
{
    return basket->count;
}

const struct price *basket_next(const struct basket *basket, size_t *position)
{
    while (*position < basket->count) {
        const struct price *price = &basket->prices[(*position)++];

        if (price->nanos > 0)
            return price;
    }
    return NULL;
}

const struct instance_type *basket_type(const struct basket *basket, size_t index)
{
    return &basket->types[index];
}

const struct interruption *basket_interruption(const struct basket *basket, size_t index)
{
    return &basket->interruptions[index];
}

void basket_name_band(struct basket *basket, size_t index, const char band[16])
{
    memcpy(basket->interruptions[index].band, band, 16);
}

const struct price *basket_find(const struct basket *basket, const struct price *like,
                                size_t *ret_place)
{
    const struct price *price = find(basket, like);

    if (!price || price->nanos == 0)
        return NULL;
    *ret_place = (size_t)(price - basket->prices);
    return price;
}
