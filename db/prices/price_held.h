/* The price of a series in a book at a moment; caches the history that it reads. For db/prices/
 * only. */
#pragma once

#include "db/prices/offer.h"
#include "db/prices/price_book.h"

/* Like price_at() of the series, spot with its spread, but without reading times and upfront
 * payment, which are not cached. */
MUST_USE bool price_book_held(struct db *db, struct price_book *book, struct price_series *series,
                              const struct offers_question *question, struct price_at *ret_at,
                              struct error *err);
