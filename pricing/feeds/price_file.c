/* Prices from a file on this machine, for machines without a network: CSV with a header, or JSON,
 *     provider,region,zone,instance_type,kind,currency,price_per_hour,valid_from,reference
 *     {"prices": [{"provider": "aws", ...}]}
 * with the same names. All of it is good, or none is taken. */
#include "common/cleanup.h"
#include "common/known_names.h"
#include "pricing/feeds/csv.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/manual_price.h"
#include "pricing/feeds/sources.h"

#define ROW_MAX 8192

enum column {
    PROVIDER,
    REGION,
    ZONE,
    TYPE,
    KIND,
    CURRENCY,
    PRICE,
    VALID_FROM,
    REFERENCE,
    COLUMNS
};

static const char *const names[COLUMNS + 1] = {"provider",       "region",     "zone",
                                               "instance_type",  "kind",       "currency",
                                               "price_per_hour", "valid_from", "reference"};
static const char *const paths[] = {"prices/*", NULL};

struct sheet {
    struct document document;
    struct csv *csv;
    bool begun, is_json;
    bool has_header, has_list;
    size_t width, places[COLUMNS]; /* COLUMNS-long; `width` where a column is missing */
    long long row;
};

static bool add_row(struct sheet *sheet, const char *const cells[COLUMNS], struct error *err)
{
    const struct price_row row = {.provider = cells[PROVIDER],
                                  .region = cells[REGION],
                                  .zone = cells[ZONE],
                                  .instance_type = cells[TYPE],
                                  .kind = cells[KIND],
                                  .currency = cells[CURRENCY],
                                  .price_per_hour = cells[PRICE],
                                  .valid_from = cells[VALID_FROM],
                                  .reference = cells[REFERENCE]};
    struct price_batch *batch = sheet->document.reading->batch;
    struct error why = {0};
    struct price price;

    sheet->row++;
    price_batch_facts(batch)->tally.seen++;
    if (!price_from_row(&row, &price, &why))
        return error_set(err, ERROR_UPSTREAM, NULL, "price %lld: %s %s", sheet->row, why.field,
                         why.message);
    return price_batch_add(batch, &price, TWIN_MAY_BE_EQUAL, err);
}

/* A member that was misunderstood, or passed over, would make another price of it. */
static bool read_member(const char *name, const json_t *value, const char *cells[COLUMNS],
                        char ret_number[PRICE_TEXT_SIZE], struct error *err)
{
    struct error unknown = {0};
    int column = 0;

    while (column < COLUMNS && strcmp(name, names[column]) != 0)
        column++;
    if (!known_names_check(names, name, &unknown))
        return error_set(err, ERROR_UPSTREAM, NULL, "%.40s %s", name, unknown.message);
    if (json_is_null(value))
        return true;
    cells[column] = json_string_value(value);
    if (column == PRICE && json_is_number(value)) {
        price_write_number(json_number_value(value), ret_number);
        cells[column] = ret_number;
    }
    return cells[column] || error_set(err, ERROR_UPSTREAM, NULL, "%s must be a string%s", name,
                                      column == PRICE ? " or a number" : "");
}

static bool read_members(json_t *json, const char *cells[COLUMNS],
                         char ret_number[PRICE_TEXT_SIZE], struct error *err)
{
    for (int column = 0; column < COLUMNS; column++)
        cells[column] = "";
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
        if (!read_member(json_object_iter_key(at), json_object_iter_value(at), cells, ret_number,
                         err))
            return false;
    return true;
}

static enum split_verdict take_element(void *user, const struct split_element *element,
                                       struct error *err)
{
    struct sheet *sheet = user;
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, err);
    const char *cells[COLUMNS];
    struct error why = {0};
    char number[PRICE_TEXT_SIZE];

    if (!json)
        return SPLIT_FAILED;
    if (!json_is_object(json))
        error_set(err, ERROR_UPSTREAM, NULL, "price %lld is not a JSON object", sheet->row + 1);
    else if (!read_members(json, cells, number, &why))
        error_set(err, why.kind, NULL, "price %lld: %s", sheet->row + 1, why.message);
    else if (add_row(sheet, cells, err))
        return SPLIT_GO_ON;
    return SPLIT_FAILED;
}

static enum split_verdict note_list(void *user, struct error *err)
{
    (void)err;
    ((struct sheet *)user)->has_list = true;
    return SPLIT_GO_ON;
}

static bool read_header(struct sheet *sheet, char *const fields[], size_t count,
                        struct error *err)
{
    sheet->has_header = true;
    sheet->width = count;
    for (int column = 0; column < COLUMNS; column++)
        sheet->places[column] = count;
    for (size_t i = 0; i < count; i++) {
        int column = 0;

        while (column < COLUMNS && strcmp(fields[i], names[column]) != 0)
            column++;
        if (column == COLUMNS)
            return error_set(err, ERROR_UPSTREAM, NULL, "there is no column '%.40s': see --help",
                             fields[i]);
        if (sheet->places[column] < count)
            return error_set(err, ERROR_UPSTREAM, NULL, "the column '%s' is there twice",
                             names[column]);
        sheet->places[column] = i;
    }
    if (sheet->places[TYPE] == count || sheet->places[PRICE] == count)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the columns instance_type and price_per_hour are needed");
    return true;
}

static bool take_record(void *user, char *const fields[], size_t count, struct error *err)
{
    struct sheet *sheet = user;
    const char *cells[COLUMNS];

    if (!sheet->has_header)
        return read_header(sheet, fields, count, err);
    if (count != sheet->width)
        return error_set(err, ERROR_UPSTREAM, NULL, "price %lld has %zu columns, the header %zu",
                         sheet->row + 1, count, sheet->width);
    for (int column = 0; column < COLUMNS; column++)
        cells[column] = sheet->places[column] < count ? fields[sheet->places[column]] : "";
    return add_row(sheet, cells, err);
}

static void sheet_close(void *reader)
{
    if (reader)
        csv_free(((struct sheet *)reader)->csv);
    document_close(reader);
}

static void *sheet_open(const struct reading *reading, struct error *err)
{
    static const struct document_form form = {.size = sizeof(struct sheet),
                                              .paths = paths,
                                              .element_max = ROW_MAX,
                                              .element = take_element,
                                              .gate = "prices",
                                              .at_gate = note_list};
    struct sheet *sheet = document_open(&form, reading, err);

    if (!sheet)
        return NULL;
    sheet->csv = csv_new(take_record, sheet, err);
    if (sheet->csv)
        return sheet;
    sheet_close(sheet);
    return NULL;
}

static bool sheet_ask(void *reader, struct fetch_request *request, struct error *err)
{
    const struct reading *reading = ((struct document *)reader)->reading;

    return source_ask_once(reading, reading->url, request, err);
}

static enum fetch_take sheet_take(void *user, const char *data, size_t length, struct error *err)
{
    struct sheet *sheet = user;

    if (!sheet->begun)
        sheet->is_json = *data == '{';
    sheet->begun = true;
    if (sheet->is_json)
        return document_take(user, data, length, err);
    return csv_feed(sheet->csv, data, length, err) ? TAKE_MORE : TAKE_FAILED;
}

static bool end_json(const struct sheet *sheet, struct error *err)
{
    if (!splitter_end(sheet->document.splitter, err))
        return false;
    if (!sheet->has_list)
        return error_set(err, ERROR_UPSTREAM, NULL, "there is no member 'prices'");
    return splitter_oversized(sheet->document.splitter) == 0 ||
           error_set(err, ERROR_UPSTREAM, NULL, "a price has more than %d bytes", ROW_MAX);
}

static bool end_csv(struct sheet *sheet, struct error *err)
{
    return csv_end(sheet->csv, err) &&
           (sheet->has_header ||
            error_set(err, ERROR_UPSTREAM, NULL, "there is nothing in the file"));
}

static enum reading_state sheet_page(void *reader, const struct fetch_response *response,
                                     struct error *err)
{
    struct sheet *sheet = reader;

    (void)response;
    if (sheet->is_json ? !end_json(sheet, err) : !end_csv(sheet, err))
        return READING_FAILED;
    if (price_batch_facts(sheet->document.reading->batch)->tally.ambiguous > 0) {
        error_set(err, ERROR_UPSTREAM, NULL, "a price is there twice, and not the same");
        return READING_FAILED;
    }
    return READING_DONE;
}

static const struct reader_ops read_ops = {sheet_open, sheet_ask, sheet_take, sheet_page,
                                           sheet_close};

const struct source price_file = {
    .name = "price-file",
    .title = "a file on this machine",
    .provider = "",
    .url = "",
    .needs = NEEDS_FILE,
    .on = true,
    .period_seconds = 300,
    .max_bytes = 64 * 1024 * 1024,
    .read = &read_ops,
};
