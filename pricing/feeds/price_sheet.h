/* Prices as a person writes them into a file, read while its bytes arrive: CSV with a header, or
 * JSON, an array or {"prices": [...]}. docs/prices.md describes the fields.
 *     provider,region,zone,instance_type,kind,currency,price_per_hour,valid_from,reference
 *     [{"provider": "aws", ...}]
 * What spreadsheets write is read where it has one meaning: a byte order mark, blanks around a
 * field, rows without anything in them, semicolons or tabs for commas, and with these a decimal
 * comma. What has two ("1,234") is a fault. */
#pragma once

#include "pricing/feeds/price_batch.h"

/* Gets each fault in the header or a row: the line, from 1, the field and the reason. The row is
 * left out, and reading continues. */
typedef void price_sheet_fault_fn(void *user, long long line, const struct error *fault);

struct price_sheet_rules {
    struct price_batch *batch;   /* gets the prices */
    price_sheet_fault_fn *fault; /* NULL: stop at the first fault */
    void *user;
};

struct price_sheet;
struct price_sheet *price_sheet_new(const struct price_sheet_rules *rules);
void price_sheet_free(struct price_sheet *sheet); /* NULL is fine */
void price_sheet_freep(struct price_sheet **sheet);

/* False if the text is neither CSV nor JSON from some line on, or a fault stopped the reading;
 * err says which line, field and why. */
MUST_USE bool price_sheet_feed(struct price_sheet *sheet, const char *data, size_t length,
                               struct error *err);

/* At the end of the bytes. */
MUST_USE bool price_sheet_end(struct price_sheet *sheet, struct error *err);

/* "line 3: kind 'cheap' is not a kind of price: on_demand, spot, typed, own". */
void price_sheet_explain(long long line, const struct error *fault, char *ret_text, size_t size);
