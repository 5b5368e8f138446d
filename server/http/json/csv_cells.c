#include "server/http/json/csv_cells.h"

#include "common/cleanup.h"
#include "common/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_MAX (1024 * 1024) /* of a row */

static const char *const parts[] = {"value", "low", "high"};

struct column {
    char path[96], name[96];
    size_t parts; /* 0: not an interval */
};

/* Takes the next column off the list; false at its end. */
static bool next_column(const char **columns, struct column *ret_column)
{
    size_t path = strcspn(*columns, " *="), length = strcspn(*columns, " ");
    const char *name = *columns, *equals = memchr(name, '=', length), *end = name + length;

    if (length == 0)
        return false;
    snprintf(ret_column->path, sizeof ret_column->path, "%.*s", (int)path, name);
    snprintf(ret_column->name, sizeof ret_column->name, "%.*s",
             (int)(equals ? end - equals - 1 : (long)path), equals ? equals + 1 : name);
    for (char *dot = ret_column->name; (dot = strchr(dot, '.')) != NULL;)
        *dot = '_';
    ret_column->parts = name[path] == '*' ? COUNT(parts) : 0;
    *columns = end + strspn(end, " ");
    return true;
}

bool csv_add_head(struct bytes *text, const char *columns)
{
    const char *comma = "";
    struct column column;
    bool ok = true;

    for (; ok && next_column(&columns, &column); comma = ",") {
        ok = bytes_printf(text, "%s%s", comma, column.name);
        for (size_t i = 1; ok && i < column.parts; i++)
            ok = bytes_printf(text, ",%s_%s", column.name, parts[i]);
    }
    return ok && bytes_add(text, "\r\n", 2);
}

static json_t *element_of(const json_t *list, const char *number)
{
    long long wanted = strtoll(number, NULL, 10);
    size_t i;
    json_t *element;

    json_array_foreach(list, i, element)
    {
        if (json_integer_value(json_object_iter_value(json_object_iter(element))) == wanted)
            return element;
    }
    return NULL;
}

/* NULL where a part of the path is null. */
static const json_t *cells_find(const json_t *at, const char *path)
{
    char name[96];

    while (at && *path) {
        size_t length = strcspn(path, ".");

        snprintf(name, sizeof name, "%.*s", (int)length, path);
        at = json_is_array(at) ? element_of(at, name) : json_object_get(at, name);
        path += length + (path[length] == '.');
    }
    return at;
}

static bool add_characters(struct bytes *text, const char *from)
{
    bool ok = true;

    for (; ok && *from; from++)
        ok = bytes_printf(text, *from == '"' ? "\"\"" : "%c", *from);
    return ok;
}

static bool add_text(struct bytes *text, const char *from)
{
    bool formula = *from && strchr("=+-@\t\r", *from);

    return bytes_printf(text, "\"%s", formula ? "'" : "") && add_characters(text, from) &&
           bytes_add(text, "\"", 1);
}

static bool add_list(struct bytes *text, const json_t *list)
{
    AUTO(bytes_free) struct bytes cell = {.limit = text->limit};
    bool ok = bytes_add(&cell, "", 0);
    json_t *value;
    size_t i;

    json_array_foreach(list, i, value) ok =
        ok && bytes_printf(&cell, "%s%s", i > 0 ? "; " : "", json_string_value(value));
    return ok && (json_array_size(list) == 0 || add_text(text, cell.data));
}

static bool add_object(struct bytes *text, const json_t *object)
{
    AUTO(freep) char *json = json_text(object);

    return add_text(text, json);
}

static bool add_cell(struct bytes *text, const json_t *value)
{
    if (json_is_string(value))
        return add_text(text, json_string_value(value));
    if (json_is_array(value))
        return add_list(text, value);
    if (json_is_object(value))
        return add_object(text, value);
    if (json_is_boolean(value))
        return bytes_printf(text, "%s", json_is_true(value) ? "true" : "false");
    if (json_is_integer(value))
        return bytes_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return !json_is_number(value) || bytes_printf(text, "%.10g", json_number_value(value));
}

static bool add_column(struct bytes *text, const struct column *column, const json_t *row)
{
    const json_t *value = cells_find(row, column->path);
    bool ok = column->parts > 0 || add_cell(text, value);

    for (size_t i = 0; ok && i < column->parts; i++)
        ok = (i == 0 || bytes_add(text, ",", 1)) &&
             add_cell(text, json_object_get(value, parts[i]));
    return ok;
}

bool csv_add_line(struct bytes *text, const char *columns, const struct members *members,
                  const void *object)
{
    AUTO(bytes_free) struct bytes json = {.limit = JSON_MAX};
    struct json_writer out = {.bytes = &json};
    AUTO(json_decrefp) json_t *row = NULL;
    const char *comma = "";
    struct column column;
    bool ok;

    members_write(&out, NULL, members, object);
    row = out.failed ? NULL : json_loadb(json.data, json.used, 0, NULL);
    ok = row != NULL;
    for (; ok && next_column(&columns, &column); comma = ",")
        ok = bytes_printf(text, "%s", comma) && add_column(text, &column, row);
    return ok && bytes_add(text, "\r\n", 2);
}
