/* Per-region cache of price books, kept until a price changes. One thread at a time. */
#pragma once

#include "db/prices/price_book.h"

struct offer_store;
struct offer_store *offer_store_new(void) __attribute__((returns_nonnull, warn_unused_result));
void offer_store_free(struct offer_store *store); /* NULL is fine */

/* The rest is for db/prices/ only. A NULL store caches nothing. */

/* Begins a question: drops books read before prices changed. */
void offer_store_begin(struct offer_store *store, long long prices);
/* The cached book of the region, or NULL. */
struct price_book *offer_store_find(struct offer_store *store, const char *region);
/* Stores a book, which the store then owns, and returns it; NULL if only this question's other
 * regions could make room. */
struct price_book *offer_store_keep(struct offer_store *store, struct price_book *book);
