#include "server/board.h"

#include "common/cleanup.h"

#include <pthread.h>

#define SLOTS 8
#define KEY_SIZE 400
#define MINUTE_US (60 * 1000000LL)

/* Offers of one question; good for as long as nothing changes, and for a minute where prices of
 * this moment are asked for, since they age. */
struct slot {
    char key[KEY_SIZE]; /* "" while it is empty */
    long long revision, used;
    struct offers offers;
};

struct board {
    pthread_rwlock_t lock;
    struct standings standings;
    struct slot slots[SLOTS];
    long long uses;
};

struct board *board_new(struct error *err)
{
    struct board *board = calloc(1, sizeof *board);

    if (!board || pthread_rwlock_init(&board->lock, NULL) != 0) {
        free(board);
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    return board;
}

void board_free(struct board *board)
{
    if (!board)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        offers_free(&board->slots[i].offers);
    standings_free(&board->standings);
    pthread_rwlock_destroy(&board->lock);
    free(board);
}

/* Equal questions, equal keys; too long a one has none, and is never found again. */
static void name(const struct offers_question *question, char ret_key[KEY_SIZE])
{
    long long moment = question->is_now ? question->at_us / MINUTE_US : question->at_us;
    size_t used =
        (size_t)snprintf(ret_key, KEY_SIZE, "%lld%c", moment, question->is_now ? 'm' : '|');

    for (const char *const *region = question->regions; *region && used < KEY_SIZE; region++)
        used += (size_t)snprintf(ret_key + used, KEY_SIZE - used, "%s|", *region);
    if (used < KEY_SIZE && question->zone)
        used += (size_t)snprintf(ret_key + used, KEY_SIZE - used, "@%s", question->zone);
    if (used >= KEY_SIZE)
        ret_key[0] = '\0';
}

static struct slot *find(struct board *board, const char *key, long long revision)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (*key && board->slots[i].revision == revision && strcmp(board->slots[i].key, key) == 0)
            return &board->slots[i];
    return NULL;
}

static struct slot *oldest(struct board *board)
{
    struct slot *slot = &board->slots[0];

    for (size_t i = 1; i < SLOTS; i++)
        if (board->slots[i].used < slot->used)
            slot = &board->slots[i];
    return slot;
}

/* With the lock for writing. Offers are of the revision that the standings have: it was read
 * before both. */
static bool bring_up_to_date(struct board *board, struct db *db,
                             const struct offers_question *question, const char *key,
                             struct error *err)
{
    struct offers offers;
    struct slot *slot;

    if (!standings_update(db, &board->standings, err))
        return false;
    slot = find(board, key, board->standings.revision);
    if (slot)
        return true; /* somebody else was quicker */
    if (!offers_load(db, question, &offers, err))
        return false;
    slot = oldest(board);
    offers_free(&slot->offers);
    slot->offers = offers;
    slot->revision = board->standings.revision;
    slot->used = ++board->uses;
    snprintf(slot->key, sizeof slot->key, "%s", key);
    return true;
}

bool board_borrow(struct board *board, struct db *db, const struct offers_question *question,
                  struct board_loan *ret_loan, struct error *err)
{
    char key[KEY_SIZE];
    long long revision;

    name(question, key);
    if (!*key)
        return error_set(err, ERROR_INVALID, "region", "is too long");
    if (!revision_read(db, &revision, err))
        return false;
    for (;;) {
        struct slot *slot;
        bool ok;

        pthread_rwlock_rdlock(&board->lock);
        /* At least as new as this request: what comes while it is answered may wait. */
        slot = board->standings.revision >= revision ? find(board, key, board->standings.revision)
                                                     : NULL;
        if (slot) {
            *ret_loan = (struct board_loan){
                .board = board, .standings = &board->standings, .offers = &slot->offers};
            return true;
        }
        pthread_rwlock_unlock(&board->lock);
        pthread_rwlock_wrlock(&board->lock);
        ok = bring_up_to_date(board, db, question, key, err);
        pthread_rwlock_unlock(&board->lock);
        if (!ok)
            return false;
    }
}

void board_return(struct board_loan *loan)
{
    if (loan->board)
        pthread_rwlock_unlock(&loan->board->lock);
    loan->board = NULL;
}
