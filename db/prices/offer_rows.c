/* Tested by tests/db/prices/offers_test.c. */
#include "db/prices/offer_rows.h"

#include "common/cleanup.h"
#include "db/stmt.h"
#include "pricing/feeds/source.h"
#include "pricing/machine/choice.h"

#define OPEN_PLACE QUESTION_LIST_MAX /* of a typed price that leaves its region open */
#define NO_PLACE (-1)

/* A refresh goes over thousands of rows: snprintf() would be half of the time. */
static void copy_text(char *member, size_t size, const char *text)
{
    size_t length = strnlen(text, size - 1);

    memcpy(member, text, length);
    member[length] = '\0';
}
#define COPY(member, text) copy_text((member), sizeof(member), (text))

static bool make_room(void *address_of_list, size_t count, size_t *room, size_t size,
                      struct error *err)
{
    size_t more = *room ? *room * 2 : 64;
    void *list;

    if (count < *room)
        return true;
    memcpy(&list, address_of_list, sizeof list);
    list = reallocarray(list, more, size);
    if (!list)
        return error_no_memory(err);
    memcpy(address_of_list, &list, sizeof list);
    *room = more;
    return true;
}

bool offer_rows_room(struct offer_rows *rows, size_t more_rows, size_t more_statements,
                     struct error *err)
{
    while (rows->room < rows->count + more_rows)
        if (!make_room(&rows->list, rows->room, &rows->room, sizeof *rows->list, err))
            return false;
    while (rows->statement_room < rows->statement_count + more_statements)
        if (!make_room(&rows->statements, rows->statement_room, &rows->statement_room,
                       sizeof *rows->statements, err))
            return false;
    return true;
}

/* Only the last reading is looked up: there may be millions. */
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

    if (!query)
        return false;
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

static bool is_statement_of(const struct feed_statement *statement, const char *feed,
                            const char *scope)
{
    return strcmp(statement->feed, feed) == 0 && strcmp(statement->scope, scope) == 0;
}

static bool find_statement(struct db *db, struct offer_rows *rows, const char *feed,
                           const char *scope, size_t *ret_index, struct error *err)
{
    const struct source *source = source_find(feed);
    struct feed_statement *statement;

    /* Rows come scope by scope, nearly. */
    for (size_t i = 0; i < rows->statement_count; i++) {
        size_t candidate = (rows->last_statement + i) % rows->statement_count;

        if (is_statement_of(&rows->statements[candidate], feed, scope)) {
            *ret_index = rows->last_statement = candidate;
            return true;
        }
    }
    if (!make_room(&rows->statements, rows->statement_count, &rows->statement_room,
                   sizeof *rows->statements, err))
        return false;
    statement = &rows->statements[rows->statement_count];
    *statement = (struct feed_statement){.rank = feed_rank(feed),
                                         .third_party = source && source->third_party,
                                         .pace_us = source_pace_us(feed)};
    COPY(statement->feed, feed);
    COPY(statement->scope, scope);
    if (!ask_readings(db, rows->question->at_us, statement, err))
        return false;
    *ret_index = rows->last_statement = rows->statement_count++;
    return true;
}

static int place_of(const struct offers_question *question, const char *region)
{
    for (int i = 0; question->regions[i]; i++)
        if (strcmp(question->regions[i], region) == 0)
            return i;
    return *region ? NO_PLACE : OPEN_PLACE;
}

static enum offer_slot slot_of(const char *feed, enum price_kind kind)
{
    bool published = strcmp(feed, "published") == 0;

    if (kind == PRICE_TYPED || kind == PRICE_OWN)
        return published ? OFFER_SLOTS : SLOT_TYPED;
    if (kind == PRICE_SPOT)
        return published ? SLOT_PUBLISHED_SPOT : SLOT_SPOT;
    return published ? SLOT_PUBLISHED_ON_DEMAND : SLOT_ON_DEMAND;
}

/* A zone's price holds for that zone only, but spot may be had in any zone when none is named. */
static bool zone_fits(const struct offers_question *question, const struct offer_row *row)
{
    if (!row->zone[0])
        return true;
    if (!question->zone || !*question->zone)
        return row->slot == SLOT_SPOT;
    return strcmp(row->zone, question->zone) == 0;
}

static void set_order(const struct offers_question *question, struct offer_row *row, int place,
                      int rank)
{
    bool any_zone = !question->zone || !*question->zone;
    long long of_zone = row->zone[0] ? 0 : 1, of_provider = row->provider[0] ? 0 : 1;
    const long long typed[] = {of_zone, place, of_provider, -rank, row->series};
    const long long published[] = {-row->since_us, 0, 0, 0, row->series};
    const long long cheapest[] = {place, -rank, of_zone, row->nanos, row->series};
    const long long of_place[] = {place, of_zone, -rank, 0, row->series};
    const long long *order = of_place;

    if (row->slot == SLOT_TYPED)
        order = typed;
    else if (row->slot == SLOT_PUBLISHED_ON_DEMAND || row->slot == SLOT_PUBLISHED_SPOT)
        order = published;
    else if (row->slot == SLOT_SPOT && any_zone)
        order = cheapest;
    memcpy(row->order, order, sizeof row->order);
}

void offer_rows_judge(const struct offer_rows *rows, struct offer_row *row)
{
    int place = place_of(rows->question, row->region);
    const struct offers_question *question = rows->question;
    const struct feed_statement *statement = &rows->statements[row->statement];
    bool published =
        row->slot != SLOT_ON_DEMAND && row->slot != SLOT_SPOT && row->slot != SLOT_TYPED;

    row->said_us = published                            ? row->since_us
                   : statement->confirmed_source_us > 0 ? statement->confirmed_source_us
                                                        : statement->confirmed_us;
    row->freshness = (row->doubted ? freshness_of_doubted : freshness_of)(
        row->kind, question->at_us - row->said_us, statement->pace_us);
    row->applies = published || (place != NO_PLACE && zone_fits(question, row));
    set_order(question, row, place, statement->rank);
}

/* What a series is today is what it was since it last moved; of what was before, and where a feed
 * has published already what it will be, its history knows. */
static bool look_back(struct db *db, const struct offers_question *question,
                      struct offer_row *row, struct error *err)
{
    struct held *held = &row->held;

    if (row->since_us <= question->at_us)
        return true;
    if (!price_at(db, &(struct held_question){row->series, question->at_us, 0}, held, err))
        return false;
    row->nanos = held->known ? held->nanos : 0;
    row->since_us = held->since_us;
    return true;
}

/* Of the columns of COLUMNS. */
static bool take_row(struct db *db, struct offer_rows *rows, struct stmt *query,
                     struct error *err)
{
    struct offer_row *row;
    enum price_kind kind;
    enum offer_slot slot;
    int place = place_of(rows->question, stmt_column_text(query, 4));
    long long held_us;

    if (!price_kind_from_name(stmt_column_text(query, 7), &kind))
        return true; /* the schema lets in no other words */
    slot = slot_of(stmt_column_text(query, 1), kind);
    if (slot == OFFER_SLOTS ||
        ((slot == SLOT_ON_DEMAND || slot == SLOT_SPOT) && (place < 0 || place == OPEN_PLACE)))
        return true; /* no feed may leave open where a price is from */
    if (!make_room(&rows->list, rows->count, &rows->room, sizeof *rows->list, err))
        return false;
    row = &rows->list[rows->count];
    *row = (struct offer_row){.kind = kind,
                              .slot = slot,
                              .series = stmt_column_integer(query, 0),
                              .nanos = stmt_column_integer(query, 8),
                              .since_us = stmt_column_integer(query, 9)};
    held_us = stmt_column_integer(query, 10);
    row->doubted = held_us > 0 && held_us <= rows->question->at_us;
    if (!look_back(db, rows->question, row, err))
        return false;
    if (row->nanos <= 0)
        return true; /* there was none */
    COPY(row->provider, stmt_column_text(query, 3));
    COPY(row->region, stmt_column_text(query, 4));
    COPY(row->zone, stmt_column_text(query, 5));
    COPY(row->instance, stmt_column_text(query, 6));
    if (!find_statement(db, rows, stmt_column_text(query, 1), stmt_column_text(query, 2),
                        &row->statement, err))
        return false;
    offer_rows_judge(rows, row);
    rows->count++;
    return true;
}

#define COLUMNS                                                                                  \
    "SELECT number, feed, scope, provider, region, zone, instance_type, kind, nanos, since_us,"  \
    " held_us"                                                                                   \
    " FROM price_series WHERE currency = 'USD' AND "

#define OF_TYPE " AND instance_type = ?"
#define ANYWHERE                                                                                 \
    "feed IN ('published', 'typed', 'price-file') AND (feed = 'published' OR kind IN ('typed',"  \
    " 'own'))"

static bool load_region(struct db *db, struct offer_rows *rows, const char *region,
                        struct error *err)
{
    static const char of_all[] = COLUMNS "region = ? AND feed <> 'published'";
    static const char of_type[] = COLUMNS "region = ? AND feed <> 'published'" OF_TYPE;
    const char *type = rows->question->instance;
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, type ? of_type : of_all, err);
    const size_t first_row = rows->count, first_statement = rows->statement_count;
    enum stmt_step step;

    if (!query)
        return false;
    stmt_text(query, region);
    if (type)
        stmt_text(query, type);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!take_row(db, rows, query, err))
            return false;
    if (step == STMT_DONE && !type)
        offer_store_keep(rows->store, region, rows, first_row, first_statement);
    return step == STMT_DONE;
}

/* Also where it is kept already. */
static bool add_region(struct db *db, struct offer_rows *rows, const char *region,
                       struct error *err)
{
    struct error why = {0};

    if (!rows->question->instance && offer_store_take(rows->store, region, rows, &why))
        return true;
    return why.kind == ERROR_NONE ? load_region(db, rows, region, err) : error_no_memory(err);
}

/* What is typed for another region is no price here, but its type is worth a line. */
static bool load_anywhere(struct db *db, struct offer_rows *rows, struct error *err)
{
    static const char of_all[] = COLUMNS ANYWHERE, of_type[] = COLUMNS ANYWHERE OF_TYPE;
    const char *type = rows->question->instance;
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, type ? of_type : of_all, err);
    enum stmt_step step;

    if (!query)
        return false;
    if (type)
        stmt_text(query, type);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!take_row(db, rows, query, err))
            return false;
    return step == STMT_DONE;
}

int offer_name_order(const char *instance, const char *provider, const char *other_instance,
                     const char *other_provider)
{
    int order = strcmp(instance, other_instance);

    return order ? order : strcmp(provider, other_provider);
}

static int by_name(const void *left, const void *right)
{
    const struct offer_row *a = left, *b = right;

    return offer_name_order(a->instance, a->provider, b->instance, b->provider);
}

bool offer_rows_load(struct db *db, const struct offers_question *question,
                     struct offer_rows *rows, struct error *err)
{
    rows->question = question;
    rows->count = 0;
    for (size_t i = 0; question->regions[i]; i++)
        if (!add_region(db, rows, question->regions[i], err))
            return false;
    if (!load_region(db, rows, "", err) || !load_anywhere(db, rows, err))
        return false;
    if (rows->count > 0)
        qsort(rows->list, rows->count, sizeof *rows->list, by_name);
    return true;
}

void offer_rows_free(struct offer_rows *rows)
{
    freep(&rows->list);
    freep(&rows->statements);
}
