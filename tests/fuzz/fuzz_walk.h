/* The property that readers of feeds share: how their pages are cut while they arrive changes
 * nothing, not the prices nor their order, not what was counted, not where and why it fails. And
 * whatever the bytes, each price that comes out is one:
 *     fuzz_walk(&gcp_catalog, data, size, check_price);
 * Form feeds in the input stand between pages. */
#pragma once

#include "tests/fuzz/fuzz.h"
#include "tests/pricing/walk.h"

struct fuzz_pages {
    const char *data;
    size_t size;
};

static inline const char *fuzz_page(void *user, size_t number, size_t *ret_length)
{
    const struct fuzz_pages *pages = user;
    const char *at = pages->data, *end = at + pages->size, *stop;

    for (; number > 0 && at < end; number--) {
        stop = memchr(at, '\f', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    if (at == end)
        return NULL;
    stop = memchr(at, '\f', (size_t)(end - at));
    *ret_length = (size_t)((stop ? stop : end) - at);
    return at;
}

/* What holds for every price of every feed. */
static inline void fuzz_check_price(const struct price *price)
{
    long long nanos;

    ALWAYS(price->nanos > 0 && price->nanos <= PRICE_NANOS_MAX);
    ALWAYS(price_read_nanos(price->text, &nanos) && nanos == price->nanos);
    ALWAYS(price->region[0] && price->instance_type[0] && price->provider[0]);
    ALWAYS(strlen(price->currency) == 3);
    ALWAYS(price->kind == PRICE_ON_DEMAND || price->kind == PRICE_SPOT);
}

static inline bool fuzz_same_price(const struct price *left, const struct price *right)
{
    return strcmp(left->region, right->region) == 0 && strcmp(left->zone, right->zone) == 0 &&
           strcmp(left->instance_type, right->instance_type) == 0 && left->kind == right->kind &&
           strcmp(left->text, right->text) == 0 &&
           strcmp(left->reference, right->reference) == 0 && left->source_us == right->source_us;
}

static inline void fuzz_compare(struct walk *whole, struct walk *pieces)
{
    const struct basket_facts *ours = basket_facts(whole->reading.basket);
    const struct basket_facts *theirs = basket_facts(pieces->reading.basket);
    const struct price *left, *right;
    size_t here = 0, there = 0;

    ALWAYS(strcmp(whole->err.message, pieces->err.message) == 0);
    ALWAYS(whole->asked == pieces->asked && strcmp(ours->mark, theirs->mark) == 0);
    ALWAYS(basket_type_count(whole->reading.basket) == basket_type_count(pieces->reading.basket));
    ALWAYS(basket_interruption_count(whole->reading.basket) ==
           basket_interruption_count(pieces->reading.basket));
    ALWAYS(ours->source_us == theirs->source_us);
    ALWAYS(memcmp(&ours->tally, &theirs->tally, sizeof ours->tally) == 0);
    do {
        left = basket_next(whole->reading.basket, &here);
        right = basket_next(pieces->reading.basket, &there);
        ALWAYS(!left == !right && (!left || fuzz_same_price(left, right)));
    } while (left);
}

/* Walks in one piece, which the caller ends and looks at, and in many. */
static inline enum reading_state fuzz_cut(struct walk *whole, const struct source *source,
                                          const struct scope *scope, struct fuzz_pages pages)
{
    enum reading_state state;

    walk_start(whole, source, "");
    whole->reading.scope = *scope;
    state = walk_all(whole, fuzz_page, &pages);
    ALWAYS(state == READING_DONE || state == READING_FAILED);
    for (size_t chunk = 1; chunk < 40; chunk += 13) {
        AUTO(walk_end) struct walk pieces;

        walk_start(&pieces, source, "");
        pieces.reading.scope = *scope;
        pieces.chunk = chunk;
        ALWAYS(walk_all(&pieces, fuzz_page, &pages) == state);
        fuzz_compare(whole, &pieces);
    }
    return state;
}

static inline void fuzz_walk(const struct source *source, const uint8_t *data, size_t size,
                             void (*check)(const struct price *price))
{
    static const struct scope everywhere = {.name = ""};
    AUTO(walk_end) struct walk whole;
    const struct price *price;
    size_t position = 0;
    enum reading_state state =
        fuzz_cut(&whole, source, &everywhere, (struct fuzz_pages){(const char *)data, size});

    ALWAYS(state != READING_DONE || basket_count(whole.reading.basket) > 0);
    while ((price = basket_next(whole.reading.basket, &position)) != NULL) {
        fuzz_check_price(price);
        check(price);
    }
}
