/* How long it takes to learn what every type of a region costs, among ten million rows of
 * history. From the root of the tree, where build/release was built:
 *
 *     cc -std=c17 -D_GNU_SOURCE -O2 -I. bench/offers.c \
 *         build/release/{db/libdb,pricing/libpricing,engine/libengine,common/libcommon}.a \
 *         -lsqlite3 -ljansson -lcurl -lexpat -lz -lm
 *     ./a.out /tmp/offers.db [changes of a series; default: 50] [hours between; default: 6]
 *
 * A region has 1,300 types: on demand by two feeds, spot of the region by one and of three zones
 * by another. The file is made (1 GB), and stays for the next time, which must name the same
 * numbers. Delete it.
 */
#include "db/prices/offers.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/connection.h"
#include "db/db_open.h"

#define LOADS 100
#define TYPES 1300
#define REGIONS 25
#define FIRST_US 1700000000000000LL
#define HOUR_US 3600000000LL

/* Of each type in a region: two feeds on demand, one of spot, and three zones of another. */
static const char fill[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 194999)"
    " INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"
    " currency, nanos, since_us) SELECT"
    " CASE i / 1300 % 6 WHEN 0 THEN 'aws-products' WHEN 1 THEN 'aws-offer'"
    "  WHEN 2 THEN 'aws-spot-page' ELSE 'aws-spot-history' END,"
    " 'region-' || (i / 7800), 'aws', 'region-' || (i / 7800),"
    " CASE i / 1300 % 6 WHEN 3 THEN 'a' WHEN 4 THEN 'b' WHEN 5 THEN 'c' ELSE '' END,"
    " 'type-' || (i % 1300) || '.large',"
    " CASE WHEN i / 1300 % 6 < 2 THEN 'on_demand' ELSE 'spot' END, 'USD', 1000, 0 FROM n;";

static bool make_rows(struct db *db, long long changes, long long between_us)
{
    char prices[700], readings[500];

    snprintf(prices, sizeof prices,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %lld)"
             " INSERT INTO prices (series, since_us, nanos, text, reference, source_us,"
             " fetched_us) SELECT number, %lld + i * %lld + number * 1000, 1000000 + i,"
             " '0.00' || (1000000 + i), 'JRTCKXETXF.6YS6EN2CT7', 0,"
             " %lld + i * %lld + number * 1000 FROM price_series CROSS JOIN n;"
             "UPDATE price_series SET (since_us, nanos) = (SELECT since_us, nanos FROM prices"
             " WHERE series = number ORDER BY since_us DESC LIMIT 1);",
             changes - 1, FIRST_US, between_us, FIRST_US, between_us);
    /* Each scope was read every quarter of an hour, all that time. */
    snprintf(readings, sizeof readings,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %lld)"
             " INSERT INTO readings SELECT feed, scope, %lld + i * %lld, 0, 1000 FROM"
             " (SELECT DISTINCT feed, scope FROM price_series) CROSS JOIN n;",
             changes * between_us / (HOUR_US / 4), FIRST_US, HOUR_US / 4);
    return db_execute(db, "PRAGMA synchronous = OFF; BEGIN IMMEDIATE;", NULL) &&
           db_execute(db, fill, NULL) && db_execute(db, prices, NULL) &&
           db_execute(db, readings, NULL) && db_execute(db, "COMMIT", NULL);
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Milliseconds of one load; less than 0 when it did not find what is there. */
static double load(struct db *db, const struct offers_question *question)
{
    long long start = clock_monotonic_ns();
    AUTO(offers_free) struct offers offers = {0};

    if (!offers_load(db, question, NULL, 0, &offers, NULL) || offers.count != TYPES)
        return -1;
    for (size_t i = 0; i < offers.count; i++)
        if (!offers.list[i].on_demand->price.nanos || !offers.list[i].spot->price.nanos)
            return -1;
    return (double)(clock_monotonic_ns() - start) / 1e6;
}

static bool measure(struct db *db, const char *what, long long at_us, bool is_now)
{
    static double milliseconds[LOADS];
    char region[40];

    for (int i = 0; i < LOADS; i++) {
        struct offers_question question = {.at_us = at_us, .is_now = is_now};

        snprintf(region, sizeof region, "region-%d", i % REGIONS);
        question.regions[0] = region;
        milliseconds[i] = load(db, &question);
        if (milliseconds[i] < 0)
            return false;
    }
    qsort(milliseconds, LOADS, sizeof *milliseconds, by_size);
    printf("%s: median %.1f ms, p90 %.1f ms, max %.1f ms\n", what, milliseconds[LOADS / 2],
           milliseconds[LOADS * 9 / 10], milliseconds[LOADS - 1]);
    return true;
}

static long long count_rows(struct db *db)
{
    sqlite3_stmt *query = NULL;
    long long rows = -1;

    if (sqlite3_prepare_v2(db->handle, "SELECT count(*) FROM prices", -1, &query, NULL) ==
            SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW)
        rows = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return rows;
}

int main(int argc, char *argv[])
{
    long long changes = argc > 2 ? strtoll(argv[2], NULL, 10) : 50;
    long long between_us = (argc > 3 ? strtoll(argv[3], NULL, 10) : 6) * HOUR_US;
    long long now_us = FIRST_US + changes * between_us;
    struct error err = {0};
    AUTO(db_freep) struct db *db = argc > 1 ? db_open(argv[1], &err) : NULL;
    long long rows;

    if (!db) {
        fprintf(stderr, "%s\n", argc > 1 ? err.message : "which file?");
        return 1;
    }
    rows = count_rows(db);
    if (rows == 0 && !make_rows(db, changes, between_us))
        return 1;
    printf("%lld rows of history\n", rows ? rows : count_rows(db));
    if (!measure(db, "now        ", now_us, true) ||
        !measure(db, "then       ", now_us - changes / 2 * between_us, false)) {
        fprintf(stderr, "a load did not find what is there\n");
        return 1;
    }
    return 0;
}
