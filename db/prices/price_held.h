/* What the series of a book was at a moment, reading on the way what the book is to keep of its
 * history. For db/prices/ alone. */
#pragma once

#include "db/prices/offer.h"
#include "db/prices/price_book.h"

/* The same as price_at() of the series, of spot with its spread, but for the times when a feed
 * spoke and what is paid at once, which a kept course does not have. */
MUST_USE bool price_book_held(struct db *db, struct price_book *book, struct price_series *series,
                              const struct offers_question *question, struct price_at *ret_at,
                              struct error *err);
