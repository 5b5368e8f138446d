/* The prices of a region: each series in dollars with its current price, by type, and the parts
 * of its history read so far. A cached book answers for any moment until a price changes. For
 * db/prices/ only. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "db/prices/price_at.h"
#include "pricing/price.h"

enum offer_slot {
    SLOT_ON_DEMAND,
    SLOT_SPOT,
    SLOT_TYPED,
    SLOT_PUBLISHED_ON_DEMAND,
    SLOT_PUBLISHED_SPOT,
    OFFER_SLOTS,
    SLOT_COMMITTED, /* of any kind of commitment */
};

/* A feed's scope, and its last reading before the moment; 0 for never, and for typed prices. */
struct feed_statement {
    char feed[32], scope[40];
    int rank;
    bool third_party;
    long long pace_us;
    long long confirmed_us, confirmed_source_us; /* 0 in a book: they depend on the moment */
};

/* For now, and for the past. */
enum { COURSE_NOW, COURSE_PAST, COURSES };

struct price_series {
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    enum price_kind kind;
    enum offer_slot slot;
    long long number, nanos, since_us; /* nanos 0: no price today */
    long long doubted_us;              /* when a contradicting reading was held back; 0: none */
    size_t statement;                  /* of the book's */
    struct course courses[COURSES];
    bool is_long;  /* its history is too long to cache: read each time */
    bool has_band; /* of interruptions, as in struct offer */
    char band[16];
};

struct price_book {
    char region[REGION_SIZE];
    bool is_kept;              /* false: used for one question; history is not cached */
    struct price_series *list; /* owned: by instance and provider once sorted */
    size_t count, room;
    struct feed_statement *statements; /* owned */
    size_t statement_count, statement_room, last_statement;
    size_t entries[COURSES]; /* of all courses */
};

/* Adds hourly prices from feeds for the region ("" for prices without one), and prices typed for
 * it; of one type, unless that is NULL. */
MUST_USE bool price_book_add_region(struct db *db, struct price_book *book, const char *region,
                                    const char *type, struct error *err);
/* Adds the prices of one kind of commitment in the region. */
MUST_USE bool price_book_add_committed(struct db *db, struct price_book *book, const char *region,
                                       enum price_kind kind, const char *type, struct error *err);
/* Adds published prices and prices typed for any region: they show only that the type exists. */
MUST_USE bool price_book_add_anywhere(struct db *db, struct price_book *book, const char *type,
                                      struct error *err);
/* Sorts by instance and provider; add nothing afterwards. */
void price_book_sort(struct price_book *book);
void price_book_free(struct price_book *book);

void price_book_forget_courses(struct price_book *book, int which);

/* By instance, then provider; "" goes before every name. */
int offer_name_order(const char *instance, const char *provider, const char *other_instance,
                     const char *other_provider);
