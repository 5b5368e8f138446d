#include "engine/protocol/event.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/rows/fields.h"

#include <math.h>

static const char *const type_names[] = {
    [EVENT_HELLO] = "hello", [EVENT_STEP] = "step",     [EVENT_CANARY] = "canary",
    [EVENT_DONE] = "done",   [EVENT_FAILED] = "failed",
};

#define SPLIT "split."
#define PART(member) .name = SPLIT #member, .offset = offsetof(struct step_split, member)
static const struct field parts[] = {
    {PART(input)}, {PART(forward)}, {PART(backward)}, {PART(update)}, {PART(communication)}};
#undef PART
#define PARTS_NEEDED 4 /* an engine without other ranks has no communication */

static const struct field canaries[] = {
    {.name = "hertz",
     .type = FIELD_NUMBER,
     .max = 1000000000000,
     .offset = offsetof(struct event, canary.hertz)},
    {.name = "copy_bytes_per_second",
     .type = FIELD_NUMBER,
     .max = 1000000000000000,
     .offset = offsetof(struct event, canary.copy_bytes_per_second)},
};

/* The optional members of "done", except its implementations. */
static const struct field counts[] = {
    {.name = "samples", .offset = offsetof(struct event, done.samples), .max = WHOLE_MAX},
    {.name = "peak_memory_bytes",
     .offset = offsetof(struct event, done.peak_memory_bytes),
     .max = WHOLE_MAX},
};

#define WHOLE_GRADIENT "gradient_cosine"
#define WORST "worst_layer_cosine"

static bool type_from_name(const char *name, enum event_type *ret_type)
{
    for (size_t i = 0; name && i < COUNT(type_names); i++)
        if (strcmp(name, type_names[i]) == 0) {
            *ret_type = (enum event_type)i;
            return true;
        }
    return false;
}

/* The engine's words end up in our log and on pages: printable ASCII, cut to the stored size. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t used = 0;

    for (; *from && used + 1 < size; from++)
        to[used++] = *from < 0x20 || *from > 0x7e ? '?' : *from;
    to[used] = '\0';
}

static bool unpack_hello(json_t *json, struct event *event, struct error *err)
{
    const char *software = NULL;
    json_int_t protocol;
    json_error_t why;

    if (json_unpack_ex(json, &why, 0, "{s:I, s?s}", "protocol", &protocol, "software", &software))
        return error_set(err, ERROR_INVALID, NULL, "%s", why.text);
    event->hello.protocol = protocol;
    copy_text(event->hello.software, sizeof event->hello.software, software ? software : "");
    return engine_details_from_json(json, &event->hello.details, err);
}

/* The parts of a step add up to at most its duration. */
static bool unpack_split(json_t *json, long long nanoseconds, struct step_split *split,
                         struct error *err)
{
    long long left = nanoseconds > 0 ? nanoseconds : 0;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, "split", "must be an object");
    for (size_t i = 0; i < COUNT(parts); i++) {
        json_t *value = json_object_get(json, parts[i].name + strlen(SPLIT));
        struct field part = parts[i];
        long long taken;

        part.max = left;
        if (!value && i >= PARTS_NEEDED)
            break;
        if (!value)
            return error_set(err, ERROR_INVALID, part.name, "is missing");
        if (!field_read(&part, value, split, err))
            return false;
        memcpy(&taken, (const char *)split + part.offset, sizeof taken);
        left -= taken;
    }
    return true;
}

static bool unpack_step(json_t *json, struct event *event, struct error *err)
{
    json_t *split = json_object_get(json, "split");
    json_int_t index, nanoseconds;
    json_error_t why;

    if (json_unpack_ex(json, &why, 0, "{s:I, s:I, s:F}", "index", &index, "nanoseconds",
                       &nanoseconds, "loss", &event->step.loss) != 0)
        return error_set(err, ERROR_INVALID, NULL, "%s", why.text);
    event->step.index = index;
    event->step.nanoseconds = nanoseconds;
    return !split || unpack_split(split, nanoseconds, &event->step.split, err);
}

static bool unpack_canary(json_t *json, struct event *event, struct error *err)
{
    for (size_t i = 0; i < COUNT(canaries); i++) {
        const json_t *value = json_object_get(json, canaries[i].name);

        if (!value)
            return error_set(err, ERROR_INVALID, canaries[i].name, "is missing");
        if (!field_read(&canaries[i], value, event, err))
            return false;
    }
    return true;
}

/* The cosine of an angle, or unknown. */
static bool unpack_cosine(const json_t *json, const char *name, bool *ret_known,
                          double *ret_cosine, struct error *err)
{
    const json_t *value = json_object_get(json, name);
    double cosine = json_number_value(value);

    if (!value)
        return true;
    if (!json_is_number(value) || !(cosine >= -1.001 && cosine <= 1.001))
        return error_set(err, ERROR_INVALID, name, "must be a number from -1 to 1");
    *ret_known = true;
    *ret_cosine = cosine;
    return true;
}

static bool unpack_certified(const json_t *json, struct certified *certified, struct error *err)
{
    return unpack_cosine(json, WHOLE_GRADIENT, &certified->whole_known, &certified->whole, err) &&
           unpack_cosine(json, WORST, &certified->worst_known, &certified->worst, err);
}

static bool unpack_done(json_t *json, struct event *event, struct error *err)
{
    json_t *implementations = json_object_get(json, "implementations");
    json_int_t steps;
    json_error_t why;

    if (json_unpack_ex(json, &why, 0, "{s:I}", "steps", &steps) != 0)
        return error_set(err, ERROR_INVALID, NULL, "%s", why.text);
    event->done.steps = steps;
    for (size_t i = 0; i < COUNT(counts); i++) {
        const json_t *value = json_object_get(json, counts[i].name);

        if (value && !field_read(&counts[i], value, event, err))
            return false;
    }
    if (!unpack_certified(json, &event->done.certified, err))
        return false;
    if (!implementations)
        return true;
    event->done.implementations = implementations_from_json(implementations, err);
    return event->done.implementations != NULL;
}

static bool unpack_failed(json_t *json, struct event *event, struct error *err)
{
    const char *message;
    json_error_t why;

    if (json_unpack_ex(json, &why, 0, "{s:s}", "message", &message) != 0)
        return error_set(err, ERROR_INVALID, NULL, "%s", why.text);
    copy_text(event->failed.message, sizeof event->failed.message, message);
    return true;
}

static bool (*const unpack[])(json_t *json, struct event *event, struct error *err) = {
    [EVENT_HELLO] = unpack_hello, [EVENT_STEP] = unpack_step,     [EVENT_CANARY] = unpack_canary,
    [EVENT_DONE] = unpack_done,   [EVENT_FAILED] = unpack_failed,
};

bool event_read(const char *line, size_t length, struct event *ret_event, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(line, length, 0, &why);
    struct error refusal = {0};
    struct event event = {0};

    if (!json)
        return error_set(err, ERROR_UPSTREAM, NULL, "a worker line is not JSON: %s", why.text);

    const char *name = json_string_value(json_object_get(json, "type"));
    if (!type_from_name(name, &event.type))
        return error_set(err, ERROR_UPSTREAM, NULL, "unknown worker event '%.32s'",
                         name ? name : "");
    if (unpack[event.type](json, &event, &refusal)) {
        *ret_event = event;
        return true;
    }
    return error_set(err, ERROR_UPSTREAM, NULL, "bad %s event: %s%s%s", name, refusal.field,
                     refusal.field[0] ? " " : "", refusal.message);
}

static void pack_split(json_t *json, const struct step_split *split)
{
    if (step_split_is_known(split))
        json_object_set_new(
            json, "split",
            json_pack("{s:I, s:I, s:I, s:I, s:I}", "input", (json_int_t)split->input, "forward",
                      (json_int_t)split->forward, "backward", (json_int_t)split->backward,
                      "update", (json_int_t)split->update, "communication",
                      (json_int_t)split->communication));
}

/* False for NaN and infinities, which JSON lacks. */
static bool pack_real(json_t *json, const char *name, double number)
{
    return json_object_set_new(json, name, json_real(number)) == 0;
}

static bool pack_done(json_t *json, const struct event *event)
{
    const struct certified *certified = &event->done.certified;
    const char *text = event->done.implementations;

    json_object_set_new(json, "steps", json_integer(event->done.steps));
    for (size_t i = 0; i < COUNT(counts); i++) {
        long long number;

        memcpy(&number, (const char *)event + counts[i].offset, sizeof number);
        if (number != 0)
            json_object_set_new(json, counts[i].name, json_integer(number));
    }
    if ((certified->whole_known && !pack_real(json, WHOLE_GRADIENT, certified->whole)) ||
        (certified->worst_known && !pack_real(json, WORST, certified->worst)))
        return false;
    if (text)
        json_object_set_new(json, "implementations", json_loads(text, 0, NULL));
    return true;
}

/* False if a number is not finite. */
static bool event_pack(const struct event *event, json_t *json)
{
    json_object_set_new(json, "type", json_string(type_names[event->type]));
    switch (event->type) {
    case EVENT_HELLO:
        json_object_set_new(json, "protocol", json_integer(event->hello.protocol));
        json_object_set_new(json, "software", json_string(event->hello.software));
        engine_details_into_json(&event->hello.details, json);
        return true;
    case EVENT_STEP:
        json_object_set_new(json, "index", json_integer(event->step.index));
        json_object_set_new(json, "nanoseconds", json_integer(event->step.nanoseconds));
        if (!pack_real(json, "loss", event->step.loss))
            return false;
        pack_split(json, &event->step.split);
        return true;
    case EVENT_CANARY:
        return pack_real(json, canaries[0].name, event->canary.hertz) &&
               pack_real(json, canaries[1].name, event->canary.copy_bytes_per_second);
    case EVENT_DONE:
        return pack_done(json, event);
    default:
        json_object_set_new(json, "message", json_string(event->failed.message));
        return true;
    }
}

bool event_write(FILE *out, const struct event *event, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_object();

    if (event->type == EVENT_STEP && !isfinite(event->step.loss))
        return error_set(err, ERROR_INTERNAL, NULL, "step %lld: the loss is not a number",
                         event->step.index);
    if (!event_pack(event, json))
        return error_set(err, ERROR_INTERNAL, NULL, "a number of the %s event is not finite",
                         type_names[event->type]);

    /* Flush every event: stdout is a pipe here, hence block-buffered, and the server's timeout
     * would otherwise take a healthy worker for a silent one. */
    if (json_dumpf(json, out, JSON_COMPACT) != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
        return error_set(err, ERROR_INTERNAL, NULL, "the server closed the event pipe");
    return true;
}

void event_clear(struct event *event)
{
    if (event->type == EVENT_DONE)
        freep(&event->done.implementations);
}
