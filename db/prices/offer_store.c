#include "db/prices/offer_store.h"
#include "common/cleanup.h"
#include "common/memory.h"

#include <assert.h>

#define REGIONS 10 /* of two megabytes each, where a region has five thousand prices */
#define OFFER_ENTRIES_MAX 400000 /* of courses: 13 MB of this moment, and as many of the past */

struct kept_region {
    struct price_book book; /* without a list while it is empty */
    long long used;
};

struct offer_store {
    long long prices; /* of the question that was begun */
    long long questions;
    struct kept_region regions[REGIONS];
};

struct offer_store *offer_store_new(void)
{
    return xcalloc(1, sizeof(struct offer_store));
}

static void kept_region_forget(struct kept_region *kept)
{
    price_book_free(&kept->book);
    kept->used = 0;
}

void offer_store_free(struct offer_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < REGIONS; i++)
        kept_region_forget(&store->regions[i]);
    free(store);
}

/* Courses grow with each new moment asked about. */
static void forget_courses(struct offer_store *store, int which)
{
    size_t entries = 0;

    for (size_t i = 0; i < REGIONS; i++)
        entries += store->regions[i].book.entries[which];
    for (size_t i = 0; entries > OFFER_ENTRIES_MAX && i < REGIONS; i++)
        price_book_forget_courses(&store->regions[i].book, which);
}

void offer_store_begin(struct offer_store *store, long long prices)
{
    if (!store)
        return;
    for (size_t i = 0; prices != store->prices && i < REGIONS; i++)
        kept_region_forget(&store->regions[i]);
    for (int which = 0; which < COURSES; which++)
        forget_courses(store, which);
    store->prices = prices;
    store->questions++;
}

struct price_book *offer_store_find(struct offer_store *store, const char *region)
{
    for (size_t i = 0; store && i < REGIONS; i++) {
        struct kept_region *kept = &store->regions[i];

        if (kept->used > 0 && strcmp(kept->book.region, region) == 0) {
            kept->used = store->questions;
            return &kept->book;
        }
    }
    return NULL;
}

/* The least recently used book; NULL if this question uses all. */
static struct kept_region *kept_region_oldest(struct offer_store *store)
{
    struct kept_region *kept = &store->regions[0];

    for (size_t i = 1; i < REGIONS; i++)
        if (store->regions[i].used < kept->used)
            kept = &store->regions[i];
    return kept->used < store->questions ? kept : NULL;
}

struct price_book *offer_store_keep(struct offer_store *store, struct price_book *book)
{
    struct kept_region *kept = store ? kept_region_oldest(store) : NULL;

    if (!kept)
        return NULL;
    assert(!book->is_kept);
    kept_region_forget(kept);
    kept->book = *book;
    kept->book.is_kept = true;
    kept->used = store->questions;
    *book = (struct price_book){0};
    return &kept->book;
}
