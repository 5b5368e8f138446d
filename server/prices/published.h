/* What others published, as it comes with the program: db/published.ndjson, embedded at build
 * time. One JSON object a line: first {"published": VERSION, "dropped": [IDS]}, then figures and
 * the prices that belong to them. docs/published.md says what is in it. */
#pragma once

#include "db/figures.h"
#include "pricing/price.h"

#include <jansson.h>
#include <stddef.h>

struct published_data {
    long long version;
    size_t dropped_count, figure_count, price_count;
    char (*dropped)[64]; /* ids that an older version had and this one has no more */
    struct figure *figures;
    struct price *prices;
};

/* Reads all lines. ERROR_INVALID says which line is wrong, and how: anything that is not known,
 * missing or said twice is. The caller gives it back to published_data_clear(). */
bool published_read(const char *text, size_t length, struct published_data *ret_data,
                    struct error *err) __attribute__((warn_unused_result));

/* One figure, from the object that a line or a request holds. ERROR_INVALID names the field. The
 * caller gives it back to figure_clear(). */
bool published_read_figure(json_t *json, struct figure *ret_figure, struct error *err)
    __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void published_data_clear(struct published_data *data);

/* Stores it, whole or not at all, where it is new: in a database that has neither a figure nor a
 * run, or in place of an older version of it. Otherwise nothing changes. ERROR_CONFLICT where a
 * figure that somebody else stored is of the same thing. */
bool published_store(struct db *db, const struct published_data *data, long long now_us,
                     bool *ret_stored, struct error *err) __attribute__((warn_unused_result));

/* Both, of what is embedded. A conflict is logged and is no failure: the database is as it was.
 */
bool published_load(struct db *db, long long now_us, struct error *err)
    __attribute__((warn_unused_result));
