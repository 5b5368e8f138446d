/* Tested by tests/pricing/feeds/price_file_test.c. */
#include "pricing/feeds/price_sheet.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/json_number.h"
#include "common/limits.h"
#include "common/memory.h"
#include "pricing/feeds/csv.h"
#include "pricing/feeds/price_cells.h"
#include "pricing/feeds/source.h"

#include <stdint.h>

#define ROW_MAX 8192
#define BLANKS " \t\r\n"

enum form { UNKNOWN, CSV, OBJECT, ARRAY };

struct price_sheet {
    struct price_sheet_rules rules;
    enum form form;
    size_t mark; /* bytes of a byte order mark seen at the start */
    struct splitter *splitter;
    struct csv *csv;
    long long line;           /* of JSON, or before the first word of any */
    size_t lists;             /* members "prices" */
    bool noted;               /* the fault that ends the reading has its line */
    bool has_header, is_deaf; /* deaf: the header is faulty, so rows say nothing */
    size_t width;
    size_t places[PRICE_CELLS]; /* `width` where a column is missing */
    struct price_decimals decimals;
    uint32_t *lines; /* of the prices, by their place in the batch */
    size_t room;
};

void price_sheet_explain(long long line, const struct error *fault, char *ret_text, size_t size)
{
    size_t used = (size_t)snprintf(ret_text, size, "line %lld: %s%s%s", line, fault->field,
                                   fault->field[0] ? " " : "", fault->message);
    const char *const *choice = fault->allowed.choices;

    for (; choice && *choice && used < size; choice++)
        used += (size_t)snprintf(ret_text + used, size - used, "%s %s",
                                 choice == fault->allowed.choices ? ":" : ",", *choice);
}

/* True: go on without the row. */
static bool sheet_tell(struct price_sheet *sheet, long long line, const struct error *fault,
                       struct error *err)
{
    char text[256];

    if (sheet->rules.fault)
        return sheet->rules.fault(sheet->rules.user, line, fault), true;
    sheet->noted = true;
    price_sheet_explain(line, fault, text, sizeof text);
    return error_set(err, ERROR_UPSTREAM, NULL, "%s", text);
}

/* The same for text that is not of this form, after which reading stops. */
static bool end_badly(const struct price_sheet *sheet, long long line, const struct error *fault,
                      struct error *err)
{
    char text[256];

    if (sheet->noted || fault->kind != ERROR_UPSTREAM)
        return error_set(err, fault->kind, fault->field, "%s", fault->message);
    price_sheet_explain(line, fault, text, sizeof text);
    return error_set(err, ERROR_UPSTREAM, NULL, "%s", text);
}

/* Notes the line of the price that was added last. */
static void note_line(struct price_sheet *sheet, long long line)
{
    size_t count = price_batch_places(sheet->rules.batch);

    sheet->lines = xgrow(sheet->lines, count - 1, &sheet->room, sizeof *sheet->lines);
    sheet->lines[count - 1] = (uint32_t)line;
}

static bool add_price(struct price_sheet *sheet, long long line, const struct price *price,
                      struct error *err)
{
    size_t place;
    const struct price *twin = price_batch_find(sheet->rules.batch, price, &place);

    if (!twin) {
        if (!price_batch_add(sheet->rules.batch, price, TWIN_MAY_BE_EQUAL, err))
            return false;
        note_line(sheet, line);
        return true;
    }
    return twin->nanos == price->nanos ||
           error_set(err, ERROR_INVALID, price_cell_name(CELL_PRICE),
                     "is %s, but line %u already has %s for this machine", price->text,
                     sheet->lines[place], twin->text);
}

static bool read_row(struct price_sheet *sheet, long long line,
                     const char *const cells[PRICE_CELLS], struct error *err)
{
    struct error fault = {0};
    struct price price;

    price_batch_facts(sheet->rules.batch)->tally.seen++;
    return (price_cells_read(cells, &sheet->decimals, &price, &fault) &&
            add_price(sheet, line, &price, &fault)) ||
           sheet_tell(sheet, line, &fault, err);
}

/* A misspelt or ignored member would change the price. */
static bool read_member(const char *name, const json_t *value, const char *cells[PRICE_CELLS],
                        char ret_number[PRICE_TEXT_SIZE], struct error *err)
{
    enum price_cell cell;

    if (!price_cell_find(name, &cell, err))
        return false;
    if (json_is_null(value))
        return true;
    cells[cell] = json_string_value(value);
    if (cell == CELL_PRICE && json_is_number(value)) {
        json_number_write(json_number_value(value), ret_number);
        cells[cell] = ret_number;
    }
    return cells[cell] || error_set(err, ERROR_INVALID, name, "must be a string%s",
                                    cell == CELL_PRICE ? " or a number" : "");
}

static bool read_members(json_t *json, const char *cells[PRICE_CELLS],
                         char ret_number[PRICE_TEXT_SIZE], struct error *err)
{
    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, NULL, "a price must be a JSON object");
    for (int cell = 0; cell < PRICE_CELLS; cell++)
        cells[cell] = "";
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
        if (!read_member(json_object_iter_key(at), json_object_iter_value(at), cells, ret_number,
                         err))
            return false;
    return true;
}

/* The line on which an element began: the line of its end, less its own lines. */
static long long line_of(const struct price_sheet *sheet, const struct split_element *element)
{
    long long line = sheet->line;

    for (size_t i = 0; i < element->length; i++)
        line -= element->json[i] == '\n';
    return line;
}

static enum split_verdict take_element(void *user, const struct split_element *element,
                                       struct error *err)
{
    struct price_sheet *sheet = user;
    struct error fault = {0};
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, &fault);
    const char *cells[PRICE_CELLS];
    char number[PRICE_TEXT_SIZE];
    long long line = line_of(sheet, element);
    bool ok;

    if (element->key[0])
        error_set(&fault, ERROR_INVALID, "prices", "must be an array");
    if (fault.kind == ERROR_NONE && read_members(json, cells, number, &fault))
        ok = read_row(sheet, line, cells, err);
    else
        ok = sheet_tell(sheet, line, &fault, err);
    return ok ? SPLIT_GO_ON : SPLIT_FAILED;
}

static enum split_verdict note_list(void *user, struct error *err)
{
    struct price_sheet *sheet = user;

    if (++sheet->lists == 1)
        return SPLIT_GO_ON;
    error_set(err, ERROR_UPSTREAM, NULL, "there are two members 'prices'");
    return SPLIT_FAILED;
}

/* Reads a column; a fault in one does not hide faults in others. */
static bool read_column(struct price_sheet *sheet, const char *name, size_t place,
                        struct error *err)
{
    enum price_cell cell;

    if (!price_cell_find(name, &cell, err))
        return false;
    if (sheet->places[cell] < sheet->width)
        return error_set(err, ERROR_INVALID, name, "is the name of two columns");
    sheet->places[cell] = place;
    return true;
}

static bool tell_header(struct price_sheet *sheet, const struct error *fault, struct error *err)
{
    sheet->is_deaf = true;
    return sheet_tell(sheet, csv_line(sheet->csv), fault, err);
}

static bool read_header(struct price_sheet *sheet, char *const fields[], size_t count,
                        struct error *err)
{
    static const enum price_cell needed[] = {CELL_TYPE, CELL_PRICE};

    sheet->has_header = true;
    sheet->decimals.may_be_comma = csv_separator(sheet->csv) != ',';
    sheet->width = count;
    for (int cell = 0; cell < PRICE_CELLS; cell++)
        sheet->places[cell] = count;
    for (size_t i = 0; i < count; i++) {
        struct error fault = {0};

        if (!read_column(sheet, fields[i], i, &fault) && !tell_header(sheet, &fault, err))
            return false;
    }
    for (size_t i = 0; i < COUNT(needed); i++) {
        struct error fault = {0};

        if (sheet->places[needed[i]] < count)
            continue;
        error_set(&fault, ERROR_INVALID, price_cell_name(needed[i]),
                  "is not the name of a column, and must be");
        if (!tell_header(sheet, &fault, err))
            return false;
    }
    return true;
}

static bool is_blank(char *const fields[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i][0])
            return false;
    return true;
}

static bool take_record(void *user, char *const fields[], size_t count, struct error *err)
{
    struct price_sheet *sheet = user;
    const char *cells[PRICE_CELLS];
    struct error fault = {0};

    if (is_blank(fields, count))
        return true;
    if (!sheet->has_header)
        return read_header(sheet, fields, count, err);
    if (sheet->is_deaf)
        return true;
    if (count != sheet->width) {
        error_set(&fault, ERROR_INVALID, NULL, "the row has %zu fields, the header %zu%s", count,
                  sheet->width,
                  count > sheet->width ? ": a field that holds what parts fields needs quotes"
                                       : "");
        return sheet_tell(sheet, csv_line(sheet->csv), &fault, err);
    }
    for (int cell = 0; cell < PRICE_CELLS; cell++)
        cells[cell] = sheet->places[cell] < count ? fields[sheet->places[cell]] : "";
    return read_row(sheet, csv_line(sheet->csv), cells, err);
}

struct price_sheet *price_sheet_new(const struct price_sheet_rules *rules)
{
    struct price_sheet *sheet = xcalloc(1, sizeof *sheet);

    sheet->rules = *rules;
    sheet->line = 1;
    return sheet;
}

void price_sheet_free(struct price_sheet *sheet)
{
    if (!sheet)
        return;
    splitter_free(sheet->splitter);
    csv_free(sheet->csv);
    free(sheet->lines);
    free(sheet);
}

void price_sheet_freep(struct price_sheet **sheet)
{
    price_sheet_free(*sheet);
    *sheet = NULL;
}

static void open_csv(struct price_sheet *sheet)
{
    sheet->form = CSV;
    sheet->csv = csv_new_lenient(take_record, sheet);
    csv_begin_at(sheet->csv, sheet->line);
}

static void open_json(struct price_sheet *sheet, enum form form, struct error *err)
{
    static const char *const member[] = {"prices/*", NULL}, *const array[] = {"*", NULL};
    const struct splitter_rules rules = {.paths = form == OBJECT ? member : array,
                                         .element_max = ROW_MAX,
                                         .element = take_element,
                                         .gate = form == OBJECT ? "prices" : NULL,
                                         .at_gate = form == OBJECT ? note_list : NULL,
                                         .user = sheet};

    sheet->form = form;
    sheet->splitter = splitter_new(&rules, err);
}

/* Passes over a byte order mark; returns how many of these bytes belong to it. */
static size_t skip_mark(struct price_sheet *sheet, const char *data, size_t length,
                        struct error *err)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t used = 0;

    for (; used < length && sheet->mark < 3 && data[used] == mark[sheet->mark]; used++)
        sheet->mark++;
    if (used == length || sheet->mark == 3)
        return used;
    if (sheet->mark > 0 || data[0] == '\xFF' || data[0] == '\xFE')
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the text begins with the byte order mark of another encoding: "
                  "save it as UTF-8");
    sheet->mark = 3;
    return used;
}

static void open_form(struct price_sheet *sheet, char first, struct error *err)
{
    if (first == '{')
        open_json(sheet, OBJECT, err);
    else if (first == '[')
        open_json(sheet, ARRAY, err);
    else
        open_csv(sheet);
}

/* Passes over what may stand before the first byte that says what the text is. Returns how many
 * bytes that is; the form stays unknown until that byte comes. */
static size_t sheet_begin(struct price_sheet *sheet, const char *data, size_t length,
                          struct error *err)
{
    size_t used = skip_mark(sheet, data, length, err);

    if (err->kind != ERROR_NONE)
        return used;
    for (; used < length && data[used] && strchr(BLANKS, data[used]); used++)
        sheet->line += data[used] == '\n';
    if (used < length)
        open_form(sheet, data[used], err);
    return used;
}

/* A line at a time, so that `line` is right when an element ends. */
static bool feed_json(struct price_sheet *sheet, const char *data, size_t length,
                      struct error *err)
{
    while (length > 0) {
        const char *end = memchr(data, '\n', length);
        size_t piece = end ? (size_t)(end - data) + 1 : length;

        if (splitter_feed(sheet->splitter, data, piece, err) != SPLIT_GO_ON)
            return false;
        sheet->line += end != NULL;
        data += piece;
        length -= piece;
    }
    return true;
}

bool price_sheet_feed(struct price_sheet *sheet, const char *data, size_t length,
                      struct error *err)
{
    struct error fault = {0};
    size_t used = sheet->form == UNKNOWN ? sheet_begin(sheet, data, length, &fault) : 0;
    bool ok = fault.kind == ERROR_NONE;

    data += used;
    length -= used;
    if (ok && sheet->form == CSV)
        ok = csv_feed(sheet->csv, data, length, &fault);
    else if (ok && sheet->form != UNKNOWN)
        ok = feed_json(sheet, data, length, &fault);
    return ok || end_badly(sheet, sheet->csv ? csv_line(sheet->csv) : sheet->line, &fault, err);
}

static bool end_json(const struct price_sheet *sheet, struct error *err)
{
    if (!splitter_end(sheet->splitter, err))
        return false;
    if (sheet->form == OBJECT && sheet->lists == 0)
        return error_set(err, ERROR_UPSTREAM, NULL, "there is no member 'prices'");
    return splitter_oversized(sheet->splitter) == 0 ||
           error_set(err, ERROR_UPSTREAM, NULL, "a price has more than %d bytes", ROW_MAX);
}

bool price_sheet_end(struct price_sheet *sheet, struct error *err)
{
    struct error fault = {0};

    if (sheet->form == OBJECT || sheet->form == ARRAY)
        return end_json(sheet, &fault) || end_badly(sheet, sheet->line, &fault, err);
    if (sheet->form == CSV && !csv_end(sheet->csv, &fault))
        return end_badly(sheet, csv_line(sheet->csv), &fault, err);
    return sheet->has_header ||
           error_set(err, ERROR_UPSTREAM, NULL, "there is nothing in the file");
}
