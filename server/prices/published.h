/* Published figures shipped with the program: db/contenders/published.ndjson, embedded at build
 * time. One JSON object a line: first {"published": VERSION, "dropped": [IDS]}, then figures and
 * their prices. docs/published.md describes them. */
#pragma once

#include "db/contenders/figures.h"
#include "pricing/price.h"

#include <jansson.h>
#include <stddef.h>

struct published_data {
    long long version;
    size_t dropped_count, figure_count, price_count;
    char (*dropped)[64]; /* ids that an older version had and this one lacks */
    struct figure *figures;
    struct price *prices;
};

/* Reads all lines. ERROR_INVALID names the line and the mistake: an unknown, a missing or a
 * repeated member. The caller passes the data to published_data_clear(). */
MUST_USE bool published_read(const char *text, size_t length, struct published_data *ret_data,
                             struct error *err);

/* The request body of a figure. */
extern const struct body figure_body;

/* Reads one figure from the object of a line or a request. ERROR_INVALID names the field. The
 * caller passes the figure to figure_clear(). */
MUST_USE bool published_read_figure(const json_t *json, struct figure *ret_figure,
                                    struct error *err);

/* Accepts zeroed data. */
void published_data_clear(struct published_data *data);

/* Stores all of the data or nothing. Stores it only in a database without figures and runs, or in
 * place of an older version. ERROR_CONFLICT if a figure that a client stored describes the same
 * measurement. */
MUST_USE bool published_store(struct db *db, const struct published_data *data, long long now_us,
                              bool *ret_stored, struct error *err);

/* Reads the embedded data; the caller passes it to published_data_clear(). */
MUST_USE bool published_shipped(struct published_data *ret_data, struct error *err);

/* Whether the data has a figure of this id. */
bool published_has(const struct published_data *data, const char *id);

/* Reads and stores the embedded data. A conflict is logged and leaves the database as it was; the
 * call still succeeds. */
MUST_USE bool published_load(struct db *db, long long now_us, struct error *err);
