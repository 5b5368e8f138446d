#include "server/hub/hub_upload.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "db/capacity/capacity_deliveries.h"
#include "server/hub/hub_event.h"
#include "server/runs/stored_document.h"

#define RUNS_PATH "/v1/runs/import"
#define EVENT_PATH "/v1/capacity"
#define HUB_REPLY_MAX (1024 * 1024)
#define UPLOAD_REQUEST_MS (10 * 60 * 1000)
#define PATIENCE_SECONDS 120 /* a hub sends nothing while it stores */
#define BACKOFF_NS_MAX (60 * NS_PER_SECOND)
#define RETRY_AFTER_MAX 600 /* seconds */

/* The documents of one request. */
struct batch {
    struct hub_upload *upload;
    struct bytes text;
    struct hub_line lines[HUB_LINES_MAX];
    size_t count, most;
    long long seen;    /* number of the last run that it covers */
    bool is_too_large; /* its only document is: it has no text */
    struct error why;  /* of the only run, whose document could not be written */
};

void hub_upload_hub(const char *url, char ret_hub[HUB_UPLOAD_HUB_SIZE])
{
    size_t length = strlen(url);

    while (length > 0 && url[length - 1] == '/')
        length--;
    snprintf(ret_hub, HUB_UPLOAD_HUB_SIZE, "%.*s", (int)length, url);
}

static void put_line(struct batch *batch, const struct run *run)
{
    batch->lines[batch->count++] = (struct hub_line){.id = run->id, .delivery.run = run->number};
    batch->seen = run->number;
}

/* Adds a run. If the batch is full, the run becomes the first of the next one. */
static bool add_run(void *user, const struct document_parts *parts)
{
    struct batch *batch = user;
    size_t before = batch->text.used, length;
    struct error why = {0};

    if (!run_document_write(batch->upload->db, parts, batch->upload->key, &batch->text, &why)) {
        batch->text.used = before;
        if (batch->count == 0) { /* else the run is the first of the next batch */
            put_line(batch, parts->run);
            batch->why = why;
        }
        return false;
    }
    length = batch->text.used - before;
    if (batch->count > 0 && batch->text.used > HUB_UPLOAD_BATCH_BYTES) {
        batch->text.used = before;
        return false;
    }
    batch->is_too_large = length > BODY_RUNS_MAX;
    put_line(batch, parts->run);
    return batch->count < batch->most && batch->text.used < HUB_UPLOAD_BATCH_BYTES;
}

/* Proves to the hub that the key of the signatures is ours: it binds the token to it. */
static bool add_proof(const struct hub_upload *upload, struct fetch_request *request,
                      struct error *err)
{
    char proof[PROOF_SIZE];

    if (!upload->key || !upload->token[0])
        return true;
    signing_prove(upload->key, upload->token, proof);
    return fetch_header(request, PROOF_HEADER ": %s", proof) ||
           error_set(err, ERROR_INVALID, "--report-to", "is too long");
}

/* What is sent, and where to. */
struct content {
    const char *path, *type;
    const struct bytes *text;
};

static bool make_upload_request(const struct hub_upload *upload, const struct content *content,
                                struct fetch_request *request, struct error *err)
{
    *request = (struct fetch_request){.body = content->text->data,
                                      .body_length = content->text->used,
                                      .ca_file = upload->ca,
                                      .max_bytes = HUB_REPLY_MAX,
                                      .total_ms = UPLOAD_REQUEST_MS,
                                      .patience_seconds = PATIENCE_SECONDS};
    return (fetch_url_add(request, upload->hub) && fetch_url_add(request, content->path) &&
            fetch_header(request, "Content-Type: %s", content->type) &&
            fetch_header(request, "Accept: application/json") &&
            fetch_header(request, "User-Agent: pennyworth/" PENNYWORTH_VERSION " (report)") &&
            (!upload->token[0] ||
             fetch_header(request, "Authorization: Bearer %s", upload->token)))
               ? add_proof(upload, request, err)
               : error_set(err, ERROR_INVALID, "--report-to", "is too long");
}

/* Doubles from a second to a minute, less up to a quarter, so that candidates started together
 * come at different times. */
static long long backoff_ns(struct hub_upload *upload)
{
    long long wait_ns = haste_pause(NS_PER_SECOND);

    for (int i = 1; i < upload->failures && wait_ns < BACKOFF_NS_MAX; i++)
        wait_ns *= 2;
    if (wait_ns > BACKOFF_NS_MAX)
        wait_ns = BACKOFF_NS_MAX;
    return chance_jitter(&upload->chance, wait_ns, 0.75, 1);
}

static void upload_fail(struct hub_upload *upload, enum hub_upload_result result,
                        struct hub_upload_outcome *outcome)
{
    upload->failures++;
    outcome->result = result;
    outcome->wait_ns = result == HUB_UPLOAD_DEFERRED ? BACKOFF_NS_MAX : backoff_ns(upload);
}

static bool wants_time(int status)
{
    return status == 408 || status == 429 || status >= 500;
}

static void upload_explain(const struct hub_upload *upload, int status, struct error *err)
{
    if (status == 401)
        error_set(err, ERROR_UPSTREAM, NULL, "the hub answered 401: %s",
                  upload->token[0] ? "it does not know this token (--report-token-file)"
                                   : "it requires a token (--report-token-file)");
    else if (status == 403)
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the hub answered 403: this token may not import (--report-token-file)");
    else if (status == 409)
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the hub answered 409: this token is bound to another key than this "
                  "database's; its operator can run \"pennyworth token rebind NAME\"");
    else if (status == 507)
        error_set(err, ERROR_UPSTREAM, NULL, "the hub answered 507: its disk is full");
    else if (wants_time(status))
        error_set(err, ERROR_UPSTREAM, NULL, "the hub answered %d: not now", status);
    else
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the hub answered %d: is this a pennyworth hub? (--report-to)", status);
}

/* Handles any status but success. Does not quote the body: some servers echo the request, with
 * the token. */
static void upload_refuse(struct hub_upload *upload, const struct fetch_response *response,
                          struct hub_upload_outcome *outcome)
{
    long long after = response->retry_after_seconds;
    bool time = wants_time(response->status);

    upload_explain(upload, response->status, &outcome->error);
    upload_fail(upload, time ? HUB_UPLOAD_FAILED : HUB_UPLOAD_DEFERRED, outcome);
    if (!time || after <= 0)
        return;
    outcome->result = HUB_UPLOAD_DEFERRED;
    after = after < RETRY_AFTER_MAX ? after : RETRY_AFTER_MAX;
    if (after * NS_PER_SECOND > outcome->wait_ns)
        outcome->wait_ns = after * NS_PER_SECOND;
}

/* Leaves out the only run of a batch in this pass, so that others get through. The next pass
 * tries it again. */
static void pass_over(struct hub_upload *upload, const struct batch *batch,
                      const struct error *why, struct hub_upload_outcome *outcome)
{
    upload->after = batch->seen;
    error_clear(&upload->passed_over);
    error_set(&upload->passed_over, why->kind, NULL, "run %s: %s", batch->lines[0].id.text,
              why->message);
    outcome->result = HUB_UPLOAD_SENT;
}

/* After 413, or 429 without Retry-After, the next batch is half as large. A single document that
 * is too large is tried again later, because the limit may be raised. A proxy that counts
 * requests may have sent the 429, so the runs behind it wait, too. */
static void upload_shrink(struct hub_upload *upload, const struct batch *batch, int status,
                          struct hub_upload_outcome *outcome)
{
    struct error why = {0};

    if (batch->count > 1) {
        upload->most = batch->count / 2;
        outcome->result = HUB_UPLOAD_SENT;
        return;
    }
    error_set(&why, ERROR_UPSTREAM, NULL, "the hub, or what stands before it, answered %s",
              status == 413 ? "413: too large" : "429, and does not say when it would take it");
    pass_over(upload, batch, &why, outcome);
    if (status == 413)
        return;
    outcome->error = upload->passed_over;
    upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
}

static void upload_record(struct hub_upload *upload, const struct batch *batch,
                          struct hub_upload_outcome *outcome)
{
    struct delivery list[HUB_LINES_MAX];

    for (size_t i = 0; i < batch->count; i++)
        list[i] = batch->lines[i].delivery;
    if (!deliveries_record(upload->db, upload->hub, list, batch->count, clock_calendar_us(),
                           &outcome->error)) {
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        bool refused = list[i].verdict == DELIVERY_REFUSED;

        outcome->accepted += !refused;
        outcome->refused += refused;
        if (refused && !outcome->refusal[0])
            snprintf(outcome->refusal, sizeof outcome->refusal, "%s: %s", batch->lines[i].id.text,
                     list[i].reason);
    }
    outcome->result = HUB_UPLOAD_SENT;
    upload->after = batch->seen;
    upload->failures = 0;
}

static void refuse_ourselves(struct hub_upload *upload, struct batch *batch,
                             struct hub_upload_outcome *outcome)
{
    struct delivery *delivery = &batch->lines[0].delivery;

    delivery->verdict = DELIVERY_REFUSED;
    snprintf(delivery->reason, sizeof delivery->reason,
             "too large: a document of %zu bytes, hubs take %d", batch->text.used, BODY_RUNS_MAX);
    upload_record(upload, batch, outcome);
}

/* Makes the request; records nothing before the whole answer is read. */
static void upload_ask(struct hub_upload *upload, struct batch *batch,
                       struct hub_upload_outcome *outcome)
{
    AUTO(bytes_free) struct bytes reply = {.limit = HUB_REPLY_MAX + 1};
    struct fetch_response response = {0};
    struct fetch_request request;

    if (!make_upload_request(upload,
                             &(struct content){RUNS_PATH, "application/x-ndjson", &batch->text},
                             &request, &outcome->error)) {
        upload_fail(upload, HUB_UPLOAD_DEFERRED, outcome);
        return;
    }
    if (!upload->fetch(upload->fetcher, &request, hub_reply_take, &reply, &response,
                       &outcome->error)) {
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
        return;
    }
    if (response.status == 413 || (response.status == 429 && response.retry_after_seconds < 0)) {
        upload_shrink(upload, batch, response.status, outcome);
        return;
    }
    if (response.status != 200 && response.status != 201) {
        upload_refuse(upload, &response, outcome);
        return;
    }
    if (!hub_reply_read(&(struct hub_answer){.content_type = response.content_type,
                                             .text = reply.data ? reply.data : "",
                                             .length = reply.used},
                        batch->lines, batch->count, &outcome->error)) {
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
        return;
    }
    upload_record(upload, batch, outcome);
}

/* Ends a pass. The next pass tries the runs that this one left out: soon, unless other runs got
 * through since. */
static void end_pass(struct hub_upload *upload, struct hub_upload_outcome *outcome)
{
    upload->after = 0;
    outcome->result = HUB_UPLOAD_DONE;
    if (upload->passed_over.kind == ERROR_NONE) {
        upload->failures = 0;
        return;
    }
    outcome->error = upload->passed_over;
    error_clear(&upload->passed_over);
    if (upload->failures > 0) {
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
        return;
    }
    outcome->result = HUB_UPLOAD_DEFERRED;
    outcome->wait_ns = BACKOFF_NS_MAX;
}

static void record_event(struct hub_upload *upload, long long number,
                         const struct fetch_response *response,
                         struct hub_upload_outcome *outcome)
{
    bool accepted = response->status == 200 || response->status == 201;
    char reason[40];

    snprintf(reason, sizeof reason, "the hub answered %d", response->status);
    if (!capacity_deliveries_record(upload->db, upload->hub, number, accepted ? NULL : reason,
                                    clock_calendar_us(), &outcome->error)) {
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
        return;
    }
    if (!accepted)
        snprintf(outcome->event_refusal, sizeof outcome->event_refusal, "%s", reason);
    outcome->result = HUB_UPLOAD_SENT;
    upload->failures = 0;
}

/* An answer that stays the same settles the event. Until a hub has answered, each try is a pass
 * of its own, so that runs that end meanwhile go first. */
static void ask_for_event(struct hub_upload *upload, const struct capacity_event *event,
                          long long number, struct hub_upload_outcome *outcome)
{
    AUTO(bytes_free) struct bytes text = {.limit = HUB_REPLY_MAX};
    AUTO(bytes_free) struct bytes reply = {.limit = HUB_REPLY_MAX + 1};
    struct fetch_response response = {0};
    struct fetch_request request;

    upload->after = 0;
    error_clear(&upload->passed_over);
    if (!hub_event_write(&text, event))
        bytes_too_long(&text, "the event", &outcome->error);
    else if (make_upload_request(upload, &(struct content){EVENT_PATH, "application/json", &text},
                                 &request, &outcome->error) &&
             upload->fetch(upload->fetcher, &request, hub_reply_take, &reply, &response,
                           &outcome->error)) {
        if (wants_time(response.status) || response.status == 401)
            upload_refuse(upload, &response, outcome);
        else
            record_event(upload, number, &response, outcome);
        return;
    }
    upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
}

/* No run is left in this pass: now the preemptions that this machine saw. */
static void send_event(struct hub_upload *upload, struct hub_upload_outcome *outcome)
{
    struct capacity_event event;
    long long number;

    if (!capacity_deliveries_next(upload->db, upload->hub, &event, &number, &outcome->error))
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
    else if (number > 0)
        ask_for_event(upload, &event, number, outcome);
    else
        end_pass(upload, outcome);
}

static void send_batch(struct hub_upload *upload, struct batch *batch,
                       struct hub_upload_outcome *outcome)
{
    if (!deliveries_each(upload->db, upload->hub, upload->after,
                         &(struct export_reader){add_run, batch}, &outcome->error))
        upload_fail(upload, HUB_UPLOAD_FAILED, outcome);
    else if (batch->why.kind != ERROR_NONE)
        pass_over(upload, batch, &batch->why, outcome);
    else if (batch->count == 0)
        send_event(upload, outcome);
    else if (batch->is_too_large)
        refuse_ourselves(upload, batch, outcome);
    else
        upload_ask(upload, batch, outcome);
}

void hub_upload_send(struct hub_upload *upload, struct hub_upload_outcome *ret_outcome)
{
    struct batch *batch = xcalloc(1, sizeof *batch);

    *ret_outcome = (struct hub_upload_outcome){.result = HUB_UPLOAD_DONE};
    batch->upload = upload;
    batch->text.limit = RUN_DOCUMENT_MAX;
    batch->most = upload->most ? upload->most : HUB_LINES_MAX;
    send_batch(upload, batch, ret_outcome);
    bytes_free(&batch->text);
    free(batch);
}
