/* Cuts CSV (RFC 4180, LF or CRLF) of any size into records while it arrives. A field may be
 * quoted, with "" for a quote in it. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define CSV_FIELDS_MAX 160
#define CSV_RECORD_MAX 65536 /* bytes; a longer one is a failure */

/* `fields[0..count)`, NUL-terminated; they live until it returns. False ends it, with err. */
typedef bool csv_record_fn(void *user, char *const fields[], size_t count, struct error *err);

struct csv;
struct csv *csv_new(csv_record_fn *record, void *user);

/* The same for what people and spreadsheets write: the first comma, semicolon or tab outside
 * quotes is what parts fields from there on, and blanks around a field do not belong to it. */
struct csv *csv_new_lenient(csv_record_fn *record, void *user);
void csv_free(struct csv *csv); /* NULL is fine */
void csv_freep(struct csv **csv);

MUST_USE bool csv_feed(struct csv *csv, const char *data, size_t length, struct error *err);

/* At the end of the bytes: hands over a last record that has no line end; false in the middle of
 * a quoted field. */
MUST_USE bool csv_end(struct csv *csv, struct error *err);

/* For the receiver of a record: the line it begins on, from 1; at another time, the line that is
 * being read. */
long long csv_line(const struct csv *csv);

/* The text begins on another line than the first. */
void csv_begin_at(struct csv *csv, long long line);

/* What parts fields; '\0' as long as a lenient reader has not met one. */
char csv_separator(const struct csv *csv);
