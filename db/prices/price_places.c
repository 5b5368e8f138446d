#include "db/prices/price_places.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"

bool price_places_each(struct db *db, const char *provider, const char *instance,
                       void (*tell)(void *user, const struct price_place *place), void *user,
                       struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT kind, currency, region, zone FROM price_series WHERE"
                     " instance_type = ?1 AND (?2 IS NULL OR provider = ?2) AND nanos IS NOT NULL"
                     " AND feed <> 'published' ORDER BY region, zone",
                     err);
    enum stmt_step step;

    stmt_text(query, instance);
    stmt_text(query, provider);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct price_place place = {0};

        if (!price_kind_from_name(stmt_column_text(query, 0), &place.kind))
            continue; /* the schema lets in no other words */
        TEXT_COPY(place.currency, stmt_column_text(query, 1));
        TEXT_COPY(place.region, stmt_column_text(query, 2));
        TEXT_COPY(place.zone, stmt_column_text(query, 3));
        tell(user, &place);
    }
    return step == STMT_DONE;
}

static bool price_places_has(struct db *db, const char *sql, const char *name, bool *ret_has,
                             struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    stmt_text(query, name);
    return stmt_finds(query, ret_has, err);
}

bool price_places_has_region(struct db *db, const char *region, bool *ret_has, struct error *err)
{
    return price_places_has(
        db,
        "SELECT 1 FROM price_series WHERE region = ? AND feed <> 'published' AND nanos IS"
        " NOT NULL LIMIT 1",
        region, ret_has, err);
}

bool price_places_has_zone(struct db *db, const char *zone, bool *ret_has, struct error *err)
{
    return price_places_has(
        db,
        "SELECT 1 FROM price_series WHERE zone = ? AND feed <> 'published' AND nanos IS NOT"
        " NULL LIMIT 1",
        zone, ret_has, err);
}

static bool each_name(struct db *db, const char *sql, void (*tell)(void *user, const char *name),
                      void *user, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW)
        tell(user, stmt_column_text(query, 0));
    return step == STMT_DONE;
}

bool price_places_regions(struct db *db, void (*tell)(void *user, const char *name), void *user,
                          struct error *err)
{
    return each_name(db,
                     "SELECT DISTINCT region FROM price_series WHERE region <> '' AND feed <>"
                     " 'published' AND nanos IS NOT NULL",
                     tell, user, err);
}

bool price_places_zones(struct db *db, void (*tell)(void *user, const char *name), void *user,
                        struct error *err)
{
    return each_name(db,
                     "SELECT DISTINCT zone FROM price_series WHERE zone <> '' AND feed <>"
                     " 'published' AND nanos IS NOT NULL",
                     tell, user, err);
}
