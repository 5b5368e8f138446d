#include "db/prices/discounts.h"

#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "db/stmt.h"

static bool is_taken(struct db *db, const struct discount *discount, bool *ret_taken,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT count(*) FROM discounts WHERE provider = ? AND"
                                      " family = ? AND kind = ? AND since_us = ?",
                                      err);

    if (!query)
        return false;
    stmt_text(query, discount->provider);
    stmt_text(query, discount->family);
    stmt_text(query, price_kind_name(discount->kind));
    stmt_integer(query, discount->since_us);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_taken = stmt_column_integer(query, 0) > 0;
    return true;
}

static bool insert_one(struct db *db, const struct discount *discount, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO discounts (provider, family, kind, since_us,"
                                       " factor, note) VALUES (?, ?, ?, ?, nullif(?, 0.0), ?)",
                                       err);

    if (!insert)
        return false;
    stmt_text(insert, discount->provider);
    stmt_text(insert, discount->family);
    stmt_text(insert, price_kind_name(discount->kind));
    stmt_integer(insert, discount->since_us);
    stmt_real(insert, discount->factor);
    stmt_text(insert, discount->note);
    return stmt_run(insert, err);
}

bool discounts_put(struct db *db, const struct discount *discount, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    bool taken;

    if (!transaction_begin(&change, db, DB_DURABLE, err) || !revision_touch(db, err) ||
        !is_taken(db, discount, &taken, err))
        return false;
    if (taken)
        return error_set(err, ERROR_CONFLICT, "valid_from",
                         "a discount was stored for that very moment, and history does not "
                         "change");
    return insert_one(db, discount, err) && transaction_commit(&change, err);
}

bool discounts_each(struct db *db, long long at_us,
                    void (*tell)(void *user, const struct discount *discount), void *user,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT provider, family, kind, max(since_us), factor, note FROM discounts"
        " WHERE since_us <= ? GROUP BY provider, family, kind HAVING factor IS NOT NULL"
        " ORDER BY length(family) DESC, provider, family, kind",
        err);
    enum stmt_step step;

    if (!query)
        return false;
    stmt_integer(query, at_us);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct discount discount = {.since_us = stmt_column_integer(query, 3),
                                    .factor = stmt_column_real(query, 4)};

        snprintf(discount.provider, sizeof discount.provider, "%s", stmt_column_text(query, 0));
        snprintf(discount.family, sizeof discount.family, "%s", stmt_column_text(query, 1));
        snprintf(discount.note, sizeof discount.note, "%s", stmt_column_text(query, 5));
        if (price_kind_from_name(stmt_column_text(query, 2), &discount.kind))
            tell(user, &discount);
    }
    return step == STMT_DONE;
}

/* Where a family's name may end in a type's: "c7i" in "c7i.large", "n2" in "n2-standard-4"; but
 * "c7i-flex.large" is of another family than "c7i". */
static bool ends_family(const char *rest)
{
    return strchr("._", *rest) || (*rest == '-' && !strchr(rest, '.'));
}

bool discount_applies(const struct discount *discount, const struct price *price)
{
    size_t length = strlen(discount->family);

    /* What is taken off a list today is not taken off what somebody once published. */
    return strcmp(price->feed, PUBLISHED_FEED) != 0 && discount->kind == price->kind &&
           strcmp(discount->provider, price->provider) == 0 &&
           strncmp(price->instance_type, discount->family, length) == 0 &&
           (length == 0 || ends_family(price->instance_type + length));
}

void discount_list_add(void *list, const struct discount *discount)
{
    struct discount_list *discounts = list;

    if (discounts->count < DISCOUNTS_MAX)
        discounts->list[discounts->count++] = *discount;
}
