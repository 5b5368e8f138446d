/* A world of on-demand and spot prices in some regions, and feeds that tell of it, for tests of
 * what is accepted. */
#pragma once

#include "pricing/freshness.h"
#include "tests/db/prices.h"

#define HOUR 3600LL
#define FAMILIES 4
#define SIZES 5
#define REGIONS 4
#define PRICES (FAMILIES * SIZES * REGIONS)

static const struct source lists = {.name = "lists"};
static const struct source spots = {.name = "spots", .has_spot = true};
static const struct source both_kinds = {.name = "both", .has_spot = true};
static const struct source file = {.name = "price-file", .needs = NEEDS_FILE};

/* Dollars an hour of each price; 0 for none. */
struct world {
    double on_demand[PRICES], spot[PRICES];
};

static inline struct world world_of(double on_demand, double spot)
{
    struct world world;

    for (size_t i = 0; i < PRICES; i++) {
        world.on_demand[i] = on_demand * (double)(1 + i % SIZES);
        world.spot[i] = spot * (double)(1 + i % SIZES);
    }
    return world;
}

static inline void times(double prices[PRICES], double factor)
{
    for (size_t i = 0; i < PRICES; i++)
        prices[i] *= factor;
}

/* "f2.s1" in "r3". */
static inline const char *type_of(size_t i)
{
    static char names[FAMILIES * SIZES][8];
    size_t type = i % (FAMILIES * SIZES);

    snprintf(names[type], sizeof names[type], "f%zu.s%zu", type / SIZES, type % SIZES);
    return names[type];
}

static inline const char *region_of(size_t i)
{
    static const char *const names[REGIONS] = {"r0", "r1", "r2", "r3"};

    return names[i / (FAMILIES * SIZES)];
}

/* What a feed says: prices of one kind, or of both. */
struct telling {
    const struct source *source;
    const double *on_demand, *spot; /* NULL: not of that kind */
    long long seconds;
    bool accept;
};

static inline void tell_kind(const double *prices, enum price_kind kind, struct said *said,
                             char (*texts)[24], size_t *count)
{
    for (size_t i = 0; prices && i < PRICES; i++) {
        if (prices[i] <= 0)
            continue;
        snprintf(texts[*count], sizeof texts[*count], "%.6f", prices[i]);
        said[*count] = (struct said){
            .type = type_of(i), .text = texts[*count], .region = region_of(i), .kind = kind};
        ++*count;
    }
}

/* NULL where it was accepted, else why not. */
static inline const char *why_refused(struct db *db, const struct telling *telling)
{
    static struct error err;
    struct said said[2 * PRICES];
    char texts[2 * PRICES][24];
    struct feed_reading reading = {.source = telling->source,
                                   .at_us = THEN_US + telling->seconds * SECOND_US,
                                   .prices = said,
                                   .accept = telling->accept};
    struct change change;

    tell_kind(telling->on_demand, PRICE_ON_DEMAND, said, texts, &reading.count);
    tell_kind(telling->spot, PRICE_SPOT, said, texts, &reading.count);
    error_clear(&err);
    if (replace_with(db, &reading, &change, &err))
        return NULL;
    EXPECT_INT(err.kind, ERROR_UPSTREAM);
    return err.message;
}

static inline const char *list_told(struct db *db, const double prices[PRICES], long long seconds)
{
    return why_refused(
        db, &(struct telling){.source = &lists, .on_demand = prices, .seconds = seconds});
}

static inline const char *spot_told(struct db *db, const double prices[PRICES], long long seconds)
{
    return why_refused(db,
                       &(struct telling){.source = &spots, .spot = prices, .seconds = seconds});
}

/* The price of a place in the world as the database has it; 0 for none. */
static inline struct price_at price_told(struct db *db, const char *feed, size_t i,
                                         long long seconds)
{
    const struct views views =
        list_of(db, (struct price_filter){.feed = feed,
                                          .instance_type = type_of(i),
                                          .region = region_of(i),
                                          .at_us = THEN_US + seconds * SECOND_US});

    EXPECT(views.count <= 1);
    return views.count > 0 ? views.list[0] : (struct price_at){0};
}

/* Whether the price is of the region, or else of the family, with that number. */
static inline bool is_of(size_t i, bool region, size_t number)
{
    return (region ? i / (FAMILIES * SIZES) : i % (FAMILIES * SIZES) / SIZES) == number;
}
