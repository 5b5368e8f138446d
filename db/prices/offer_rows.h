/* Candidate prices for offers: every price in dollars valid at the moment of a question, with its
 * rank. For db/prices/offers.c only. */
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
    bool applies; /* false: shows that the type exists, but is a price for another place */
    enum freshness freshness;
    long long said_us;           /* 0: not yet confirmed by a reading */
    long long order[ORDER_KEYS]; /* sort keys: the smaller goes first */
};

struct offer_rows {
    const struct offers_question *question;
    struct offer_row *list; /* by instance and provider */
    size_t count, room;
    struct feed_statement *statements;
    size_t statement_count, statement_room;
    struct offer_store *store; /* NULL: no cache */
    struct price_book *own;    /* books of this question only */
    size_t own_count;
};

/* Rows start zeroed, except for an optional store, and may be reused for another question. Free
 * them with offer_rows_free(), also after a failure. */
MUST_USE bool offer_rows_load(struct db *db, const struct offers_question *question,
                              struct offer_rows *rows, struct error *err);
void offer_rows_free(struct offer_rows *rows);

static inline const struct feed_statement *offer_row_statement(const struct offer_rows *rows,
                                                               const struct offer_row *row)
{
    return &rows->statements[row->statement];
}
