/* Tested by tests/api/test_taking_back.py. */
#include "server/http/handlers/taking_back.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "server/http/access.h"
#include "server/http/api/runs.h"
#include "server/http/api/shared.h"
#include "server/http/reply.h"
#include "server/http/request.h"

static void taking_back_begin(const struct exchange *exchange, struct taken_back *taken)
{
    *taken = (struct taken_back){.at_us = clock_calendar_us()};
    snprintf(taken->by, sizeof taken->by, "%s", access_sender(exchange));
}

static bool says_something(void *object, struct error *err)
{
    return api_reason_says_why(((const struct taken_back *)object)->reason, err);
}

static const struct field rows[] = {
    {BODY_TEXT(struct taken_back, reason, 1), .required = true,
     .schema = "{" API_REASON_PATTERN "}", .meaning = "At most 500 bytes."},
};
const struct body reason_body = {.name = "Reason",
                                 .meaning = "The reason, kept with what is taken back.",
                                 BODY_ROWS(rows),
                                 .check = says_something};

bool taking_back_read_body(struct exchange *exchange, struct taken_back *ret_taken)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct error err = {0};

    taking_back_begin(exchange, ret_taken);
    json = request_json(exchange, &err);
    if (json && body_read(&reason_body, json, ret_taken, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

void taking_back_read_query(struct exchange *exchange, struct taken_back *ret_taken)
{
    const struct reason_question *asked = exchange->request.parameters;

    taking_back_begin(exchange, ret_taken);
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
