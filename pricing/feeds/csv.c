#include "pricing/feeds/csv.h"

#include "common/cleanup.h"

enum place { AT_START, IN_FIELD, IN_QUOTES, AFTER_QUOTE };

struct csv {
    csv_record_fn *record;
    void *user;
    enum place place;
    bool any; /* of the record: a blank line is none */
    bool cr;  /* one outside quotes was the last byte: its line must end */
    size_t used, count;
    size_t starts[CSV_FIELDS_MAX];
    char bytes[CSV_RECORD_MAX + 1];
};

struct csv *csv_new(csv_record_fn *record, void *user, struct error *err)
{
    struct csv *csv = malloc(sizeof *csv);

    if (!csv) {
        error_no_memory(err);
        return NULL;
    }
    memset(csv, 0, offsetof(struct csv, starts));
    csv->record = record;
    csv->user = user;
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

static bool put(struct csv *csv, char byte, struct error *err)
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
    return true;
}

static bool end_field(struct csv *csv, struct error *err)
{
    if (csv->place == AT_START && !begin_field(csv, err))
        return false;
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

    if (!csv->any && csv->place == AT_START)
        return true;
    if (!end_field(csv, err))
        return false;
    count = csv->count;
    for (size_t i = 0; i < count; i++)
        fields[i] = csv->bytes + csv->starts[i];
    csv->used = csv->count = 0;
    csv->any = false;
    return csv->record(csv->user, fields, count, err);
}

/* A byte outside quotes. */
static bool plain(struct csv *csv, char byte, struct error *err)
{
    switch (byte) {
    case ',':
        csv->any = true;
        return end_field(csv, err);
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
        return put(csv, byte, err);
    }
}

/* Behind a quote that ended a field, or is the first of two. */
static bool after_quote(struct csv *csv, char byte, struct error *err)
{
    if (byte == '"') {
        csv->place = IN_QUOTES;
        return put(csv, byte, err);
    }
    if (byte == ',')
        return end_field(csv, err);
    if (byte == '\n')
        return end_record(csv, err);
    return error_set(err, ERROR_UPSTREAM, NULL, "there is text behind a quoted field");
}

static bool quoted(struct csv *csv, char byte, struct error *err)
{
    if (byte != '"')
        return put(csv, byte, err);
    csv->place = AFTER_QUOTE;
    return true;
}

static bool unquoted(struct csv *csv, char byte, struct error *err)
{
    if (csv->cr && byte != '\n')
        return error_set(err, ERROR_UPSTREAM, NULL, "there is a CR that ends no line");
    csv->cr = byte == '\r';
    if (csv->cr)
        return true;
    return csv->place == AFTER_QUOTE ? after_quote(csv, byte, err) : plain(csv, byte, err);
}

bool csv_feed(struct csv *csv, const char *data, size_t length, struct error *err)
{
    for (size_t i = 0; i < length; i++)
        if (csv->place == IN_QUOTES ? !quoted(csv, data[i], err) : !unquoted(csv, data[i], err))
            return false;
    return true;
}

bool csv_end(struct csv *csv, struct error *err)
{
    if (csv->place == IN_QUOTES)
        return error_set(err, ERROR_UPSTREAM, NULL, "the text ends within a quoted field");
    return end_record(csv, err);
}
