#include "db/stored_values.h"

#include "common/cleanup.h"
#include "db/stmt.h"

#define FEW 16 /* values of a column without an index: each costs a full scan */

/* The nearest value on either side, by kind: at or above the requested one, and below it. */
#define COLUMN_OF(table, name)                                                                   \
    "SELECT min(" name ") FROM " table " WHERE " name " > ?",                                    \
        "SELECT max(" name ") FROM " table " WHERE " name " < ?",                                \
        "SELECT 1 FROM " table " WHERE " name " = ? LIMIT 1"
/* clang-format off */
#define COLUMN(name)                                                                             \
    {                                                                                            \
        COLUMN_OF("runs", name), STORED_VALUES_MAX                                               \
    }
#define INDEXED(table, name)                                                                     \
    {                                                                                            \
        COLUMN_OF(table, name), STORED_VALUES_MAX                                                \
    }
#define SCANNED(table, name)                                                                     \
    {                                                                                            \
        COLUMN_OF(table, name), FEW                                                              \
    }
/* clang-format on */
#define KNOWN_TYPES                                                                              \
    "(SELECT provider, name FROM instance_types UNION ALL"                                       \
    " SELECT provider, instance FROM contenders AS c WHERE instance <> ''"                       \
    " AND EXISTS (SELECT 1 FROM runs WHERE contender = c.number))"
static const struct {
    const char *above, *below, *equal;
    size_t most;
} statements[] = {
    [RUN_WORKLOAD] = COLUMN("workload"),
    [RUN_ENGINE] = COLUMN("engine"),
    [RUN_INSTANCE] = COLUMN("instance"),
    [RUN_SENDER] = COLUMN("sender"),
    [RUN_PROVENANCE] = COLUMN("provenance"),
    [RUN_LABEL_KEY] = {"SELECT min(key) FROM run_labels WHERE key > ?",
                       "SELECT max(key) FROM run_labels WHERE key < ?",
                       "SELECT 1 FROM run_labels WHERE key = ? LIMIT 1", STORED_VALUES_MAX},
    [RUN_LABEL_VALUE] = {"SELECT min(value) FROM run_labels WHERE key = ? AND value > ?",
                         "SELECT max(value) FROM run_labels WHERE key = ? AND value < ?",
                         "SELECT 1 FROM run_labels WHERE key = ? AND value = ? LIMIT 1",
                         STORED_VALUES_MAX},
    [PRICE_PROVIDER] = SCANNED("price_series", "provider"),
    [PRICE_REGION] = INDEXED("price_series", "region"),
    [PRICE_ZONE] = SCANNED("price_series", "zone"),
    [PRICE_TYPE] = INDEXED("price_series", "instance_type"),
    [PRICE_FEED] = INDEXED("price_series", "feed"),
    [PRICE_KIND] = SCANNED("price_series", "kind"),
    [LISTED_PROVIDER] = INDEXED("instance_types", "provider"),
    [LISTED_NAME] = SCANNED("instance_types", "name"),
    [LISTED_PREFIX] = {"SELECT min(name) FROM instance_types WHERE name > ?",
                       "SELECT max(name) FROM instance_types WHERE name < ?",
                       "SELECT 1 FROM instance_types WHERE substr(name, 1, length(?1)) = ?1"
                       " LIMIT 1",
                       FEW},
    [KNOWN_PROVIDER] = SCANNED(KNOWN_TYPES, "provider"),
    [KNOWN_NAME] = SCANNED(KNOWN_TYPES, "name"),
    [EVENT_PROVIDER] = SCANNED("capacity_events", "provider"),
    [EVENT_TYPE] = SCANNED("capacity_events", "instance_type"),
    [EVENT_ZONE] = SCANNED("capacity_events", "zone"),
    [EVENT_PRICE_KIND] = SCANNED("capacity_events", "price_kind"),
    [EVENT_SENDER] = SCANNED("capacity_events", "sender"),
};
#undef COLUMN
#undef INDEXED
#undef SCANNED

static void stored_value_bind(struct stmt *query, const struct stored_value_question *question,
                              const char *value)
{
    if (question->key)
        stmt_text(query, question->key);
    stmt_text(query, value);
}

static bool stored_value_is_there(struct db *db, const struct stored_value_question *question,
                                  bool *ret_found, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, statements[question->kind].equal, err);

    stored_value_bind(query, question, question->value);
    return stmt_finds(query, ret_found, err);
}

/* The value next to `from`; "" if there is none. */
static bool stored_value_next(struct db *db, const char *sql,
                              const struct stored_value_question *question, const char *from,
                              char ret_value[LABEL_VALUE_MAX + 1], struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    stored_value_bind(query, question, from);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    snprintf(ret_value, LABEL_VALUE_MAX + 1, "%s", stmt_column_text(query, 0));
    return true;
}

/* Adds up to `most` values on one side, the nearest first. */
static bool stored_values_add_side(struct db *db, const char *sql,
                                   const struct stored_value_question *question, size_t most,
                                   struct stored_values *values, struct error *err)
{
    const char *from = question->value;

    for (size_t i = 0; i < most; i++) {
        char *place = values->list[values->count];

        if (!stored_value_next(db, sql, question, from, place, err))
            return false;
        if (!*place)
            return true;
        from = place;
        values->count++;
    }
    return true;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

bool stored_values_look(struct db *db, const struct stored_value_question *question,
                        bool *ret_found, struct stored_values *ret_values, struct error *err)
{
    struct stored_values *values = ret_values;
    const size_t most = statements[question->kind].most;

    values->count = 0;
    if (!stored_value_is_there(db, question, ret_found, err) || *ret_found)
        return *ret_found;
    if (!stored_values_add_side(db, statements[question->kind].below, question, most / 2, values,
                                err) ||
        !stored_values_add_side(db, statements[question->kind].above, question, most / 2, values,
                                err))
        return false;
    qsort(values->list, values->count, sizeof *values->list, by_text);
    return true;
}
