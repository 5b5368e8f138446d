/* Tested by tests/db/prices/offers_test.c. */
#include "db/prices/offer_rows.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/prices/price_held.h"
#include "db/stmt.h"

#include <assert.h>

#define OPEN_PLACE QUESTION_LIST_MAX /* of a typed price that leaves its region open */
#define NO_PLACE (-1)

/* Reads only the last reading: there may be millions. */
static bool ask_readings(struct db *db, long long at_us, struct feed_statement *statement,
                         struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT fetched_us, source_us FROM readings WHERE feed = ?"
                                      " AND scope = ? AND fetched_us <= ?"
                                      " ORDER BY fetched_us DESC LIMIT 1",
                                      err);
    enum stmt_step step;

    stmt_text(query, statement->feed);
    stmt_text(query, statement->scope);
    stmt_integer(query, at_us);
    step = stmt_step(query, err);
    if (step == STMT_ROW) {
        statement->confirmed_us = stmt_column_integer(query, 0);
        statement->confirmed_source_us = stmt_column_integer(query, 1);
    }
    return step != STMT_FAILED;
}

static int place_of(const struct offers_question *question, const char *region)
{
    for (int i = 0; question->regions[i]; i++)
        if (strcmp(question->regions[i], region) == 0)
            return i;
    return *region ? NO_PLACE : OPEN_PLACE;
}

/* A zone's price is valid for that zone only; without a zone in the question, any zone will
 * do. */
static bool zone_fits(const struct offers_question *question, const struct price_series *series)
{
    if (!series->zone[0])
        return true;
    if (!question->zone || !*question->zone)
        return series->slot == SLOT_SPOT;
    return strcmp(series->zone, question->zone) == 0;
}

static void set_order(const struct offers_question *question, struct offer_row *row, int place,
                      int rank)
{
    const struct price_series *series = row->series;
    bool any_zone = !question->zone || !*question->zone;
    long long of_zone = series->zone[0] ? 0 : 1, of_provider = series->provider[0] ? 0 : 1;
    const long long typed[] = {of_zone, place, of_provider, -rank, series->number};
    const long long published[] = {-row->since_us, 0, 0, 0, series->number};
    const long long cheapest[] = {place, -rank, of_zone, row->nanos, series->number};
    const long long of_place[] = {place, of_zone, -rank, 0, series->number};
    const long long *order = of_place;

    if (series->slot == SLOT_TYPED)
        order = typed;
    else if (series->slot == SLOT_PUBLISHED_ON_DEMAND || series->slot == SLOT_PUBLISHED_SPOT)
        order = published;
    else if (series->slot == SLOT_SPOT && any_zone)
        order = cheapest;
    memcpy(row->order, order, sizeof row->order);
}

static void offer_row_judge(const struct offer_rows *rows, struct offer_row *row)
{
    const struct offers_question *question = rows->question;
    const struct price_series *series = row->series;
    const struct feed_statement *statement = offer_row_statement(rows, row);
    bool published =
        series->slot == SLOT_PUBLISHED_ON_DEMAND || series->slot == SLOT_PUBLISHED_SPOT;
    bool doubted = series->doubted_us > 0 && series->doubted_us <= question->at_us;
    int place = place_of(question, series->region);

    assert(row->nanos > 0 && row->since_us <= question->at_us); /* it held then */
    row->said_us = published                            ? row->since_us
                   : statement->confirmed_source_us > 0 ? statement->confirmed_source_us
                                                        : statement->confirmed_us;
    row->freshness = (doubted ? freshness_of_doubted : freshness_of)(
        series->kind, question->at_us - row->said_us, statement->pace_us);
    row->applies = published || (place != NO_PLACE && zone_fits(question, series));
    set_order(question, row, place, statement->rank);
}

/* The current price of a series is valid since its last change; earlier ones, and scheduled ones,
 * are in its history. Without a cache the history is read no further than needed. */
static bool offer_row_look_back(struct db *db, const struct offers_question *question,
                                struct offer_row *row, struct error *err)
{
    const struct price_series *series = row->series;
    const struct price_moment then = {series->number, question->at_us, 0};
    struct price_at at;

    row->nanos = series->nanos;
    row->since_us = series->since_us;
    if (row->since_us <= question->at_us)
        return true;
    if (row->book->is_kept) {
        if (!price_book_held(db, row->book, row->series, question, &at, err))
            return false;
    } else if (!price_at(db, &then, &at, err)) {
        return false;
    }
    row->nanos = at.price.nanos;
    row->since_us = at.since_us;
    return true;
}

/* The feed statements of a book, with each feed's last reading before the moment. */
static bool offer_rows_add_statements(struct db *db, struct offer_rows *rows,
                                      const struct price_book *book, struct error *err)
{
    for (size_t i = 0; i < book->statement_count; i++) {
        struct feed_statement *statement;

        rows->statements = xgrow(rows->statements, rows->statement_count, &rows->statement_room,
                                 sizeof *rows->statements);
        statement = &rows->statements[rows->statement_count];
        *statement = book->statements[i];
        if (!ask_readings(db, rows->question->at_us, statement, err))
            return false;
        rows->statement_count++;
    }
    return true;
}

static int rows_by_name(const struct offer_row *left, const struct offer_row *right)
{
    const struct price_series *a = left->series, *b = right->series;

    return offer_name_order(a->instance, a->provider, b->instance, b->provider);
}

/* Merges the sorted parts before and from `middle` on. */
static void offer_rows_merge(struct offer_rows *rows, size_t middle)
{
    AUTO(freep) struct offer_row *merged = NULL;
    size_t left = 0, right = middle, count = 0;

    if (middle == 0 || middle == rows->count ||
        rows_by_name(&rows->list[middle - 1], &rows->list[middle]) <= 0)
        return;
    merged = xcalloc(rows->count, sizeof *merged);
    while (left < middle && right < rows->count)
        merged[count++] = rows_by_name(&rows->list[right], &rows->list[left]) < 0
                              ? rows->list[right++]
                              : rows->list[left++];
    memcpy(&merged[count], &rows->list[left], (middle - left) * sizeof *merged);
    count += middle - left;
    memcpy(rows->list, merged, count * sizeof *merged);
}

/* The prices of a book that were valid at the moment. */
static bool offer_rows_add_book(struct db *db, struct offer_rows *rows, struct price_book *book,
                                struct error *err)
{
    const size_t first = rows->count, first_statement = rows->statement_count;

    if (!offer_rows_add_statements(db, rows, book, err))
        return false;
    for (size_t i = 0; i < book->count; i++) {
        struct offer_row *row;

        rows->list = xgrow(rows->list, rows->count, &rows->room, sizeof *rows->list);
        row = &rows->list[rows->count];
        *row = (struct offer_row){.series = &book->list[i],
                                  .book = book,
                                  .statement = first_statement + book->list[i].statement};
        if (!offer_row_look_back(db, rows->question, row, err))
            return false;
        if (row->nanos <= 0)
            continue; /* there was none */
        offer_row_judge(rows, row);
        rows->count++;
    }
    offer_rows_merge(rows, first);
    return true;
}

/* A book for this question only, at an address that is stable while it is answered. */
static struct price_book *own_book(struct offer_rows *rows)
{
    assert(rows->own_count < QUESTION_LIST_MAX + 2);
    return &rows->own[rows->own_count++];
}

static bool offer_rows_add_region(struct db *db, struct offer_rows *rows, const char *region,
                                  struct error *err)
{
    const char *type = rows->question->instance;
    struct price_book *book = type ? NULL : offer_store_find(rows->store, region), *kept;

    if (!book) {
        book = own_book(rows);
        TEXT_COPY(book->region, region);
        if (!price_book_add_region(db, book, region, type, err))
            return false;
        price_book_sort(book);
        kept = type ? NULL : offer_store_keep(rows->store, book);
        book = kept ? kept : book;
    }
    return offer_rows_add_book(db, rows, book, err);
}

/* Rare questions and small books are not cached. */
static bool offer_rows_add_rest(struct db *db, struct offer_rows *rows, struct error *err)
{
    const struct offers_question *question = rows->question;
    struct price_book *book = own_book(rows);

    for (size_t i = 0; question->regions[i]; i++)
        for (size_t k = 0; k < question->committed_count; k++)
            if (!price_book_add_committed(db, book, question->regions[i], question->committed[k],
                                          question->instance, err))
                return false;
    if (!price_book_add_region(db, book, "", question->instance, err) ||
        !price_book_add_anywhere(db, book, question->instance, err))
        return false;
    price_book_sort(book);
    return offer_rows_add_book(db, rows, book, err);
}

static void offer_rows_forget(struct offer_rows *rows)
{
    for (size_t i = 0; i < rows->own_count; i++)
        price_book_free(&rows->own[i]);
    rows->own_count = rows->count = rows->statement_count = 0;
}

bool offer_rows_load(struct db *db, const struct offers_question *question,
                     struct offer_rows *rows, struct error *err)
{
    offer_rows_forget(rows);
    rows->question = question;
    if (!rows->own)
        rows->own = xcalloc(QUESTION_LIST_MAX + 2, sizeof *rows->own);
    for (size_t i = 0; question->regions[i]; i++)
        if (!offer_rows_add_region(db, rows, question->regions[i], err))
            return false;
    return offer_rows_add_rest(db, rows, err);
}

void offer_rows_free(struct offer_rows *rows)
{
    offer_rows_forget(rows);
    freep(&rows->own);
    freep(&rows->list);
    freep(&rows->statements);
}
