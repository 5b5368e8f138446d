/* Splits CSV (RFC 4180, LF or CRLF) of any size into records as it arrives. A field may be
 * quoted, with "" for a quote. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define CSV_FIELDS_MAX 160
#define CSV_RECORD_MAX 65536 /* bytes; a longer one is a failure */

/* `fields[0..count)`, NUL-terminated, valid during the call. Return false to stop, with err. */
typedef bool csv_record_fn(void *user, char *const fields[], size_t count, struct error *err);

struct csv;
struct csv *csv_new(csv_record_fn *record, void *user);

/* The same for hand-written files and spreadsheets: the first comma, semicolon or tab outside
 * quotes becomes the separator, and blanks around a field are dropped. */
struct csv *csv_new_lenient(csv_record_fn *record, void *user);
void csv_free(struct csv *csv); /* NULL is fine */
void csv_freep(struct csv **csv);

MUST_USE bool csv_feed(struct csv *csv, const char *data, size_t length, struct error *err);

/* At the end of the bytes: delivers a last record without a line end; false inside a quoted
 * field. */
MUST_USE bool csv_end(struct csv *csv, struct error *err);

/* Inside the callback: the first line of the record, from 1; otherwise, the current line. */
long long csv_line(const struct csv *csv);

/* Sets the line number at which the text begins. */
void csv_begin_at(struct csv *csv, long long line);

/* The separator; '\0' until a lenient reader has seen one. */
char csv_separator(const struct csv *csv);
