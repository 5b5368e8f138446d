/* What is known of the prices of a region: each series in dollars as it is today, by the type
 * that it is of, and what was read of its history on the way. A book that is kept answers
 * questions about any moment until a price changes. For db/prices/ alone. */
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

/* A feed's scope, and when it spoke last before the moment; 0 for never, as for what is typed. */
struct feed_statement {
    char feed[32], scope[40];
    int rank;
    bool third_party;
    long long pace_us;
    long long confirmed_us, confirmed_source_us; /* 0 in a book: they depend on the moment */
};

/* Of this moment, and of the past. */
enum { COURSE_NOW, COURSE_PAST, COURSES };

struct price_series {
    char provider[PROVIDER_SIZE], instance[INSTANCE_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    enum price_kind kind;
    enum offer_slot slot;
    long long number, nanos, since_us; /* nanos 0: it has no price today */
    long long doubted_us; /* when a reading said otherwise that is held back; 0: none does */
    size_t statement;     /* of the book's */
    struct course courses[COURSES];
    bool is_long;  /* its courses do not fit in here: they are read each time */
    bool has_band; /* of interruptions, as in struct offer */
    char band[16];
};

struct price_book {
    char region[REGION_SIZE];
    bool is_kept; /* false: it is for one question, so what is read on the way is not kept */
    struct price_series *list; /* owned: by instance and provider, once it is sorted */
    size_t count, room;
    struct feed_statement *statements; /* owned */
    size_t statement_count, statement_room, last_statement;
    size_t entries[COURSES]; /* of all courses */
};

/* Adds what feeds say of the region ("" for what names none) by the hour, and what was typed for
 * it; of one type, unless that is NULL. */
MUST_USE bool price_book_add_region(struct db *db, struct price_book *book, const char *region,
                                    const char *type, struct error *err);
/* Adds the prices of one kind of commitment in the region. */
MUST_USE bool price_book_add_committed(struct db *db, struct price_book *book, const char *region,
                                       enum price_kind kind, const char *type, struct error *err);
/* Adds what was published, or typed for whatever region: no price elsewhere, but its type is
 * worth a line. */
MUST_USE bool price_book_add_anywhere(struct db *db, struct price_book *book, const char *type,
                                      struct error *err);
/* By instance and provider; no other may be added behind this. */
void price_book_sort(struct price_book *book);
void price_book_free(struct price_book *book);

void price_book_forget_courses(struct price_book *book, int which);

/* By instance, then provider; "" goes before every name. */
int offer_name_order(const char *instance, const char *provider, const char *other_instance,
                     const char *other_provider);
