/* Tested by tests/api/test_taking_back.py. */
#include "server/http/handlers/taking_back.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fields.h"
#include "common/known_names.h"
#include "server/api/runs.h"
#include "server/http/access.h"
#include "server/http/reply.h"
#include "server/http/request.h"

static const struct field reason_field = {
    .name = "reason", .type = FIELD_TEXT, .min = 1, .max = REASON_MAX};

static void begin(const struct exchange *exchange, struct taken_back *taken)
{
    *taken = (struct taken_back){.at_us = clock_calendar_us()};
    snprintf(taken->by, sizeof taken->by, "%s", access_sender(exchange));
}

/* Blanks are no reason. */
static bool says_something(const struct taken_back *taken, struct error *err)
{
    return taken->reason[strspn(taken->reason, " ")] ||
           error_set(err, ERROR_INVALID, "reason", "must say why");
}

static bool read_object(const json_t *json, struct taken_back *taken, struct error *err)
{
    static const char *const names[] = {"reason", NULL};
    const json_t *reason = json_object_get(json, "reason");
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)json, name, value)
    {
        if (!known_names_check(names, name, err))
            return false;
    }
    if (!reason)
        return error_set(err, ERROR_INVALID, "reason", "is missing");
    return field_read(&reason_field, reason, taken->reason, err) && says_something(taken, err);
}

bool taking_back_read_body(struct exchange *exchange, struct taken_back *ret_taken)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct error err = {0};

    begin(exchange, ret_taken);
    json = request_json(exchange, &err);
    if (json && read_object(json, ret_taken, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

void taking_back_read_query(struct exchange *exchange, struct taken_back *ret_taken)
{
    const struct reason_question *asked = exchange->request.parameters;

    begin(exchange, ret_taken);
    memcpy(ret_taken->reason, asked->reason, sizeof ret_taken->reason);
}

void taking_back_note(struct exchange *exchange, const char *did, const char *id,
                      const char *reason)
{
    struct audit_entry *entry = &exchange->audit.entry;

    entry->did = did;
    snprintf(entry->object, sizeof entry->object, "%s", id);
    snprintf(entry->reason, sizeof entry->reason, "%s", reason);
}
