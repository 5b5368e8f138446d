/* What the program ships of others' figures, stored in a database and read back from it, for
 * tests that compute with it. Every number comes from there, none from the test. */
#pragma once

#include "db/prices/price_list.h"
#include "pricing/cost.h"
#include "pricing/parse_time.h"
#include "server/prices/published.h"
#include "tests/db/database.h"

#include <math.h>

#define SHELF_MAX 200

struct shelf {
    struct folder folder;
    struct db *db;
    size_t count;
    struct figure list[SHELF_MAX]; /* without their configurations */
};

static struct shelf shelf;

static inline void shelf_keep(void *user, const struct figure *figure)
{
    (void)user;
    REQUIRE(shelf.count < SHELF_MAX);
    shelf.list[shelf.count] = *figure;
    shelf.list[shelf.count++].configuration = NULL;
}

bool test_begin(void)
{
    shelf.folder = folder_make();
    shelf.db = open_database(&shelf.folder);
    EXPECT_OK(published_load(shelf.db, NOON_US, &err));
    EXPECT_OK(figures_each(shelf.db, shelf_keep, NULL, &err));
    return true;
}

void test_end(void)
{
    db_freep(&shelf.db);
    folder_remove(&shelf.folder);
}

static inline const struct figure *figure_called(const char *id)
{
    static const struct figure none = {.samples_per_second = NAN};

    for (size_t i = 0; i < shelf.count; i++)
        if (strcmp(shelf.list[i].id, id) == 0)
            return &shelf.list[i];
    EXPECT_STR(NULL, id);
    return &none;
}

static inline double rate_of(const char *id)
{
    return figure_called(id)->samples_per_second;
}

static inline void shelf_price(void *user, const struct listed_price *listed)
{
    double *dollars = user;

    EXPECT_STR(listed->at.price.currency, "USD");
    EXPECT(isnan(*dollars)); /* there is only one */
    *dollars = (double)listed->at.price.nanos / 1e9;
}

/* Dollars an hour on a day; NaN where there was no such price. */
static inline double price_of(const char *instance, const char *kind, const char *day)
{
    struct price_filter filter = {
        .feed = "published", .instance_type = instance, .kind = kind, .limit = 10};
    double dollars = NAN;

    EXPECT(parse_time(day, &filter.at_us));
    EXPECT(price_list(shelf.db, &filter, shelf_price, &dollars, NULL));
    return dollars;
}

/* Per dollar, per million, in hours: of a figure at a price. */
static inline struct cost cost_at(const char *id, double dollars_per_hour)
{
    const struct amount rate = {.value = rate_of(id)};
    struct cost cost = {{NAN, 0, 0, false}, {NAN, 0, 0, false}, {NAN, 0, 0, false}};

    EXPECT(cost_of(&rate, dollars_per_hour, &cost));
    return cost;
}
