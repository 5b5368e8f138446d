#include "answers/compare/comparison_cache.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/prices/offer_store.h"

#include <assert.h>
#include <pthread.h>

#define CACHE_SLOTS 8
#define SLOTS_WITH_HOMES 3 /* large if runs come from many regions */
#define KEY_SIZE 400

/* Offers of one question. Valid until a price changes (new runs do not matter), and for a minute
 * if the question is about now, because prices age. */
struct cache_slot {
    char key[KEY_SIZE]; /* "" while empty */
    long long prices;   /* revision_read_prices() before they were loaded */
    long long used;
    struct offers offers;
    struct homes homes;
    long long homes_of; /* the standings' revision for which the homes are complete */
};

struct comparison_cache {
    pthread_mutex_t changing; /* held during a whole change */
    pthread_rwlock_t lock;    /* write-locked only to publish a change */
    struct standings standings;
    struct cache_slot slots[CACHE_SLOTS];
    struct offer_store *store; /* guarded by `changing` */
    long long uses;
};

static void slot_clear(struct cache_slot *slot)
{
    offers_free(&slot->offers);
    homes_free(&slot->homes);
}

struct comparison_cache *comparison_cache_new(void)
{
    struct comparison_cache *cache = xcalloc(1, sizeof *cache);

    cache->store = offer_store_new();
    pthread_rwlock_init(&cache->lock, NULL);
    pthread_mutex_init(&cache->changing, NULL);
    return cache;
}

void comparison_cache_free(struct comparison_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < CACHE_SLOTS; i++)
        slot_clear(&cache->slots[i]);
    offer_store_free(cache->store);
    standings_free(&cache->standings);
    pthread_rwlock_destroy(&cache->lock);
    pthread_mutex_destroy(&cache->changing);
    free(cache);
}

/* Equal questions have equal keys. Too long a question has no key and is not cached. */
static void cache_name(const struct offers_question *question, char ret_key[KEY_SIZE])
{
    long long moment = question->is_now ? question->at_us / US_PER_MINUTE : question->at_us;
    size_t used =
        (size_t)snprintf(ret_key, KEY_SIZE, "%lld%c%s%zu:", moment, question->is_now ? 'm' : '|',
                         question->at_home ? "h|" : "", question->committed_count);

    for (size_t i = 0; i < question->committed_count && used < KEY_SIZE; i++)
        used +=
            (size_t)snprintf(ret_key + used, KEY_SIZE - used, "%d,", (int)question->committed[i]);
    for (const char *const *region = question->regions; *region && used < KEY_SIZE; region++)
        used += (size_t)snprintf(ret_key + used, KEY_SIZE - used, "%s|", *region);
    if (used < KEY_SIZE && question->zone)
        used += (size_t)snprintf(ret_key + used, KEY_SIZE - used, "@%s", question->zone);
    if (used >= KEY_SIZE)
        ret_key[0] = '\0';
}

static struct cache_slot *cache_find(struct comparison_cache *cache, const char *key)
{
    for (size_t i = 0; i < CACHE_SLOTS; i++)
        if (*key && strcmp(cache->slots[i].key, key) == 0)
            return &cache->slots[i];
    return NULL;
}

static struct cache_slot *cache_oldest(struct comparison_cache *cache)
{
    struct cache_slot *slot = &cache->slots[0];

    for (size_t i = 1; i < CACHE_SLOTS; i++)
        if (cache->slots[i].used < slot->used)
            slot = &cache->slots[i];
    return slot;
}

/* The revision that a request must see; later changes may be missing. */
struct state {
    long long revision, prices;
};

/* NULL: the cache is too old for the request, or lacks these prices. */
static struct cache_slot *find_fresh(struct comparison_cache *cache, const char *key,
                                     const struct state *least)
{
    struct cache_slot *slot = cache_find(cache, key);

    /* Standings that have moved on may have a row whose home is not loaded yet. */
    return slot && slot->prices >= least->prices && slot->homes_of == cache->standings.revision &&
                   cache->standings.revision >= least->revision
               ? slot
               : NULL;
}

/* With the write lock, held briefly because all readers wait. Takes the offers, if any. */
static bool cache_change(struct comparison_cache *cache, struct db *db, struct cache_slot *fresh,
                         struct error *err)
{
    struct cache_slot *slot;

    if (!standings_update(db, &cache->standings, err))
        return false;
    if (!fresh->offers.list)
        return true;
    assert(*fresh->key);
    slot = cache_find(cache, fresh->key);
    if (!slot)
        slot = cache_oldest(cache);
    slot_clear(slot);
    *slot = *fresh;
    slot->used = ++cache->uses;
    fresh->offers = (struct offers){0};
    return true;
}

/* With the write lock: frees the homes of the least recently used slots. */
static void drop_homes(struct comparison_cache *cache)
{
    for (;;) {
        struct cache_slot *oldest = NULL;
        size_t count = 0;

        for (size_t i = 0; i < CACHE_SLOTS; i++) {
            struct cache_slot *slot = &cache->slots[i];

            if (slot->homes.count == 0)
                continue;
            count++;
            if (!oldest || slot->used < oldest->used)
                oldest = slot;
        }
        if (count <= SLOTS_WITH_HOMES)
            return;
        homes_free(&oldest->homes);
        oldest->homes_of = 0;
    }
}

/* For the current standings, which only this thread changes. */
static bool complete_homes(struct comparison_cache *cache, struct db *db,
                           const struct offers_question *question, const char *key,
                           struct error *err)
{
    struct cache_slot *slot = cache_find(cache, key);
    struct homes completed;

    if (!slot || slot->homes_of == cache->standings.revision)
        return true;
    if (!homes_complete(db, question, &cache->standings, &slot->homes, &completed, err))
        return false;
    pthread_rwlock_wrlock(&cache->lock);
    homes_take(&slot->homes, &completed);
    slot->homes_of = cache->standings.revision;
    slot->used = ++cache->uses;
    drop_homes(cache);
    pthread_rwlock_unlock(&cache->lock);
    return true;
}

/* One thread at a time may change the cache: it loads prices while others read. */
static bool bring_up_to_date(struct comparison_cache *cache, struct db *db,
                             const struct offers_question *question, const char *key,
                             struct error *err)
{
    const struct cache_slot *slot = cache_find(cache, key);
    struct cache_slot fresh = {0}; /* its revision is read first: what changes meanwhile is loaded
                                again next time */
    bool ok;

    if (!revision_read_prices(db, &fresh.prices, err))
        return false;
    /* Not if only runs changed, or another thread was faster. */
    if ((!slot || slot->prices < fresh.prices) &&
        !offers_load(db, question, cache->store, fresh.prices, &fresh.offers, err))
        return false;
    snprintf(fresh.key, sizeof fresh.key, "%s", key);
    pthread_rwlock_wrlock(&cache->lock);
    ok = cache_change(cache, db, &fresh, err);
    pthread_rwlock_unlock(&cache->lock);
    offers_free(&fresh.offers);
    return ok && complete_homes(cache, db, question, key, err);
}

bool comparison_cache_borrow(struct comparison_cache *cache, struct db *db,
                             const struct offers_question *question,
                             struct comparison_loan *ret_loan, struct error *err)
{
    char key[KEY_SIZE];
    struct state least;
    struct cache_slot *slot;

    cache_name(question, key);
    if (!*key)
        return error_set(err, ERROR_INVALID, "region", "is too long");
    if (!revision_read(db, &least.revision, err) || !revision_read_prices(db, &least.prices, err))
        return false;
    pthread_rwlock_rdlock(&cache->lock);
    while ((slot = find_fresh(cache, key, &least)) == NULL) {
        bool ok;

        pthread_rwlock_unlock(&cache->lock);
        pthread_mutex_lock(&cache->changing);
        ok = bring_up_to_date(cache, db, question, key, err);
        pthread_rwlock_rdlock(&cache->lock); /* before another thread changes it again */
        pthread_mutex_unlock(&cache->changing);
        if (!ok) {
            pthread_rwlock_unlock(&cache->lock);
            return false;
        }
    }
    *ret_loan = (struct comparison_loan){.cache = cache,
                                         .standings = &cache->standings,
                                         .offers = &slot->offers,
                                         .homes = &slot->homes};
    return true;
}

void comparison_cache_return(struct comparison_loan *loan)
{
    if (loan->cache)
        pthread_rwlock_unlock(&loan->cache->lock);
    loan->cache = NULL;
}
