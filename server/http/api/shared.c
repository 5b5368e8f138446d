#include "server/http/api/shared.h"

#include "common/cleanup.h"
#include "common/rows/fields.h"
#include "server/base/cursor.h"

bool api_read_cursor(const struct parameter_row *row, const char *value, void *into,
                     struct error *err)
{
    return cursor_read(value, into) || error_set(err, ERROR_INVALID, row->name,
                                                 "must be the next_cursor of an earlier answer");
}

/* It is given back as it was sent, blanks included. */
bool api_read_name_cursor(const struct parameter_row *row, const char *value, void *into,
                          struct error *err)
{
    size_t length = strlen(value);

    memcpy(into, &value, sizeof value);
    return (length >= 1 && length <= QUERY_WORD_MAX) ||
           error_set(err, ERROR_INVALID, row->name,
                     "must be the next_cursor of an earlier answer");
}

bool api_reason_says_why(const char *reason, struct error *err)
{
    return reason[strspn(reason, " ")] || error_set(err, ERROR_INVALID, "reason", "must say why");
}

bool api_read_reason(const struct parameter_row *row, const char *value, void *into,
                     struct error *err)
{
    const struct field field = {
        .name = row->name, .type = FIELD_TEXT, .min = 1, .max = REASON_MAX};

    return field_read_text(&field, value, into, err) && api_reason_says_why(value, err);
}
