#include "server/http/response_cache.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/memory.h"
#include "common/text.h"
#include "engine/stats/stats.h"

#include <inttypes.h>
#include <pthread.h>

#define SLOTS 32
#define BODY_MAX_KEPT (512 * 1024)

struct slot {
    char *text; /* owned; NULL while it is empty */
    long long revision, minute, used;
    struct bytes body;
    char etag[ETAG_SIZE];
};

struct response_cache {
    pthread_mutex_t lock;
    struct slot slots[SLOTS];
    long long uses;
};

struct response_cache *response_cache_new(void)
{
    struct response_cache *cache = xcalloc(1, sizeof *cache);

    pthread_mutex_init(&cache->lock, NULL);
    for (size_t i = 0; i < SLOTS; i++)
        cache->slots[i].body.limit = BODY_MAX_KEPT;
    return cache;
}

static void response_empty(struct slot *slot)
{
    freep(&slot->text);
    bytes_free(&slot->body);
}

void response_cache_free(struct response_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        response_empty(&cache->slots[i]);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static struct slot *response_find(struct response_cache *cache, const char *text)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (cache->slots[i].text && strcmp(cache->slots[i].text, text) == 0)
            return &cache->slots[i];
    return NULL;
}

bool response_cache_find(struct response_cache *cache, const struct answer_key *key,
                         const char *known, struct bytes *body, char ret_etag[ETAG_SIZE])
{
    struct slot *slot;
    bool found;

    pthread_mutex_lock(&cache->lock);
    slot = response_find(cache, key->text);
    found =
        slot && slot->revision == key->revision && slot->minute == key->minute &&
        (etag_is_known(known, slot->etag) || bytes_add(body, slot->body.data, slot->body.used));
    if (found) {
        slot->used = ++cache->uses;
        memcpy(ret_etag, slot->etag, ETAG_SIZE);
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

/* The slot of the same request, or the least recently used one. */
static struct slot *response_choose(struct response_cache *cache, const char *text)
{
    struct slot *slot = response_find(cache, text);

    if (slot)
        return slot;
    slot = &cache->slots[0];
    for (size_t i = 1; i < SLOTS; i++)
        if (cache->slots[i].used < slot->used)
            slot = &cache->slots[i];
    return slot;
}

void response_cache_keep(struct response_cache *cache, const struct answer_key *key,
                         const struct bytes *body, char ret_etag[ETAG_SIZE])
{
    struct slot *slot;

    snprintf(ret_etag, ETAG_SIZE, "\"%016" PRIx64 "\"", hash_text(HASH_START, body->data));
    pthread_mutex_lock(&cache->lock);
    slot = response_choose(cache, key->text);
    response_empty(slot);
    slot->used = 0;
    slot->text = xstrdup(key->text);
    if (bytes_add(&slot->body, body->data, body->used)) {
        slot->revision = key->revision;
        slot->minute = key->minute;
        slot->used = ++cache->uses;
        memcpy(slot->etag, ret_etag, ETAG_SIZE);
    } else {
        response_empty(slot);
    }
    pthread_mutex_unlock(&cache->lock);
}

bool etag_is_known(const char *header, const char *etag)
{
    static const char blanks[] = " \t";

    if (!header)
        return false;
    header += strspn(header, blanks);
    return (*header == '*' && header[1 + strspn(header + 1, blanks)] == '\0') ||
           strstr(header, etag) != NULL;
}
