#include "db/capacity/capacity.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/contenders/contenders.h"
#include "db/stmt.h"

#define COUNTS                                                                                   \
    "sum(kind = 'launched'), sum(kind = 'launch_failed'), sum(kind = 'preempted'), min(at_us),"  \
    " max(at_us)"

const char *const capacity_kinds[] = {"launched", "launch_failed", "preempted", NULL};
const char *const capacity_price_kinds[] = {"on_demand", "spot", NULL};

static bool capacity_insert(struct db *db, const struct capacity_event *event, bool *ret_new,
                            struct error *err)
{
    AUTO(stmt_done)
    struct stmt *put = stmt_prepare(
        db,
        "INSERT INTO capacity_events (kind, price_kind, provider, instance_type, zone, machine,"
        " note, at_us, sender, own) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING "
        "RETURNING number",
        err);
    enum stmt_step step;

    stmt_text(put, event->kind);
    stmt_text(put, event->price_kind);
    stmt_text(put, event->provider);
    stmt_text(put, event->instance_type);
    stmt_text(put, event->zone);
    stmt_text(put, event->machine);
    stmt_text(put, event->note);
    stmt_integer(put, event->at_us);
    stmt_text(put, text_or_null(event->sender));
    stmt_integer(put, event->own);
    step = stmt_step(put, err);
    *ret_new = step == STMT_ROW;
    return step == STMT_DONE || (step == STMT_ROW && stmt_step(put, err) == STMT_DONE);
}

bool capacity_add(struct db *db, const struct capacity_event *event, bool *ret_new,
                  struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) && revision_touch_runs(db, err) &&
           capacity_insert(db, event, ret_new, err) && transaction_commit(&change, err);
}

bool capacity_forget_sender(struct db *db, const char *sender, long long *ret_count,
                            struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) && revision_touch_runs(db, err) &&
           stmt_run_text(db, "DELETE FROM capacity_events WHERE sender = ?", sender, err) &&
           stmt_number(db, "SELECT changes()", ret_count, err) &&
           transaction_commit(&change, err);
}

static void count_from_row(struct stmt *row, struct capacity_count *ret_count)
{
    *ret_count = (struct capacity_count){.launched = stmt_column_integer(row, 4),
                                         .launch_failed = stmt_column_integer(row, 5),
                                         .preempted = stmt_column_integer(row, 6),
                                         .first_us = stmt_column_integer(row, 7),
                                         .newest_us = stmt_column_integer(row, 8)};
    TEXT_COPY(ret_count->instance_type, stmt_column_text(row, 0));
    TEXT_COPY(ret_count->provider, stmt_column_text(row, 1));
    TEXT_COPY(ret_count->zone, stmt_column_text(row, 2));
    TEXT_COPY(ret_count->price_kind, stmt_column_text(row, 3));
}

bool capacity_each(struct db *db, const struct capacity_filter *filter,
                   void (*tell)(void *user, const struct capacity_count *count), void *user,
                   struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT instance_type, provider, zone, price_kind, " COUNTS " FROM capacity_events"
        " WHERE at_us >= ?1 AND (?2 IS NULL OR provider = ?2)"
        " AND (?3 IS NULL OR instance_type = ?3) AND (?4 IS NULL OR zone = ?4)"
        " AND (?5 IS NULL OR price_kind = ?5) AND (?6 IS NULL OR"
        "  instance_type || ' ' || provider || ' ' || zone || ' ' || price_kind > ?6)"
        " AND (?8 IS NULL OR sender = ?8) GROUP BY instance_type, provider, zone, price_kind"
        " ORDER BY instance_type || ' ' || provider || ' ' || zone || ' ' || price_kind LIMIT ?7",
        err);
    enum stmt_step step;

    stmt_integer(query, filter->since_us);
    stmt_text(query, filter->provider);
    stmt_text(query, filter->instance_type);
    stmt_text(query, filter->zone);
    stmt_text(query, filter->price_kind);
    stmt_text(query, filter->after);
    stmt_integer(query, filter->limit);
    stmt_text(query, filter->sender);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct capacity_count count;

        count_from_row(query, &count);
        tell(user, &count);
    }
    return step == STMT_DONE;
}

bool capacity_counts_load(struct db *db, long long at_us, const char *zone,
                          struct capacity_counts *ret_counts, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT instance_type, provider, '', price_kind, " COUNTS
                                      " FROM capacity_events WHERE at_us > ?1 AND at_us <= ?2"
                                      " AND (?3 IS NULL OR zone = ?3)"
                                      " AND price_kind = 'spot' GROUP BY instance_type, provider"
                                      " ORDER BY instance_type, provider",
                                      err);
    AUTO(capacity_counts_free) struct capacity_counts counts = {0};
    size_t room = 0;
    enum stmt_step step;

    stmt_integer(query, at_us - CAPACITY_DAYS * US_PER_DAY);
    stmt_integer(query, at_us);
    stmt_text(query, zone);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        counts.list = xgrow(counts.list, counts.count, &room, sizeof *counts.list);
        count_from_row(query, &counts.list[counts.count++]);
    }
    if (step != STMT_DONE)
        return false;
    *ret_counts = counts;
    counts = (struct capacity_counts){0};
    return true;
}

void capacity_counts_free(struct capacity_counts *counts)
{
    freep(&counts->list);
    *counts = (struct capacity_counts){0};
}

static int by_name(const void *left, const void *right)
{
    const struct capacity_count *l = left, *r = right;
    int order = strcmp(l->instance_type, r->instance_type);

    return order != 0 ? order : strcmp(l->provider, r->provider);
}

const struct capacity_count *capacity_counts_find(const struct capacity_counts *counts,
                                                  const char *provider, const char *instance_type)
{
    struct capacity_count key = {.price_kind = ""};

    snprintf(key.provider, sizeof key.provider, "%s", provider);
    snprintf(key.instance_type, sizeof key.instance_type, "%s", instance_type);
    return counts->count > 0
               ? bsearch(&key, counts->list, counts->count, sizeof *counts->list, by_name)
               : NULL;
}
