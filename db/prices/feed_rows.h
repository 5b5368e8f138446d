/* How each feed is, scope by scope: what its last reading came to, and what the next one needs to
 * know of it. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "pricing/feeds/plausible.h"

#define HELD_EXAMPLES 3

/* A price that a reading said and that is not accepted yet. */
struct waiting_price {
    char instance_type[INSTANCE_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    enum price_kind kind;
    long long nanos;         /* that is accepted */
    long long waiting_nanos; /* that waits; 0: there is none any more */
    long long since_us;      /* when it was said first */
};

struct feed_row {
    char feed[32];
    char scope[REGION_SIZE];
    char address[96];
    const char *state;      /* "ok", "unchanged" or "failed"; static */
    char reason[256];       /* of a failure; "" */
    long long checked_us;   /* when it was last asked */
    long long confirmed_us; /* when it last said something that was accepted; 0 never */
    long long changed_us;   /* when that was last something new; 0 never */
    long long source_us;    /* of what is accepted, as the feed says; 0 where it does not */
    char etag[128], last_modified[64], mark[96];
    int status;         /* HTTP's, of the last answer; 0 for none */
    long long bytes;    /* of the last reading, unpacked */
    long long prices;   /* that are accepted */
    long long failures; /* since it last worked */
    struct price_batch_tally tally;
    long long held;     /* prices that wait for another reading */
    struct doubt doubt; /* the last reading, where it was held back as a whole */
    /* Of `held`, the widest leaps: told by feed_rows_each() alone. */
    struct waiting_price examples[HELD_EXAMPLES];
    size_t example_count;
};

/* *ret_row is a row with nothing but its names where the feed was never asked. */
MUST_USE bool feed_rows_find(struct db *db, const char *feed, const char *scope,
                             struct feed_row *ret_row, struct error *err);

/* Stores the state of a scope whose prices stay as they are: unchanged or failed. Unchanged
 * forgets what was held back: the feed says again what it said before that. */
MUST_USE bool feed_rows_store(struct db *db, const struct feed_row *row, struct error *err);

/* Within a transaction of the caller's: the state of a scope that was read, and the reading. */
MUST_USE bool feed_rows_put_reading(struct db *db, const struct feed_row *row, struct error *err);

/* Within a transaction of the caller's: the state as it was found, with what was held back of the
 * last reading; also of a scope that was never read before. */
MUST_USE bool feed_rows_doubt(struct db *db, const struct feed_row *row, struct error *err);

/* Calls tell() for each scope of a feed, or of all feeds where that is NULL. */
MUST_USE bool feed_rows_each(struct db *db, const char *feed,
                             void (*tell)(void *user, const struct feed_row *row), void *user,
                             struct error *err);

/* Forgets the state of a scope; its prices stay. */
MUST_USE bool feed_rows_forget(struct db *db, const char *feed, const char *scope,
                               struct error *err);
