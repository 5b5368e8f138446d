/* The upgrade to prices of commitments. */
#include "db/schema.h"

#include "db/stmt.h"
#include "pricing/price.h"
#include "tests/db/database.h"

#define FIRST_WITH_PRICES 5

static const char old_rows[] =
    "INSERT INTO runs (number, id, state, spec, engine, workload, created_us, steps,"
    " samples_per_second) VALUES (7, 'old', 'finished', '{}', 'native', 'mlp', 7, 2, 12.5);"
    "INSERT INTO price_series (number, feed, scope, provider, region, zone, instance_type, kind,"
    " currency, nanos, since_us) VALUES"
    " (3, 'made-up', '', 'aws', 'r', '', 'a', 'on_demand', 'USD', 500, 20),"
    " (4, 'made-up', '', 'aws', 'r', '', 'a', 'spot', 'USD', 100, 10);"
    "INSERT INTO prices (series, since_us, nanos, text, reference, source_us, fetched_us) VALUES"
    " (3, 10, 400, '0.4', 'SKU', 0, 10), (3, 20, 500, '0.5', 'SKU', 0, 20),"
    " (4, 10, 100, '0.1', 'SKU', 0, 10);";

#define ADD(kind)                                                                                \
    "INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"        \
    " currency, nanos, since_us, upfront_nanos) VALUES ('made-up', '', 'aws', 'r', '', 'a', "    \
    "'" kind "', 'USD', 50, 20, 9)"

static void expect_kept(struct db *db)
{
    char check[64];

    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE number = 7 AND id = 'old' AND"
                             " samples_per_second = 12.5"),
               1);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM price_series WHERE (number, kind, nanos,"
                             " since_us, upfront_nanos) IN ((3, 'on_demand', 500, 20, 0),"
                             " (4, 'spot', 100, 10, 0))"),
               2);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM prices WHERE (series, since_us, nanos, text,"
                             " upfront_nanos) IN ((3, 10, 400, '0.4', 0), (3, 20, 500, '0.5', 0),"
                             " (4, 10, 100, '0.1', 0))"),
               3);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM pragma_foreign_key_check()"), 0);
    text_of(db, "PRAGMA integrity_check", sizeof check, check);
    EXPECT_STR(check, "ok");
}

static void every_version_with_prices_keeps_them(void)
{
    for (int version = FIRST_WITH_PRICES; version < schema_version; version++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        struct db *old = db_open_version(folder.file, version, NULL);
        struct error err = {0};

        EXPECT(db_execute(old, old_rows, &err));
        EXPECT_STR(err.message, "");
        db_free(old);
        AUTO(db_freep) struct db *db = open_database(&folder);
        expect_kept(db);
        EXPECT(db_execute(db, ADD("reserved_3y_partial_upfront"), NULL));
        EXPECT(db_execute(db, ADD("committed_use_1y"), NULL));
        EXPECT(db_execute(db, ADD("instance_savings_plan_3y_all_upfront"), NULL));
        EXPECT(db_execute(db, ADD("convertible_1y_no_upfront"), NULL));
        EXPECT(!db_execute(db, ADD("reserved_5y_no_upfront"), NULL));
        EXPECT(!db_execute(db, ADD("committed_use_1y"), NULL)); /* one series of each */
    }
}

/* What SQLite lets in is what the program knows. */
static void a_new_database_knows_every_kind(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);

    for (int kind = 0; price_kind_names[kind]; kind++) {
        AUTO(stmt_done)
        struct stmt *add = stmt_prepare(
            db,
            "INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"
            " currency, nanos, since_us) VALUES ('f', '', '', '', '', 'a', ?, 'USD', 1, 1)",
            NULL);

        stmt_text(add, price_kind_names[kind]);
        EXPECT(stmt_run(add, NULL));
    }
}

int main(void)
{
    RUN(every_version_with_prices_keeps_them);
    RUN(a_new_database_knows_every_kind);
    return test_result();
}
