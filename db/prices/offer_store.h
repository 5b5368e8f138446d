/* Per-region cache of offers, for the next question that names one of the regions with others:
 * their books, kept until a price changes. One thread at a time. */
#pragma once

#include "db/prices/price_book.h"

struct offer_store;
struct offer_store *offer_store_new(void) __attribute__((returns_nonnull, warn_unused_result));
void offer_store_free(struct offer_store *store); /* NULL is fine */

/* The rest is for db/prices/ alone. NULL is a store that keeps nothing. */

/* A question begins: forgets what was read before prices changed. */
void offer_store_begin(struct offer_store *store, long long prices);
/* The book of the region; NULL where none is kept. */
struct price_book *offer_store_find(struct offer_store *store, const char *region);
/* Keeps a book that was read, which the store owns then, and returns it; NULL where there is no
 * room but the room of this question's other regions. */
struct price_book *offer_store_keep(struct offer_store *store, struct price_book *book);
