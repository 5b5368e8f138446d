/* Tested by tests/db/prices/offers_test.c and tests/db/prices/offer_store_test.c. */
#include "db/prices/price_book.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/stmt.h"
#include "pricing/feeds/source.h"
#include "pricing/machine/choice.h"

#include <assert.h>

int offer_name_order(const char *instance, const char *provider, const char *other_instance,
                     const char *other_provider)
{
    int order = strcmp(instance, other_instance);

    return order ? order : strcmp(provider, other_provider);
}

static bool is_statement_of(const struct feed_statement *statement, const char *feed,
                            const char *scope)
{
    return strcmp(statement->feed, feed) == 0 && strcmp(statement->scope, scope) == 0;
}

/* The place of a feed's statement about a scope, made where there is none. */
static size_t find_statement(struct price_book *book, const char *feed, const char *scope)
{
    const struct source *source = source_find(feed);
    struct feed_statement *statement;

    /* Rows come scope by scope, nearly. */
    for (size_t i = 0; i < book->statement_count; i++) {
        size_t candidate = (book->last_statement + i) % book->statement_count;

        if (is_statement_of(&book->statements[candidate], feed, scope))
            return book->last_statement = candidate;
    }
    book->statements = xgrow(book->statements, book->statement_count, &book->statement_room,
                             sizeof *book->statements);
    statement = &book->statements[book->statement_count];
    *statement = (struct feed_statement){.rank = feed_rank(feed),
                                         .third_party = source && source->third_party,
                                         .pace_us = source_pace_us(feed)};
    TEXT_COPY(statement->feed, feed);
    TEXT_COPY(statement->scope, scope);
    return book->last_statement = book->statement_count++;
}

static enum offer_slot slot_of(const char *feed, enum price_kind kind)
{
    bool published = strcmp(feed, "published") == 0;

    if (kind >= PRICE_COMMITTED)
        return published ? OFFER_SLOTS : SLOT_COMMITTED;
    if (kind == PRICE_TYPED || kind == PRICE_OWN)
        return published ? OFFER_SLOTS : SLOT_TYPED;
    if (kind == PRICE_SPOT)
        return published ? SLOT_PUBLISHED_SPOT : SLOT_SPOT;
    return published ? SLOT_PUBLISHED_ON_DEMAND : SLOT_ON_DEMAND;
}

/* A feed says where its prices are; a file may leave it open, as a typed price may. */
static bool may_be_open(const char *feed, enum offer_slot slot)
{
    return (slot != SLOT_ON_DEMAND && slot != SLOT_SPOT && slot != SLOT_COMMITTED) ||
           strcmp(feed, PRICE_FILE_FEED) == 0;
}

/* Of the columns of COLUMNS. */
static void price_book_take_row(struct price_book *book, struct stmt *query)
{
    const char *feed = stmt_column_text(query, 1), *region = stmt_column_text(query, 4);
    struct price_series *series;
    enum price_kind kind;
    enum offer_slot slot;

    if (!price_kind_from_name(stmt_column_text(query, 7), &kind))
        return; /* the schema lets in no other words */
    slot = slot_of(feed, kind);
    if (slot == OFFER_SLOTS || (!*region && !may_be_open(feed, slot)))
        return;
    assert(!book->is_kept); /* others point into the list of one that is */
    book->list = xgrow(book->list, book->count, &book->room, sizeof *book->list);
    series = &book->list[book->count++];
    *series = (struct price_series){.kind = kind,
                                    .slot = slot,
                                    .number = stmt_column_integer(query, 0),
                                    .nanos = stmt_column_integer(query, 8),
                                    .since_us = stmt_column_integer(query, 9),
                                    .doubted_us = stmt_column_integer(query, 10),
                                    .statement =
                                        find_statement(book, feed, stmt_column_text(query, 2))};
    TEXT_COPY(series->provider, stmt_column_text(query, 3));
    TEXT_COPY(series->region, region);
    TEXT_COPY(series->zone, stmt_column_text(query, 5));
    TEXT_COPY(series->instance, stmt_column_text(query, 6));
}

static bool price_book_take_rows(struct price_book *book, struct stmt *query, struct error *err)
{
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW)
        price_book_take_row(book, query);
    return step == STMT_DONE;
}

#define BOOK_COLUMNS                                                                             \
    "SELECT number, feed, scope, provider, region, zone, instance_type, kind, nanos, since_us,"  \
    " held_us"                                                                                   \
    " FROM price_series WHERE currency = 'USD' AND "
#define BY_THE_HOUR "kind IN ('on_demand', 'spot', 'typed', 'own') AND "

#define OF_TYPE " AND instance_type = ?"
#define ANYWHERE                                                                                 \
    "feed IN ('published', 'typed', '" PRICE_FILE_FEED "') AND (feed = 'published' OR kind IN"   \
    " ('typed', 'own') OR region = '')"

bool price_book_add_region(struct db *db, struct price_book *book, const char *region,
                           const char *type, struct error *err)
{
    static const char of_all[] = BOOK_COLUMNS BY_THE_HOUR "region = ? AND feed <> 'published'";
    static const char of_type[] =
        BOOK_COLUMNS BY_THE_HOUR "region = ? AND feed <> 'published'" OF_TYPE;
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, type ? of_type : of_all, err);

    stmt_text(query, region);
    if (type)
        stmt_text(query, type);
    return price_book_take_rows(book, query, err);
}

bool price_book_add_anywhere(struct db *db, struct price_book *book, const char *type,
                             struct error *err)
{
    static const char of_all[] = BOOK_COLUMNS BY_THE_HOUR ANYWHERE;
    static const char of_type[] = BOOK_COLUMNS BY_THE_HOUR ANYWHERE OF_TYPE;
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, type ? of_type : of_all, err);

    if (type)
        stmt_text(query, type);
    return price_book_take_rows(book, query, err);
}

bool price_book_add_committed(struct db *db, struct price_book *book, const char *region,
                              enum price_kind kind, const char *type, struct error *err)
{
    static const char of_all[] = BOOK_COLUMNS "region = ? AND kind = ?";
    static const char of_type[] = BOOK_COLUMNS "region = ? AND kind = ?" OF_TYPE;
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, type ? of_type : of_all, err);

    stmt_text(query, region);
    stmt_text(query, price_kind_name(kind));
    if (type)
        stmt_text(query, type);
    return price_book_take_rows(book, query, err);
}

static int regions_by_name(const void *left, const void *right)
{
    const struct price_series *a = left, *b = right;

    return offer_name_order(a->instance, a->provider, b->instance, b->provider);
}

void price_book_sort(struct price_book *book)
{
    if (book->count > 0)
        qsort(book->list, book->count, sizeof *book->list, regions_by_name);
}

static void course_forget(struct course *course)
{
    freep(&course->entries);
    *course = (struct course){0};
}

void price_book_forget_courses(struct price_book *book, int which)
{
    /* Also where no entries are counted: a course of a moment before all prices has none. */
    for (size_t i = 0; i < book->count; i++)
        course_forget(&book->list[i].courses[which]);
    book->entries[which] = 0;
}

void price_book_free(struct price_book *book)
{
    for (int which = 0; which < COURSES; which++)
        price_book_forget_courses(book, which);
    freep(&book->list);
    freep(&book->statements);
    *book = (struct price_book){0};
}
