#include "engine/trace/trace.h"

#include "common/cleanup.h"
#include "common/json_number.h"
#include "common/json_scan.h"
#include "common/limits.h"

#include <math.h>

#define TOTAL_MAX 1000000000000000000LL /* of all: their sum fits 64 bits */
#define LOSS_MAX 1e300                  /* either way: a million of them can be summed */

/* A column of the steps, in the order in which it is written. */
static const struct column {
    const char *name;
    size_t offset;
    long long min, max; /* of whole numbers; both 0: the loss */
    bool required;
    bool part; /* of a step's time; with one the first four must be there */
} columns[] = {
    {"nanoseconds", offsetof(struct step, nanoseconds), 1, STEP_NS_MAX, true, false},
    {"loss", offsetof(struct step, loss), 0, 0, true, false},
    {"input", offsetof(struct step, split.input), 0, STEP_NS_MAX, false, true},
    {"forward", offsetof(struct step, split.forward), 0, STEP_NS_MAX, false, true},
    {"backward", offsetof(struct step, split.backward), 0, STEP_NS_MAX, false, true},
    {"update", offsetof(struct step, split.update), 0, STEP_NS_MAX, false, true},
    {"communication", offsetof(struct step, split.communication), 0, STEP_NS_MAX, false, true},
};
#define PART_FIRST 2
#define PART_OPTIONAL 6 /* an engine without other ranks has no communication */

static bool refuse_item(struct error *err, const char *name, size_t index, const char *reason)
{
    char field[64];

    snprintf(field, sizeof field, "steps.%s[%zu]", name, index);
    return error_set(err, ERROR_INVALID, field, "%s", reason);
}

static bool refuse_column(struct error *err, const char *name, const char *reason)
{
    char field[64];

    snprintf(field, sizeof field, "steps.%s", name);
    return error_set(err, ERROR_INVALID, field, "%s", reason);
}

static bool refuse_number(struct error *err, const struct column *column, size_t index)
{
    char reason[96];

    if (column->max > 0)
        snprintf(reason, sizeof reason, "must be a whole number from %lld to %lld", column->min,
                 column->max);
    else
        snprintf(reason, sizeof reason, "must be a number from -%g to %g", LOSS_MAX, LOSS_MAX);
    return refuse_item(err, column->name, index, reason);
}

/* False also where it is out of the column's limits. */
static bool read_item(const struct column *column, struct json_scan *scan, struct step *step)
{
    char *place = (char *)step + column->offset;
    long long whole;
    double real;

    json_scan_blanks(scan);
    if (column->max == 0) {
        if (!json_number_read(&scan->at, scan->end, &real) || !(fabs(real) <= LOSS_MAX))
            return false;
        memcpy(place, &real, sizeof real);
        return true;
    }
    if (!json_number_read_whole(&scan->at, scan->end, &whole) || whole < column->min ||
        whole > column->max)
        return false;
    memcpy(place, &whole, sizeof whole);
    return true;
}

/* How many elements an array of numbers has, before memory is taken for them. What is no array of
 * numbers is found out when it is read. False where it does not end. */
static bool count_items(const struct json_scan *scan, size_t *ret_count)
{
    const char *end = memchr(scan->at, ']', (size_t)(scan->end - scan->at));
    struct json_scan blank = *scan;
    size_t count = 1;

    if (!end)
        return false;
    for (const char *at = scan->at; at < end; at++)
        count += *at == ',';
    *ret_count = json_scan_take(&blank, ']') ? 0 : count;
    return true;
}

/* The first column decides how many steps there are. */
static bool make_room(const struct json_scan *scan, const char *name, struct steps *steps,
                      struct error *err)
{
    char reason[64];
    size_t count;

    if (!count_items(scan, &count))
        return refuse_column(err, name, "does not end");
    if (count > RUN_STEPS_MAX) {
        snprintf(reason, sizeof reason, "must have at most %d elements", RUN_STEPS_MAX);
        return refuse_column(err, name, reason);
    }
    steps->items = calloc(count > 0 ? count : 1, sizeof *steps->items);
    if (!steps->items)
        return error_no_memory(err);
    steps->count = steps->size = count;
    return true;
}

static bool read_column(const struct column *column, struct json_scan *scan, struct steps *steps,
                        struct error *err)
{
    enum json_scan_step step;
    bool first = true;
    size_t count = 0;

    if (!json_scan_take(scan, '['))
        return refuse_column(err, column->name, "must be an array of numbers");
    if (!steps->items && !make_room(scan, column->name, steps, err))
        return false;
    while ((step = json_scan_element(scan, &first)) == JSON_SCAN_MEMBER) {
        if (count == steps->count)
            return refuse_column(err, column->name, "is longer than the arrays before it");
        if (!read_item(column, scan, &steps->items[count]))
            return refuse_number(err, column, count);
        count++;
    }
    if (step == JSON_SCAN_BROKEN)
        return refuse_item(err, column->name, count, "must be followed by a comma or a bracket");
    if (count < steps->count)
        return refuse_column(err, column->name, "is shorter than the arrays before it");
    return true;
}

static const struct column *column_named(struct span name)
{
    for (size_t i = 0; i < COUNT(columns); i++)
        if (span_is(name, columns[i].name))
            return &columns[i];
    return NULL;
}

static bool refuse_name(struct span name, struct error *err)
{
    struct known_names known = {.all = "docs/run-document.md"};

    for (size_t i = 0; i < COUNT(columns); i++)
        known_names_add(&known, columns[i].name);
    return json_scan_refuse_name("steps", name, &known, err);
}

static bool read_columns(struct json_scan *scan, struct steps *steps, bool seen[COUNT(columns)],
                         struct error *err)
{
    enum json_scan_step step;
    struct span name;
    bool first = true;

    if (!json_scan_take(scan, '{'))
        return error_set(err, ERROR_INVALID, "steps", "must be an object of arrays");
    while ((step = json_scan_member(scan, &first, &name)) == JSON_SCAN_MEMBER) {
        const struct column *column = column_named(name);

        if (!column)
            return refuse_name(name, err);
        if (seen[column - columns])
            return refuse_column(err, column->name, "is there twice");
        seen[column - columns] = true;
        if (!read_column(column, scan, steps, err))
            return false;
    }
    if (step == JSON_SCAN_BROKEN || !json_scan_is_over(scan))
        return error_set(err, ERROR_INVALID, "steps", "is not JSON");
    return true;
}

static bool all_are_there(const bool seen[COUNT(columns)], struct error *err)
{
    bool parts = false;

    for (size_t i = PART_FIRST; i < COUNT(columns); i++)
        parts = parts || seen[i];
    for (size_t i = 0; i < COUNT(columns); i++)
        if (!seen[i] && (columns[i].required || (parts && i < PART_OPTIONAL)))
            return refuse_column(err, columns[i].name, "is missing");
    return true;
}

/* Each part may have what those before it have left of the step. */
static bool parts_fit(const struct steps *steps, struct error *err)
{
    long long total = 0;

    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = &steps->items[i];
        long long left = step->nanoseconds;

        for (size_t j = PART_FIRST; j < COUNT(columns); j++) {
            long long taken;

            memcpy(&taken, (const char *)step + columns[j].offset, sizeof taken);
            if (taken > left)
                return refuse_item(err, columns[j].name, i,
                                   "is more than the parts before it have left of the step");
            left -= taken;
        }
        total += step->nanoseconds;
        if (total > TOTAL_MAX)
            return refuse_column(err, columns[0].name, "is too long in sum");
    }
    return true;
}

bool trace_read_steps(const char *text, size_t length, struct steps *ret_steps, struct error *err)
{
    AUTO(steps_free) struct steps steps = {0};
    struct json_scan scan = {text, text + length};
    bool seen[COUNT(columns)] = {false};

    if (!read_columns(&scan, &steps, seen, err) || !all_are_there(seen, err) ||
        !parts_fit(&steps, err))
        return false;
    *ret_steps = steps;
    steps = (struct steps){0};
    return true;
}

static bool add_item(struct bytes *text, const struct column *column, const struct step *step,
                     bool comma)
{
    const char *place = (const char *)step + column->offset;
    char number[JSON_NUMBER_SIZE + 1] = ",";
    char *at = number + comma;
    long long whole;
    double real;
    int length;

    if (column->max == 0) {
        memcpy(&real, place, sizeof real);
        if (!(fabs(real) <= LOSS_MAX))
            return false; /* no reader accepts such a line */
        length = json_number_write(real, at);
    } else {
        memcpy(&whole, place, sizeof whole);
        length = json_number_write_whole(whole, at);
    }
    return bytes_add(text, number, (size_t)length + comma);
}

static bool add_column(struct bytes *text, const struct column *column, const struct steps *steps)
{
    if (!bytes_printf(text, "%s\"%s\":[", column == columns ? "{" : ",", column->name))
        return false;
    for (size_t i = 0; i < steps->count; i++)
        if (!add_item(text, column, &steps->items[i], i > 0))
            return false;
    return bytes_add(text, "]", 1);
}

bool trace_write_steps(struct bytes *text, const struct steps *steps)
{
    bool parts = false;

    for (size_t i = 0; i < steps->count && !parts; i++)
        parts = step_split_is_known(&steps->items[i].split);
    for (size_t i = 0; i < (parts ? COUNT(columns) : PART_FIRST); i++)
        if (!add_column(text, &columns[i], steps))
            return false;
    return bytes_add(text, "}", 1);
}
