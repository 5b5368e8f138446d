#include "db/prices/discounts.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/contenders/contenders.h"
#include "db/prices/withdrawal_row.h"
#include "db/stmt.h"

#define DISCOUNT_COLUMNS                                                                         \
    "SELECT number, provider, family, kind, since_us, factor, note, withdrawn_us, withdrawn_by," \
    " withdrawn_reason FROM discounts AS d"

static bool discount_is_taken(struct db *db, const struct discount *discount, bool *ret_taken,
                              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT count(*) FROM discounts WHERE provider = ? AND family = ? AND"
                     " kind = ? AND since_us = ? AND withdrawn_us = " NEVER_WITHDRAWN,
                     err);

    stmt_text(query, discount->provider);
    stmt_text(query, discount->family);
    stmt_text(query, price_kind_name(discount->kind));
    stmt_integer(query, discount->since_us);
    return stmt_take_truth(query, ret_taken, err);
}

static bool discount_insert(struct db *db, const struct discount *discount, long long *ret_number,
                            struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO discounts (provider, family, kind, since_us,"
                                       " factor, note) VALUES (?, ?, ?, ?, nullif(?, 0.0), ?)"
                                       " RETURNING number",
                                       err);

    stmt_text(insert, discount->provider);
    stmt_text(insert, discount->family);
    stmt_text(insert, price_kind_name(discount->kind));
    stmt_integer(insert, discount->since_us);
    stmt_real(insert, discount->factor);
    stmt_text(insert, discount->note);
    if (stmt_step(insert, err) != STMT_ROW)
        return false;
    if (ret_number)
        *ret_number = stmt_column_integer(insert, 0);
    return true;
}

bool discounts_put(struct db *db, const struct discount *discount, long long *ret_number,
                   struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    bool taken;

    if (!transaction_begin(&change, db, DB_DURABLE, err) || !revision_touch(db, err) ||
        !discount_is_taken(db, discount, &taken, err))
        return false;
    if (taken)
        return error_set(err, ERROR_CONFLICT, "valid_from",
                         "another discount starts at the same moment: withdraw it first");
    return discount_insert(db, discount, ret_number, err) && transaction_commit(&change, err);
}

static bool discount_from_row(struct stmt *row, struct discount *ret_discount, struct error *err)
{
    struct discount discount = {.number = stmt_column_integer(row, 0),
                                .since_us = stmt_column_integer(row, 4),
                                .factor = stmt_column_real(row, 5)};

    TEXT_COPY(discount.provider, stmt_column_text(row, 1));
    TEXT_COPY(discount.family, stmt_column_text(row, 2));
    TEXT_COPY(discount.note, stmt_column_text(row, 6));
    withdrawal_read(row, 7, &discount.withdrawn);
    if (!price_kind_from_name(stmt_column_text(row, 3), &discount.kind))
        return error_set(err, ERROR_INTERNAL, NULL, "a stored discount has an unknown kind");
    *ret_discount = discount;
    return true;
}

static bool discounts_tell_all(struct stmt *query, long long at_us,
                               void (*tell)(void *user, const struct discount *discount),
                               void *user, struct error *err)
{
    enum stmt_step step;

    stmt_integer(query, at_us);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct discount discount;

        if (!discount_from_row(query, &discount, err))
            return false;
        tell(user, &discount);
    }
    return step == STMT_DONE;
}

bool discounts_each(struct db *db, long long at_us,
                    void (*tell)(void *user, const struct discount *discount), void *user,
                    struct error *err)
{
    static const char sql[] = DISCOUNT_COLUMNS
        " WHERE factor IS NOT NULL AND number = (SELECT number FROM discounts WHERE"
        " provider = d.provider AND family = d.family AND kind = d.kind"
        " AND since_us <= ?1 AND withdrawn_us > ?1"
        " ORDER BY since_us DESC, withdrawn_us DESC LIMIT 1)"
        " ORDER BY length(family) DESC, provider, family, kind";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    return discounts_tell_all(query, at_us, tell, user, err);
}

bool discounts_history(struct db *db, long long at_us,
                       void (*tell)(void *user, const struct discount *discount), void *user,
                       struct error *err)
{
    static const char sql[] =
        DISCOUNT_COLUMNS " WHERE since_us <= ?1 ORDER BY since_us DESC, number DESC";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    return discounts_tell_all(query, at_us, tell, user, err);
}

bool discounts_find(struct db *db, long long number, struct discount *ret_discount,
                    struct error *err)
{
    static const char sql[] = DISCOUNT_COLUMNS " WHERE number = ?";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    stmt_integer(query, number);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return error_set(err, ERROR_NOT_FOUND, NULL, "there is no such discount");
    return step == STMT_ROW && discount_from_row(query, ret_discount, err);
}

/* Whether a family's name may end here in a type's: "c7i" in "c7i.large", "n2" in
 * "n2-standard-4"; but "c7i-flex.large" is of another family than "c7i". */
static bool ends_family(const char *rest)
{
    return strchr("._", *rest) || (*rest == '-' && !strchr(rest, '.'));
}

bool discount_applies(const struct discount *discount, const struct price *price)
{
    size_t length = strlen(discount->family);

    /* Today's discounts do not apply to prices once published with a figure. */
    return strcmp(price->feed, PUBLISHED_FEED) != 0 && discount->kind == price->kind &&
           strcmp(discount->provider, price->provider) == 0 &&
           strncmp(price->instance_type, discount->family, length) == 0 &&
           (length == 0 || ends_family(price->instance_type + length));
}

bool discounts_reach(struct db *db, const struct discount *discount, long long *ret_types,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT DISTINCT instance_type FROM price_series WHERE"
                                      " provider = ? AND kind = ? AND nanos IS NOT NULL"
                                      " AND feed <> '" PUBLISHED_FEED "'",
                                      err);
    struct price price = {.kind = discount->kind};
    enum stmt_step step;

    stmt_text(query, discount->provider);
    stmt_text(query, price_kind_name(discount->kind));
    snprintf(price.provider, sizeof price.provider, "%s", discount->provider);
    *ret_types = 0;
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        TEXT_COPY(price.instance_type, stmt_column_text(query, 0));
        *ret_types += discount_applies(discount, &price);
    }
    return step == STMT_DONE;
}

void discount_list_add(void *list, const struct discount *discount)
{
    struct discount_list *discounts = list;

    if (discounts->count < DISCOUNTS_MAX)
        discounts->list[discounts->count++] = *discount;
}
