/* What offers are chosen from: every price in dollars that held at the moment of a question, with
 * the place that it takes among its like. For db/prices/offers.c alone. */
#pragma once

#include "db/prices/offer.h"
#include "db/prices/offer_store.h"
#include "db/prices/price_book.h"

#define ORDER_KEYS 5

struct offer_row {
    struct price_series *series; /* of `book` */
    struct price_book *book;
    size_t statement;          /* of struct offer_rows */
    long long nanos, since_us; /* at the moment */
    bool applies; /* false: it tells of the type, but its price is for another place */
    enum freshness freshness;
    long long said_us;           /* 0: no reading had confirmed it by then */
    long long order[ORDER_KEYS]; /* the smaller goes first, by the first that differs */
};

struct offer_rows {
    const struct offers_question *question;
    struct offer_row *list; /* by instance and provider */
    size_t count, room;
    struct feed_statement *statements;
    size_t statement_count, statement_room;
    struct offer_store *store; /* NULL: nothing is kept */
    struct price_book *own;    /* books of this question alone */
    size_t own_count;
};

/* Rows are zeroed at first, but for a store where there is one, and may be filled again for
 * another question. They go to offer_rows_free(), whatever this returned. */
MUST_USE bool offer_rows_load(struct db *db, const struct offers_question *question,
                              struct offer_rows *rows, struct error *err);
void offer_rows_free(struct offer_rows *rows);

static inline const struct feed_statement *offer_row_statement(const struct offer_rows *rows,
                                                               const struct offer_row *row)
{
    return &rows->statements[row->statement];
}
