/* For fuzz targets of feeds: the input is the pages of a walk, with a form feed between them.
 * However their bytes are cut into pieces, the walk ends alike and brings the same; and what it
 * brings are prices. */
#pragma once

#include "pricing/commitment.h"
#include "tests/fuzz/fuzz.h"
#include "tests/pricing/feeds/walk.h"

struct walks_input {
    const uint8_t *data;
    size_t size;
    /* Further checks, of each price and of the whole walk; NULL for none. */
    void (*check)(const struct price *price);
    void (*look)(const struct walk *walk, enum reading_state state);
    const char *address; /* of the scope; NULL for none */
    bool committed;      /* prices of commitments are wanted, too */
};

static inline const char *walks_page(void *user, size_t number, size_t *ret_length)
{
    const struct walks_input *input = user;
    const uint8_t *begin = input->data, *end = input->data + input->size, *next;

    for (;; begin = next + 1, number--) {
        next = begin < end ? memchr(begin, '\f', (size_t)(end - begin)) : NULL;
        if (number == 0)
            break;
        if (!next)
            return NULL;
    }
    *ret_length = (size_t)((next ? next : end) - begin);
    return *ret_length > 0 ? (const char *)begin : "";
}

static inline void walks_check_price(const struct walk *walk, const struct price *price)
{
    const struct price_terms *terms = price_terms_of(price->kind);
    long long nanos;

    ALWAYS(price->nanos > 0 && price->nanos <= PRICE_NANOS_MAX);
    ALWAYS(price_read_nanos(price->text, &nanos) && nanos == price->nanos);
    ALWAYS(price->instance_type[0] && strlen(price->currency) == 3 && price->source_us >= 0);
    if (!*walk->reading.source->provider) /* a person may say more than a feed */
        return;
    ALWAYS(price->region[0] && (!walk->reading.scope.name[0] ||
                                strcmp(price->region, walk->reading.scope.name) == 0));
    ALWAYS(strcmp(price->provider, walk->reading.source->provider) == 0);
    ALWAYS(strcmp(price->currency, "USD") == 0);
    ALWAYS(price->kind == PRICE_ON_DEMAND || price->kind == PRICE_SPOT || terms);
    ALWAYS((price->upfront_nanos > 0) == (terms && terms->payment != PAYMENT_BY_HOUR));
    ALWAYS(price->upfront_nanos / COMMITMENT_YEAR_HOURS <= 3 * (price->nanos + 1));
}

static inline void walks_check_same(const struct walk *whole, const struct walk *pieces)
{
    size_t left_position = 0, right_position = 0;
    const struct price *left, *right;

    ALWAYS(whole->asked == pieces->asked);
    ALWAYS(whole->err.kind == pieces->err.kind);
    ALWAYS(strcmp(whole->err.message, pieces->err.message) == 0);
    ALWAYS(price_batch_count(whole->reading.batch) == price_batch_count(pieces->reading.batch));
    ALWAYS(price_batch_type_count(whole->reading.batch) ==
           price_batch_type_count(pieces->reading.batch));
    ALWAYS(price_batch_interruption_count(whole->reading.batch) ==
           price_batch_interruption_count(pieces->reading.batch));
    ALWAYS(memcmp(price_batch_facts(whole->reading.batch),
                  price_batch_facts(pieces->reading.batch),
                  sizeof(struct price_batch_facts)) == 0);
    while ((left = price_batch_next(whole->reading.batch, &left_position)) != NULL) {
        right = price_batch_next(pieces->reading.batch, &right_position);
        ALWAYS(right && left->nanos == right->nanos &&
               left->upfront_nanos == right->upfront_nanos && left->kind == right->kind);
        ALWAYS(strcmp(left->instance_type, right->instance_type) == 0);
        ALWAYS(strcmp(left->zone, right->zone) == 0);
        ALWAYS(strcmp(left->region, right->region) == 0);
        ALWAYS(strcmp(left->text, right->text) == 0);
        ALWAYS(strcmp(left->reference, right->reference) == 0);
        ALWAYS(left->source_us == right->source_us);
    }
}

static inline void walks_check_all(const struct walk *walk,
                                   void (*check)(const struct price *price))
{
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(walk->reading.batch, &position)) != NULL) {
        walks_check_price(walk, price);
        if (check)
            check(price);
    }
}

static inline enum reading_state walks_begin(struct walk *walk, const struct source *source,
                                             const char *scope, const char *types,
                                             struct walks_input *input)
{
    struct scope *place = &walk->reading.scope;

    size_t chunk = walk->chunk;

    walk_start(walk, source, scope);
    walk->chunk = chunk;
    walk->reading.types = types;
    walk->reading.committed = input->committed;
    snprintf(place->address, sizeof place->address, "%s", input->address ? input->address : "");
    return walk_all(walk, walks_page, input);
}

static inline void walks_try(const struct source *source, const char *scope, const char *types,
                             struct walks_input input)
{
    static const size_t chunks[] = {1, 2, 61};
    static struct walk whole, pieces; /* too large for some stacks; whole is never cut */

    enum reading_state state = walks_begin(&whole, source, scope, types, &input);

    ALWAYS(state == READING_DONE || state == READING_FAILED);
    ALWAYS(state == READING_FAILED || whole.err.kind == ERROR_NONE);
    ALWAYS(whole.err.kind == ERROR_NONE || whole.err.kind == ERROR_UPSTREAM ||
           whole.err.kind == ERROR_BUSY);
    walks_check_all(&whole, input.check);
    if (input.look)
        input.look(&whole, state);
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        pieces.chunk = chunks[i];
        ALWAYS(walks_begin(&pieces, source, scope, types, &input) == state);
        walks_check_same(&whole, &pieces);
        walk_end(&pieces);
    }
    walk_end(&whole);
}

/* A target whose whole input is such pages; the last are members of the input. */
#define FUZZ_WALKS(source, scope, types, ...)                                                    \
    FUZZ(data, size)                                                                             \
    {                                                                                            \
        walks_try(&(source), (scope), (types),                                                   \
                  (struct walks_input){.data = data, .size = size, __VA_ARGS__});                \
    }
