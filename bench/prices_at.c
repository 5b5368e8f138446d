/* How long it takes to find the prices of a type in a region at a moment, among ten million rows
 * of history. From the root of the tree, where build/release was built:
 *
 *     cc -std=c17 -D_GNU_SOURCE -O2 -I. bench/prices_at.c \
 *         build/release/{db/libdb,pricing/libpricing,engine/libengine,common/libcommon}.a \
 *         -lsqlite3 -ljansson -lm
 *     ./a.out /tmp/prices.db [changes of a series; default: 200]
 *
 * The file is made (0.7 GB), and stays for the next time, which must name as many changes.
 * Delete it.
 */
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/connection.h"
#include "db/db_open.h"
#include "db/prices/price_list.h"

#define LOOKUPS 1000
#define TYPES 500
#define REGIONS 50 /* of each type: two series there, on demand and spot */
#define FIRST_US 1700000000000000LL
#define BETWEEN_US 3600000000LL /* two changes of a series */

/* Series are in the order in which a feed tells them: region by region. */
static const char fill[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999)"
    " INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"
    " currency, nanos, since_us) SELECT 'made-up', 'region-' || (i / 1000), 'aws',"
    " 'region-' || (i / 1000), '', 'type-' || (i / 2 % 500) || '.large',"
    " CASE i % 2 WHEN 0 THEN 'on_demand' ELSE 'spot' END, 'USD', 1000, 0 FROM n;";

static bool make_rows(struct db *db, long long changes)
{
    char prices[700], readings[500];

    snprintf(prices, sizeof prices,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %lld)"
             " INSERT INTO prices (series, since_us, nanos, text, reference, source_us,"
             " fetched_us) SELECT number, %lld + i * %lld + number * 1000, 1000000 + i,"
             " '0.00' || (1000000 + i), 'JRTCKXETXF.6YS6EN2CT7', 0,"
             " %lld + i * %lld + number * 1000 FROM price_series CROSS JOIN n;",
             changes - 1, FIRST_US, BETWEEN_US, FIRST_US, BETWEEN_US);
    /* Each scope was read every quarter of an hour, all that time. */
    snprintf(readings, sizeof readings,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %lld)"
             " INSERT INTO readings SELECT 'made-up', scope, %lld + i * %lld, 0, 1000 FROM"
             " (SELECT DISTINCT scope FROM price_series) CROSS JOIN n;",
             changes * 4 - 1, FIRST_US, BETWEEN_US / 4);
    return db_execute(db, "PRAGMA synchronous = OFF; BEGIN IMMEDIATE;", NULL) &&
           db_execute(db, fill, NULL) && db_execute(db, prices, NULL) &&
           db_execute(db, readings, NULL) && db_execute(db, "COMMIT", NULL);
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static long long chance(long long below)
{
    static unsigned long long state = 88172645463325252ULL;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (long long)(state % (unsigned long long)below);
}

static void count(void *user, const struct listed_price *listed)
{
    size_t *found = user;

    *found += listed->at.price.nanos > 0 && listed->at.said_us > 0;
}

/* Milliseconds of one lookup; less than 0 when it did not find what is there. */
static double look_up(struct db *db, long long changes, bool with_type)
{
    char type[64], region[40];
    struct price_filter filter = {.region = region, .limit = 100};
    long long start;
    size_t found = 0;

    snprintf(type, sizeof type, "type-%lld.large", chance(TYPES));
    snprintf(region, sizeof region, "region-%lld", chance(REGIONS));
    filter.instance_type = with_type ? type : NULL;
    filter.at_us = FIRST_US + BETWEEN_US / 2 + chance(BETWEEN_US * (changes - 1));
    start = clock_monotonic_ns();
    if (!price_list(db, &filter, count, &found, NULL) || found != (with_type ? 2 : 100))
        return -1;
    return (double)(clock_monotonic_ns() - start) / 1e6;
}

static bool measure(struct db *db, long long changes, bool with_type)
{
    static double milliseconds[LOOKUPS];

    for (int i = 0; i < LOOKUPS; i++) {
        milliseconds[i] = look_up(db, changes, with_type);
        if (milliseconds[i] < 0)
            return false;
    }
    qsort(milliseconds, LOOKUPS, sizeof *milliseconds, by_size);
    printf("%s: median %.3f ms, p99 %.3f ms, max %.3f ms\n",
           with_type ? "a type in a region       " : "100 of all in a region   ",
           milliseconds[LOOKUPS / 2], milliseconds[LOOKUPS * 99 / 100],
           milliseconds[LOOKUPS - 1]);
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

/* The plans of the statements that were just used. */
static void explain(struct db *db)
{
    for (size_t i = 0; i < db->statement_count; i++) {
        sqlite3_stmt *plan = NULL;
        AUTO(freep) char *sql = malloc(strlen(db->statements[i].sql) + 20);

        if (!sql)
            return;
        snprintf(sql, strlen(db->statements[i].sql) + 20, "EXPLAIN QUERY PLAN %s",
                 db->statements[i].sql);
        printf("%.60s ...\n", db->statements[i].sql);
        if (sqlite3_prepare_v2(db->handle, sql, -1, &plan, NULL) == SQLITE_OK)
            while (sqlite3_step(plan) == SQLITE_ROW)
                printf("    %s\n", (const char *)sqlite3_column_text(plan, 3));
        sqlite3_finalize(plan);
    }
}

int main(int argc, char *argv[])
{
    long long changes = argc > 2 ? strtoll(argv[2], NULL, 10) : 200;
    struct error err = {0};
    AUTO(db_freep) struct db *db = argc > 1 ? db_open(argv[1], &err) : NULL;
    long long rows;

    if (!db) {
        fprintf(stderr, "%s\n", argc > 1 ? err.message : "which file?");
        return 1;
    }
    rows = count_rows(db);
    if (rows == 0 && !make_rows(db, changes))
        return 1;
    printf("%lld rows of history\n", rows ? rows : count_rows(db));
    if (!measure(db, changes, true) || !measure(db, changes, false)) {
        fprintf(stderr, "a lookup did not find what is there\n");
        return 1;
    }
    explain(db);
    return 0;
}
