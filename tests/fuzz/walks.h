/* For fuzz targets of feeds: the input is the pages of a walk, with a form feed between them.
 * However their bytes are cut into pieces, the walk ends alike and brings the same; and what it
 * brings are prices. */
#pragma once

#include "tests/fuzz/fuzz.h"
#include "tests/pricing/walk.h"

struct walks_input {
    const uint8_t *data;
    size_t size;
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
    long long nanos;

    ALWAYS(price->nanos > 0 && price->nanos <= PRICE_NANOS_MAX);
    ALWAYS(price_read_nanos(price->text, &nanos) && nanos == price->nanos);
    ALWAYS(strcmp(price->region, walk->reading.scope.name) == 0);
    ALWAYS(strcmp(price->provider, walk->reading.source->provider) == 0);
    ALWAYS(strcmp(price->currency, "USD") == 0 && price->instance_type[0]);
    ALWAYS(price->kind == PRICE_ON_DEMAND || price->kind == PRICE_SPOT);
    ALWAYS(price->source_us >= 0);
}

static inline void walks_check_same(const struct walk *whole, const struct walk *pieces)
{
    size_t left_position = 0, right_position = 0;
    const struct price *left, *right;

    ALWAYS(whole->asked == pieces->asked);
    ALWAYS(whole->err.kind == pieces->err.kind);
    ALWAYS(strcmp(whole->err.message, pieces->err.message) == 0);
    ALWAYS(basket_count(whole->reading.basket) == basket_count(pieces->reading.basket));
    ALWAYS(memcmp(basket_facts(whole->reading.basket), basket_facts(pieces->reading.basket),
                  sizeof(struct basket_facts)) == 0);
    while ((left = basket_next(whole->reading.basket, &left_position)) != NULL) {
        right = basket_next(pieces->reading.basket, &right_position);
        ALWAYS(right && left->nanos == right->nanos && left->kind == right->kind);
        ALWAYS(strcmp(left->instance_type, right->instance_type) == 0);
        ALWAYS(strcmp(left->zone, right->zone) == 0);
        ALWAYS(left->source_us == right->source_us);
        walks_check_price(whole, left);
    }
}

static inline int walks_try(const struct source *source, const char *scope, const char *types,
                            struct walks_input input)
{
    static const size_t chunks[] = {1, 2, 61};
    static struct walk whole, pieces; /* too large for some stacks */

    walk_start(&whole, source, scope);
    whole.reading.types = types;
    enum reading_state state = walk_all(&whole, walks_page, &input);

    ALWAYS(state == READING_DONE || state == READING_FAILED);
    ALWAYS(state == READING_FAILED || whole.err.kind == ERROR_NONE);
    ALWAYS(whole.err.kind == ERROR_NONE || whole.err.kind == ERROR_UPSTREAM ||
           whole.err.kind == ERROR_BUSY);
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        walk_start(&pieces, source, scope);
        pieces.reading.types = types;
        pieces.chunk = chunks[i];
        ALWAYS(walk_all(&pieces, walks_page, &input) == state);
        walks_check_same(&whole, &pieces);
        walk_end(&pieces);
    }
    walk_end(&whole);
    return 0;
}
