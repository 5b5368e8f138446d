/* Prices of single regions, kept between questions. Tested by tests/db/prices/offer_store_test.c.
 */
#include "common/cleanup.h"
#include "db/prices/offer_rows.h"

#define REGIONS 12 /* of two megabytes each, where a region has five thousand prices */
#define MINUTE_US (60 * 1000000LL)

struct kept_region {
    char region[REGION_SIZE]; /* "" while it is empty */
    long long moment, used;
    struct offer_row *rows; /* `statement` counts from 0 */
    struct feed_statement *statements;
    size_t count, statement_count;
};

struct offer_store {
    long long prices, moment; /* of the question that was begun */
    long long questions;
    struct kept_region regions[REGIONS];
};

struct offer_store *offer_store_new(struct error *err)
{
    struct offer_store *store = calloc(1, sizeof *store);

    if (!store)
        error_no_memory(err);
    return store;
}

static void forget(struct kept_region *kept)
{
    freep(&kept->rows);
    freep(&kept->statements);
    *kept = (struct kept_region){.used = 0};
}

void offer_store_free(struct offer_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < REGIONS; i++)
        forget(&store->regions[i]);
    free(store);
}

void offer_store_begin(struct offer_store *store, const struct offers_question *question,
                       long long prices)
{
    if (!store)
        return;
    for (size_t i = 0; prices != store->prices && i < REGIONS; i++)
        forget(&store->regions[i]);
    store->prices = prices;
    /* A minute that lies before now is another one than the same moment of the past. */
    store->moment = question->is_now ? -1 - question->at_us / MINUTE_US : question->at_us;
    store->questions++;
}

/* What is typed and leaves its region open is little, and not of one region. */
static struct kept_region *find(struct offer_store *store, const char *region)
{
    for (size_t i = 0; *region && i < REGIONS; i++)
        if (store->regions[i].moment == store->moment &&
            strcmp(store->regions[i].region, region) == 0)
            return &store->regions[i];
    return NULL;
}

bool offer_store_take(struct offer_store *store, const char *region, struct offer_rows *rows,
                      struct error *err)
{
    struct kept_region *kept = store ? find(store, region) : NULL;
    size_t first = rows->statement_count;

    if (!kept || !offer_rows_room(rows, kept->count, kept->statement_count, err))
        return false;
    kept->used = store->questions;
    for (size_t i = 0; i < kept->statement_count; i++)
        rows->statements[rows->statement_count++] = kept->statements[i];
    for (size_t i = 0; i < kept->count; i++) {
        struct offer_row *row = &rows->list[rows->count++];

        *row = kept->rows[i];
        row->statement += first;
        row->kept = &kept->rows[i].held;
        offer_rows_judge(rows, row);
    }
    return true;
}

/* The one that was not used for longest; NULL where this question uses all. */
static struct kept_region *oldest(struct offer_store *store)
{
    struct kept_region *kept = &store->regions[0];

    for (size_t i = 1; i < REGIONS; i++)
        if (store->regions[i].used < kept->used)
            kept = &store->regions[i];
    return kept->used < store->questions ? kept : NULL;
}

void offer_store_keep(struct offer_store *store, const char *region, struct offer_rows *rows,
                      size_t first_row, size_t first_statement)
{
    struct kept_region *kept = store && *region ? oldest(store) : NULL;
    size_t count = rows->count - first_row;
    size_t statement_count = rows->statement_count - first_statement;

    if (!kept || strlen(region) >= sizeof kept->region)
        return;
    forget(kept);
    kept->rows = calloc(count + 1, sizeof *kept->rows);
    kept->statements = calloc(statement_count + 1, sizeof *kept->statements);
    if (!kept->rows || !kept->statements) {
        forget(kept);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct offer_row *row = &rows->list[first_row + i];

        if (row->statement < first_statement) { /* of a scope with several regions */
            for (size_t j = 0; j < i; j++)
                rows->list[first_row + j].kept = NULL;
            forget(kept);
            return;
        }
        kept->rows[i] = *row;
        kept->rows[i].statement -= first_statement;
        row->kept = &kept->rows[i].held;
    }
    for (size_t i = 0; i < statement_count; i++)
        kept->statements[i] = rows->statements[first_statement + i];
    kept->count = count;
    kept->statement_count = statement_count;
    kept->moment = store->moment;
    kept->used = store->questions;
    snprintf(kept->region, sizeof kept->region, "%s", region);
}
