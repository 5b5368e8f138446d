/* What offers are chosen from: every price in dollars that held at the moment of a question, with
 * the place that it takes among its like. For db/prices/offers.c alone. */
#pragma once

#include "common/limits.h"
#include "db/prices/offers.h"

enum offer_slot {
    SLOT_ON_DEMAND,
    SLOT_SPOT,
    SLOT_TYPED,
    SLOT_PUBLISHED_ON_DEMAND,
    SLOT_PUBLISHED_SPOT,
    OFFER_SLOTS
};

/* A feed's scope, and when it spoke last before the moment; 0 for never, as for what is typed. */
struct feed_statement {
    char feed[32], scope[40];
    int rank;
    bool third_party;
    long long pace_us;
    long long confirmed_us, confirmed_source_us;
};

#define ORDER_KEYS 5

/* What a series was at a moment, and its spread in a time before. */
struct held {
    bool known; /* false: there was no price */
    bool has_spread;
    long long nanos, since_us, source_us, fetched_us;
    char text[40];
    double low, high, mean; /* dollars, weighted by time; what is without a price is left out */
};

struct offer_row {
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    enum price_kind kind;
    enum offer_slot slot;
    long long series, nanos, since_us;
    size_t statement;
    bool applies; /* false: it tells of the type, but its price is for another place */
    bool doubted; /* a later reading says otherwise, and is held back */
    enum freshness freshness;
    long long said_us;           /* 0: no reading had confirmed it by then */
    long long order[ORDER_KEYS]; /* the smaller goes first, by the first that differs */
    struct held held;            /* without a spread, where history was asked already */
    struct held *kept;           /* the same of a region that is kept: filled on the way; NULL */
};

struct offer_rows {
    const struct offers_question *question;
    struct offer_row *list; /* by instance and provider */
    size_t count, room;
    struct feed_statement *statements;
    size_t statement_count, statement_room, last_statement;
    struct offer_store *store; /* NULL: nothing is kept */
};

/* Rows are zeroed at first, but for a store where there is one, and may be filled again for
 * another question of the same moment, which spares asking for its readings. They go to
 * offer_rows_free(), whatever this returned. */
bool offer_rows_load(struct db *db, const struct offers_question *question,
                     struct offer_rows *rows, struct error *err)
    __attribute__((warn_unused_result));
void offer_rows_free(struct offer_rows *rows);

/* A question begins: forgets what was read before prices changed. */
void offer_store_begin(struct offer_store *store, const struct offers_question *question,
                       long long prices);
/* Appends what is kept of the region. False where nothing is, or memory ended (*err). */
bool offer_store_take(struct offer_store *store, const char *region, struct offer_rows *rows,
                      struct error *err) __attribute__((warn_unused_result));
/* Keeps the rows and statements from these on, which are the region's. Where there is no memory,
 * or no room but that of this question's other regions, nothing is kept. */
void offer_store_keep(struct offer_store *store, const char *region, struct offer_rows *rows,
                      size_t first_row, size_t first_statement);
/* Makes room for so many more. */
bool offer_rows_room(struct offer_rows *rows, size_t more_rows, size_t more_statements,
                     struct error *err) __attribute__((warn_unused_result));
/* What of a row depends on the question and not on its region alone. */
void offer_rows_judge(const struct offer_rows *rows, struct offer_row *row);

struct held_question {
    long long series, at_us;
    long long window_us; /* before the moment; 0: no spread is asked for */
};

bool price_at(struct db *db, const struct held_question *question, struct held *ret_held,
              struct error *err) __attribute__((warn_unused_result));

/* By instance, then provider; "" goes before every name. */
int offer_name_order(const char *instance, const char *provider, const char *other_instance,
                     const char *other_provider);
