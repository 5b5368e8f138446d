#include "pricing/feeds/csv.h"

#include "common/cleanup.h"
#include "common/memory.h"

enum csv_place { AT_START, IN_FIELD, IN_QUOTES, AFTER_QUOTE, AFTER_BLANK };

struct csv {
    csv_record_fn *record;
    void *user;
    enum csv_place place;
    bool any; /* of the record: a blank line is none */
    bool cr;  /* one outside quotes was the last byte: its line must end */
    bool lenient;
    char separator;
    long long line, began; /* that is being read; that the record began on, 0 between records */
    size_t used, count;
    size_t starts[CSV_FIELDS_MAX];
    char bytes[CSV_RECORD_MAX + 1];
};

struct csv *csv_new(csv_record_fn *record, void *user)
{
    struct csv *csv = xmalloc(sizeof *csv);

    memset(csv, 0, offsetof(struct csv, starts));
    csv->record = record;
    csv->user = user;
    csv->separator = ',';
    csv->line = 1;
    return csv;
}

struct csv *csv_new_lenient(csv_record_fn *record, void *user)
{
    struct csv *csv = csv_new(record, user);

    csv->lenient = true;
    csv->separator = '\0';
    return csv;
}

void csv_free(struct csv *csv)
{
    free(csv);
}

void csv_freep(struct csv **csv)
{
    csv_free(*csv);
    *csv = NULL;
}

static bool csv_put(struct csv *csv, char byte, struct error *err)
{
    if (csv->used >= CSV_RECORD_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "a record is longer than %d bytes",
                         CSV_RECORD_MAX);
    if (byte == '\0')
        return error_set(err, ERROR_UPSTREAM, NULL, "there is a NUL in the text");
    csv->bytes[csv->used++] = byte;
    return true;
}

static bool begin_field(struct csv *csv, struct error *err)
{
    if (csv->count == CSV_FIELDS_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "a record has more than %d fields",
                         CSV_FIELDS_MAX);
    csv->starts[csv->count++] = csv->used;
    csv->any = true;
    if (csv->began == 0)
        csv->began = csv->line;
    return true;
}

static bool end_field(struct csv *csv, struct error *err)
{
    if (csv->place == AT_START && !begin_field(csv, err))
        return false;
    while (csv->lenient && csv->place == IN_FIELD && csv->bytes[csv->used - 1] == ' ')
        csv->used--;
    if (csv->used > CSV_RECORD_MAX - 1)
        return error_set(err, ERROR_UPSTREAM, NULL, "a record is longer than %d bytes",
                         CSV_RECORD_MAX);
    csv->bytes[csv->used++] = '\0';
    csv->place = AT_START;
    return true;
}

static bool end_record(struct csv *csv, struct error *err)
{
    char *fields[CSV_FIELDS_MAX];
    size_t count;
    bool ok;

    if (!csv->any && csv->place == AT_START)
        return true;
    if (!end_field(csv, err))
        return false;
    count = csv->count;
    for (size_t i = 0; i < count; i++)
        fields[i] = csv->bytes + csv->starts[i];
    csv->used = csv->count = 0;
    csv->any = false;
    ok = csv->record(csv->user, fields, count, err);
    csv->began = 0;
    return ok;
}

static bool is_separator(struct csv *csv, char byte)
{
    if (!csv->separator && (byte == ',' || byte == ';' || byte == '\t'))
        csv->separator = byte;
    return csv->separator && byte == csv->separator;
}

/* A byte outside quotes. */
static bool csv_take_outside(struct csv *csv, char byte, struct error *err)
{
    if (is_separator(csv, byte)) {
        csv->any = true;
        return end_field(csv, err);
    }
    if (csv->lenient && csv->place == AT_START && byte == ' ')
        return true;
    switch (byte) {
    case '\n':
        return end_record(csv, err);
    case '"':
        if (csv->place == AT_START) {
            csv->place = IN_QUOTES;
            return begin_field(csv, err);
        }
        return error_set(err, ERROR_UPSTREAM, NULL, "there is a quote within a field");
    default:
        if (csv->place == AT_START && !begin_field(csv, err))
            return false;
        csv->place = IN_FIELD;
        return csv_put(csv, byte, err);
    }
}

/* Behind a quote that ended a field, or is the first of two. */
static bool after_quote(struct csv *csv, char byte, struct error *err)
{
    if (byte == '"' && csv->place == AFTER_QUOTE) {
        csv->place = IN_QUOTES;
        return csv_put(csv, byte, err);
    }
    if (csv->lenient && byte == ' ') {
        csv->place = AFTER_BLANK;
        return true;
    }
    if (is_separator(csv, byte))
        return end_field(csv, err);
    if (byte == '\n')
        return end_record(csv, err);
    return error_set(err, ERROR_UPSTREAM, NULL, "there is text behind a quoted field");
}

static bool csv_take_inside(struct csv *csv, char byte, struct error *err)
{
    if (byte != '"')
        return csv_put(csv, byte, err);
    csv->place = AFTER_QUOTE;
    return true;
}

static bool csv_take_unquoted(struct csv *csv, char byte, struct error *err)
{
    if (csv->cr && byte != '\n')
        return error_set(err, ERROR_UPSTREAM, NULL, "there is a CR that ends no line");
    csv->cr = byte == '\r';
    if (csv->cr)
        return true;
    return csv->place >= AFTER_QUOTE ? after_quote(csv, byte, err)
                                     : csv_take_outside(csv, byte, err);
}

bool csv_feed(struct csv *csv, const char *data, size_t length, struct error *err)
{
    for (size_t i = 0; i < length; i++) {
        if (csv->place == IN_QUOTES ? !csv_take_inside(csv, data[i], err)
                                    : !csv_take_unquoted(csv, data[i], err))
            return false;
        csv->line += data[i] == '\n';
    }
    return true;
}

bool csv_end(struct csv *csv, struct error *err)
{
    if (csv->place == IN_QUOTES)
        return error_set(err, ERROR_UPSTREAM, NULL, "the text ends within a quoted field");
    return end_record(csv, err);
}

long long csv_line(const struct csv *csv)
{
    return csv->began > 0 ? csv->began : csv->line;
}

void csv_begin_at(struct csv *csv, long long line)
{
    csv->line = line;
}

char csv_separator(const struct csv *csv)
{
    return csv->separator;
}
