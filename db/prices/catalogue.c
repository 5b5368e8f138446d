#include "db/prices/catalogue.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"

static bool put_types(struct db *db, const char *feed, const struct price_batch *batch,
                      struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (price_batch_type_count(batch) == 0)
        return true;
    insert = stmt_prepare(
        db,
        "INSERT INTO instance_types (provider, name, vcpus, memory_gib, architecture,"
        " accelerator, feed) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provider, name) DO UPDATE"
        " SET vcpus = coalesce(nullif(excluded.vcpus, 0), vcpus),"
        " memory_gib = coalesce(nullif(excluded.memory_gib, 0), memory_gib),"
        " architecture = coalesce(nullif(excluded.architecture, ''), architecture),"
        " accelerator = coalesce(nullif(excluded.accelerator, ''), accelerator)"
        " WHERE (vcpus, memory_gib, architecture, accelerator) <> (excluded.vcpus,"
        " excluded.memory_gib, excluded.architecture, excluded.accelerator)",
        err);
    for (size_t i = 0; insert && i < price_batch_type_count(batch); i++) {
        const struct instance_type *type = price_batch_type(batch, i);

        stmt_text(insert, type->provider);
        stmt_text(insert, type->name);
        stmt_real(insert, type->vcpus);
        stmt_real(insert, type->memory_gib);
        stmt_text(insert, type->architecture);
        stmt_text(insert, type->accelerator);
        stmt_text(insert, feed);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

static bool forget_interruptions(struct db *db, const char *feed, struct error *err)
{
    return stmt_run_text(db, "DELETE FROM interruptions WHERE feed = ?", feed, err);
}

static bool put_interruptions(struct db *db, const char *feed, const struct price_batch *batch,
                              struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (price_batch_interruption_count(batch) == 0)
        return true;
    if (!forget_interruptions(db, feed, err))
        return false;
    insert = stmt_prepare(db,
                          "INSERT OR REPLACE INTO interruptions (provider, instance_type, region,"
                          " band, feed) VALUES (?, ?, ?, ?, ?)",
                          err);
    for (size_t i = 0; insert && i < price_batch_interruption_count(batch); i++) {
        const struct interruption *row = price_batch_interruption(batch, i);

        stmt_text(insert, row->provider);
        stmt_text(insert, row->instance_type);
        stmt_text(insert, row->region);
        stmt_text(insert, row->band);
        stmt_text(insert, feed);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

bool catalogue_put(struct db *db, const char *feed, const struct price_batch *batch,
                   struct error *err)
{
    return put_types(db, feed, batch, err) && put_interruptions(db, feed, batch, err);
}

/* The first name after all names with the prefix. */
static void end_of_prefix(const char *prefix, char ret_end[80])
{
    size_t length;

    snprintf(ret_end, 80, "%s", prefix);
    length = strlen(ret_end);
    if (length > 0)
        ret_end[length - 1]++;
}

static void type_from_row(struct stmt *row, struct instance_type *ret_type)
{
    *ret_type = (struct instance_type){.vcpus = stmt_column_real(row, 2),
                                       .memory_gib = stmt_column_real(row, 3)};
    TEXT_COPY(ret_type->provider, stmt_column_text(row, 0));
    TEXT_COPY(ret_type->name, stmt_column_text(row, 1));
    TEXT_COPY(ret_type->architecture, stmt_column_text(row, 4));
    TEXT_COPY(ret_type->accelerator, stmt_column_text(row, 5));
}

bool catalogue_types(struct db *db, const struct type_filter *filter,
                     void (*tell)(void *user, const struct instance_type *type, const char *feed),
                     void *user, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT provider, name, vcpus, memory_gib, architecture, accelerator, feed"
        " FROM instance_types WHERE (?1 IS NULL OR provider = ?1) AND (?2 IS NULL OR name = ?2)"
        " AND (?3 IS NULL OR name >= ?3 AND name < ?4)"
        " AND vcpus >= ?5 AND memory_gib >= ?6 AND (?7 IS NULL OR name || ' ' || provider > ?7)"
        " ORDER BY name || ' ' || provider LIMIT ?8",
        err);
    const char *prefix = filter->prefix && *filter->prefix ? filter->prefix : NULL;
    char end[80] = "";
    enum stmt_step step;

    if (prefix)
        end_of_prefix(prefix, end);
    stmt_text(query, filter->provider);
    stmt_text(query, filter->name);
    stmt_text(query, prefix);
    stmt_text(query, end);
    stmt_real(query, filter->min_vcpus);
    stmt_real(query, filter->min_memory_gib);
    stmt_text(query, filter->after);
    stmt_integer(query, filter->limit);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct instance_type type;

        type_from_row(query, &type);
        tell(user, &type, stmt_column_text(query, 6));
    }
    return step == STMT_DONE;
}

bool catalogue_interruptions(struct db *db, const char *provider, const char *name,
                             void (*tell)(void *user, const char *region, const char *band),
                             void *user, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT region, band FROM interruptions WHERE provider = ? AND"
                     " instance_type = ? ORDER BY region",
                     err);
    enum stmt_step step;

    stmt_text(query, provider);
    stmt_text(query, name);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        tell(user, stmt_column_text(query, 0), stmt_column_text(query, 1));
    return step == STMT_DONE;
}
