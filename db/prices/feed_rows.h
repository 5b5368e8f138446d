/* Per-scope feed state: last result, validators for the next read. */
#pragma once

#include "common/limits.h"
#include "db/db.h"
#include "pricing/feeds/plausible.h"

#define HELD_EXAMPLES 3

/* A price held back for confirmation. */
struct waiting_price {
    char instance_type[INSTANCE_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    enum price_kind kind;
    long long nanos;         /* the accepted price */
    long long waiting_nanos; /* the held price; 0: it was removed */
    long long since_us;      /* when it was read first */
};

struct feed_row {
    char feed[32];
    char scope[REGION_SIZE];
    char address[96];
    const char *state;      /* "ok", "unchanged" or "failed"; static */
    char reason[256];       /* of a failure; "" */
    long long checked_us;   /* time of the last request */
    long long confirmed_us; /* time of the last accepted reading; 0 never */
    long long changed_us;   /* time of the last accepted change; 0 never */
    long long source_us;    /* the feed's own date of the accepted prices; 0 if it has none */
    char etag[128], last_modified[64], mark[96];
    int status;         /* HTTP's, of the last answer; 0 for none */
    long long bytes;    /* of the last reading, unpacked */
    long long prices;   /* accepted prices */
    long long failures; /* since the last success */
    struct price_batch_tally tally;
    long long held;     /* prices held back for confirmation */
    struct doubt doubt; /* why the last reading was held back as a whole */
    /* Of `held`, the widest moves; only feed_rows_each() fills them. */
    struct waiting_price examples[HELD_EXAMPLES];
    size_t example_count;
};

/* *ret_row has only its names if the feed was never read. */
MUST_USE bool feed_rows_find(struct db *db, const char *feed, const char *scope,
                             struct feed_row *ret_row, struct error *err);

/* Stores the state of a scope whose prices stay: unchanged or failed. Unchanged forgets the held
 * prices, because the feed confirms the accepted ones. */
MUST_USE bool feed_rows_store(struct db *db, const struct feed_row *row, struct error *err);

/* Stores the state of a scope that was read, and the reading. In the caller's transaction. */
MUST_USE bool feed_rows_put_reading(struct db *db, const struct feed_row *row, struct error *err);

/* Stores the state with the prices that the last reading held back; also for a scope never read
 * before. In the caller's transaction. */
MUST_USE bool feed_rows_doubt(struct db *db, const struct feed_row *row, struct error *err);

/* Calls tell() for each scope of a feed; of all feeds if NULL. */
MUST_USE bool feed_rows_each(struct db *db, const char *feed,
                             void (*tell)(void *user, const struct feed_row *row), void *user,
                             struct error *err);

/* Forgets the state of a scope; its prices stay. */
MUST_USE bool feed_rows_forget(struct db *db, const char *feed, const char *scope,
                               struct error *err);
