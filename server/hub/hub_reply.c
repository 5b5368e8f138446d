#include "server/hub/hub_reply.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/text.h"

#include <strings.h>

static bool reply_refuse(struct error *err, const char *what)
{
    return error_set(err, ERROR_UPSTREAM, NULL, "the answer is no report of an import: %s", what);
}

static bool is_json(const char *content_type)
{
    static const char wanted[] = "application/json";
    size_t length = strlen(wanted);

    return strncasecmp(content_type, wanted, length) == 0 &&
           (content_type[length] == '\0' || content_type[length] == ';' ||
            content_type[length] == ' ');
}

static bool read_count(const json_t *report, const char *name, size_t most, size_t *ret_count)
{
    const json_t *value = json_object_get(report, name);
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value) || number < 0 || number > (json_int_t)most)
        return false;
    *ret_count = (size_t)number;
    return true;
}

/* Sets NULL for null; returns false for any other value that is not a text. */
static bool read_text(const json_t *object, const char *name, const char **ret_text)
{
    const json_t *value = json_object_get(object, name);

    *ret_text = json_string_value(value);
    return json_is_string(value) || json_is_null(value);
}

static void keep_reason(struct delivery *delivery, const char *field, const char *reason)
{
    delivery->verdict = DELIVERY_REFUSED;
    snprintf(delivery->reason, sizeof delivery->reason, "%s%s%s", field ? field : "",
             field ? ": " : "", reason);
    /* The text may end within a character, and it goes to a terminal. */
    text_make_line(delivery->reason, strlen(delivery->reason));
}

static bool read_refusal(const json_t *json, struct hub_line *lines, size_t count,
                         struct error *err)
{
    const char *id, *field, *reason;
    struct hub_line *line;
    size_t position;

    if (!read_count(json, "line", count, &position) || position == 0)
        return reply_refuse(err, "an error is of no line that was sent");
    line = &lines[position - 1];
    if (!read_text(json, "id", &id) || (id && strcmp(id, line->id.text) != 0))
        return reply_refuse(err, "an error is of another id than was sent in that line");
    if (!read_text(json, "field", &field) || !read_text(json, "reason", &reason) || !reason ||
        !*reason)
        return reply_refuse(err, "an error has no reason");
    if (line->delivery.verdict != DELIVERY_WAITING)
        return reply_refuse(err, "two errors are of the same line");
    keep_reason(&line->delivery, field, reason);
    return true;
}

static bool read_report(const json_t *report, struct hub_line *lines, size_t count,
                        struct error *err)
{
    const json_t *errors = json_object_get(report, "errors");
    size_t imported, known, refused;

    if (!json_is_object(report))
        return reply_refuse(err, "it is not a JSON object");
    if (!read_count(report, "imported", count, &imported) ||
        !read_count(report, "known", count, &known) ||
        !read_count(report, "refused", count, &refused) || !json_is_array(errors))
        return reply_refuse(err, "imported, known, refused and errors must be there");
    if (imported + known + refused != count)
        return reply_refuse(err, "it does not tell of as many lines as were sent");
    if (json_array_size(errors) != refused)
        return reply_refuse(err, "it does not say what was wrong with each refused line");
    for (size_t i = 0; i < refused; i++)
        if (!read_refusal(json_array_get(errors, i), lines, count, err))
            return false;
    for (size_t i = 0; i < count; i++)
        if (lines[i].delivery.verdict == DELIVERY_WAITING)
            lines[i].delivery.verdict = DELIVERY_ACCEPTED;
    return true;
}

bool hub_reply_read(const struct hub_answer *answer, struct hub_line *lines, size_t count,
                    struct error *err)
{
    AUTO(json_decrefp) json_t *report = NULL;
    struct hub_line read[HUB_LINES_MAX];
    json_error_t why;

    if (count == 0 || count > HUB_LINES_MAX)
        return error_set(err, ERROR_INTERNAL, NULL, "a report of %zu lines", count);
    if (!is_json(answer->content_type))
        return reply_refuse(err, "it is not application/json");
    report = json_read(answer->text, answer->length, 0, &why);
    if (!report)
        return reply_refuse(err, "it is not JSON");
    memcpy(read, lines, count * sizeof *lines);
    if (!read_report(report, read, count, err))
        return false;
    memcpy(lines, read, count * sizeof *lines);
    return true;
}

enum fetch_take hub_reply_take(void *user, const char *data, size_t length, struct error *err)
{
    return bytes_add(user, data, length) || bytes_too_long(user, "the answer", err) ? TAKE_MORE
                                                                                    : TAKE_FAILED;
}
