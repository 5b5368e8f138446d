/* Prices of commitments: kinds of their own, and what of a price is paid at once. Only the list
 * of words in a CHECK grows, so that no row has to be copied: a history may have ten million.
 * Most questions want prices by the hour alone, and so the index by region knows kinds. Tested by
 * tests/db/schema_commitments_test.c. */
#include "db/schema_steps.h"

const char schema_commitments[] =
    "PRAGMA writable_schema = ON;"
    "UPDATE sqlite_schema SET sql = replace(sql, '''typed'', ''own'')', '''typed'', ''own'',"
    " ''reserved_1y_no_upfront'', ''reserved_1y_partial_upfront'', ''reserved_1y_all_upfront'',"
    " ''reserved_3y_no_upfront'', ''reserved_3y_partial_upfront'', ''reserved_3y_all_upfront'',"
    " ''savings_plan_1y'', ''savings_plan_3y'', ''committed_use_1y'', ''committed_use_3y'')')"
    " WHERE type = 'table' AND name = 'price_series';"
    "PRAGMA writable_schema = RESET;"
    "ALTER TABLE price_series ADD COLUMN upfront_nanos INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE prices ADD COLUMN upfront_nanos INTEGER NOT NULL DEFAULT 0;"
    "DROP INDEX price_series_by_region;"
    "CREATE INDEX price_series_by_region ON price_series (region, kind, instance_type);";

const char schema_more_commitments[] =
    "PRAGMA writable_schema = ON;"
    "UPDATE sqlite_schema SET sql = replace(sql, '''committed_use_3y'')', '''committed_use_3y'',"
    " ''savings_plan_1y_partial_upfront'', ''savings_plan_1y_all_upfront'',"
    " ''savings_plan_3y_partial_upfront'', ''savings_plan_3y_all_upfront'',"
    " ''instance_savings_plan_1y_no_upfront'', ''instance_savings_plan_1y_partial_upfront'',"
    " ''instance_savings_plan_1y_all_upfront'', ''instance_savings_plan_3y_no_upfront'',"
    " ''instance_savings_plan_3y_partial_upfront'', ''instance_savings_plan_3y_all_upfront'',"
    " ''convertible_1y_no_upfront'', ''convertible_1y_partial_upfront'',"
    " ''convertible_1y_all_upfront'', ''convertible_3y_no_upfront'',"
    " ''convertible_3y_partial_upfront'', ''convertible_3y_all_upfront'')')"
    " WHERE type = 'table' AND name = 'price_series';"
    "PRAGMA writable_schema = RESET;";
