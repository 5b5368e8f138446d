#include "engine/event.h"

#include "common/cleanup.h"

#include <math.h>

static const char *const type_names[] = {
    [EVENT_HELLO] = "hello",
    [EVENT_STEP] = "step",
    [EVENT_DONE] = "done",
    [EVENT_FAILED] = "failed",
};

static bool type_from_name(const char *name, enum event_type *ret_type)
{
    for (size_t i = 0; name && i < COUNT(type_names); i++)
        if (strcmp(name, type_names[i]) == 0) {
            *ret_type = (enum event_type)i;
            return true;
        }
    return false;
}

/* Their words end up in our log and on pages: printable ASCII, cut to what we keep. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t used = 0;

    for (; *from && used + 1 < size; from++)
        to[used++] = *from < 0x20 || *from > 0x7e ? '?' : *from;
    to[used] = '\0';
}

static bool unpack_step(json_t *json, struct event *event, json_error_t *why)
{
    json_int_t index, nanoseconds;

    if (json_unpack_ex(json, why, 0, "{s:I, s:I, s:F}", "index", &index, "nanoseconds",
                       &nanoseconds, "loss", &event->step.loss) != 0)
        return false;
    event->step.index = index;
    event->step.nanoseconds = nanoseconds;
    return true;
}

static bool unpack(json_t *json, struct event *event, json_error_t *why)
{
    const char *text = NULL;
    json_int_t number = 0;

    switch (event->type) {
    case EVENT_HELLO:
        if (json_unpack_ex(json, why, 0, "{s:I, s?s}", "protocol", &number, "software", &text))
            return false;
        event->hello.protocol = number;
        copy_text(event->hello.software, sizeof event->hello.software, text ? text : "");
        return true;
    case EVENT_STEP:
        return unpack_step(json, event, why);
    case EVENT_DONE:
        if (json_unpack_ex(json, why, 0, "{s:I}", "steps", &number))
            return false;
        event->done.steps = number;
        return true;
    default:
        if (json_unpack_ex(json, why, 0, "{s:s}", "message", &text))
            return false;
        copy_text(event->failed.message, sizeof event->failed.message, text);
        return true;
    }
}

bool event_read(const char *line, size_t length, struct event *ret_event, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    struct event event = {0};

    /* Where jansson runs out of memory it mostly says nothing at all. */
    if (!json && (!why.text[0] || json_error_code(&why) == json_error_out_of_memory))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    if (!json)
        return error_set(err, ERROR_UPSTREAM, NULL, "a worker line is not JSON: %s", why.text);

    const char *name = json_string_value(json_object_get(json, "type"));
    if (!type_from_name(name, &event.type))
        return error_set(err, ERROR_UPSTREAM, NULL, "unknown worker event '%.32s'",
                         name ? name : "");
    if (!unpack(json, &event, &why))
        return json_error_code(&why) == json_error_out_of_memory
                   ? error_set(err, ERROR_INTERNAL, NULL, "out of memory")
                   : error_set(err, ERROR_UPSTREAM, NULL, "bad %s event: %s", name, why.text);
    *ret_event = event;
    return true;
}

static json_t *pack(const struct event *event)
{
    const char *name = type_names[event->type];

    switch (event->type) {
    case EVENT_HELLO:
        return json_pack("{s:s, s:I, s:s}", "type", name, "protocol",
                         (json_int_t)event->hello.protocol, "software", event->hello.software);
    case EVENT_STEP:
        return json_pack("{s:s, s:I, s:I, s:f}", "type", name, "index",
                         (json_int_t)event->step.index, "nanoseconds",
                         (json_int_t)event->step.nanoseconds, "loss", event->step.loss);
    case EVENT_DONE:
        return json_pack("{s:s, s:I}", "type", name, "steps", (json_int_t)event->done.steps);
    default:
        return json_pack("{s:s, s:s}", "type", name, "message", event->failed.message);
    }
}

bool event_write(FILE *out, const struct event *event, struct error *err)
{
    /* JSON has no NaN; said here, a diverged run is not mistaken for lack of memory. */
    if (event->type == EVENT_STEP && !isfinite(event->step.loss))
        return error_set(err, ERROR_INTERNAL, NULL, "step %lld: the loss is not a number",
                         event->step.index);

    AUTO(json_decrefp) json_t *json = pack(event);
    if (!json)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");

    /* Flush every event: stdout is a pipe here, hence block-buffered, and the server's timeout
     * would otherwise take a healthy worker for a silent one. */
    if (json_dumpf(json, out, JSON_COMPACT) != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
        return error_set(err, ERROR_INTERNAL, NULL, "the server closed the event pipe");
    return true;
}
