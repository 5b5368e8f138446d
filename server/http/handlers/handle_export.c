/* /v1/runs/export: finished runs as complete documents, one per line, in the form that an import
 * reads. They are made while the answer is sent, so memory is bounded by a megabyte or by the
 * largest run. Tested by tests/api/test_import.py. */
#include "answers/compare/unmatched_lists.h"
#include "answers/query.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "db/runs/exports.h"
#include "db/runs/runs.h"
#include "engine/document/run_document_write.h"
#include "server/base/log.h"
#include "server/http/api/runs.h"
#include "server/http/handlers/handlers.h"
#include "server/http/long_work.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/runs/stored_document.h"

#define EXPORT_AHEAD (512 * 1024) /* bytes made ahead of sending */
#define HAND_OUT (32 * 1024)
#define STEP_BYTES 12 /* of a document, at least */

enum export_state { EXPORT_SENDS, EXPORT_MAKES, EXPORT_NEEDS_ROOM };

/* The progress of an export. */
struct export_stream {
    struct exchange *exchange;
    enum export_state state; /* EXPORT_MAKES: what follows belongs to the job */
    long long after;         /* number of the last run that was written */
    struct bytes waiting;    /* documents not sent yet */
    size_t sent;             /* bytes of them */
    struct answer_part part; /* their share of the budget */
    size_t wanted;           /* bytes missing for the next document; 0 for none */
    bool ended;              /* no run is left */
    struct error err;        /* why no piece was made; else ERROR_NONE */
    struct long_job job;     /* makes the next piece */
};

static struct answer_budget *budget_of(const struct export_stream *stream)
{
    return stream->exchange->server->answer_budget;
}

/* Drops what was sent. */
static void drop_waiting(struct export_stream *stream)
{
    bytes_free(&stream->waiting);
    stream->sent = 0;
    answer_budget_leave(budget_of(stream), &stream->part);
}

static void export_stream_free(void *state)
{
    struct export_stream *stream = state;

    if (stream->state == EXPORT_MAKES)
        long_jobs_cancel(stream->exchange->server->long_jobs, &stream->job);
    drop_waiting(stream);
    free(stream);
}

static void export_stream_freep(struct export_stream **stream)
{
    if (*stream)
        export_stream_free(*stream);
}

/* Arguments of write_run(). */
struct writer {
    struct db *db;
    struct export_stream *stream;
    bool enough;
};

/* An estimate of the document's length. */
static size_t size_of(const struct document_parts *parts)
{
    if (!parts->steps)
        return (size_t)parts->run->steps * STEP_BYTES;
    return strlen(parts->steps) + (parts->evidence ? strlen(parts->evidence) : 0);
}

static bool export_hold(struct export_stream *stream, size_t bytes)
{
    if (bytes <= stream->part.held)
        return true;
    if (answer_budget_hold(budget_of(stream), &stream->part, bytes, &stream->err))
        return true;
    stream->wanted = bytes;
    return false;
}

/* If there is no room, the next piece gets the document. */
static bool write_run(void *user, const struct document_parts *parts)
{
    struct writer *writer = user;
    struct export_stream *stream = writer->stream;
    struct bytes *waiting = &stream->waiting;
    const size_t start = waiting->used;
    struct error err = {0};

    writer->enough = true;
    if (!export_hold(stream, start + size_of(parts)))
        return false;
    /* Skip an altered run; export the others. */
    if (!run_document_write(writer->db, parts, stream->exchange->server->signing_key, waiting,
                            &err)) {
        log_line(LOG_ERROR, "export of run %s: %s", parts->run->id.text, err.message);
        if (err.kind != ERROR_DAMAGED) {
            stream->err = err;
            return false;
        }
    }
    if (!export_hold(stream, waiting->used)) {
        waiting->used = start;
        return false;
    }
    stream->after = parts->run->number;
    writer->enough = waiting->used >= EXPORT_AHEAD;
    return !writer->enough;
}

/* Writes the next documents into the empty stream->waiting; none if stream->err is set. */
static void make_more(struct export_stream *stream)
{
    const struct exchange *exchange = stream->exchange;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct writer writer = {.db = loan.db, .stream = stream};
    const struct export_question *asked = exchange->request.parameters;
    struct run_filter filter = asked->conditions.filter;
    long long last;

    stream->waiting.limit = RUN_DOCUMENT_MAX;
    stream->wanted = 0;
    error_clear(&stream->err);
    filter.after = stream->after;
    filter.limit = -1;
    if (!exports_each(loan.db, &filter, &(struct export_reader){write_run, &writer}, &last,
                      &stream->err))
        return;
    stream->ended = !writer.enough;
    if (stream->waiting.used == 0)
        return;
    /* Send the complete documents even if a later one failed. */
    if (stream->wanted > 0)
        error_clear(&stream->err);
    stream->wanted = 0;
    bytes_fit(&stream->waiting);
    if (!answer_budget_hold(budget_of(stream), &stream->part, stream->waiting.used, &stream->err))
        stream->wanted = stream->waiting.used;
}

static void export_work(void *user, const atomic_bool *stop)
{
    struct export_stream *stream = user;

    if (*stop)
        error_set(&stream->err, ERROR_BUSY, NULL, "the server is stopping");
    else
        make_more(stream);
}

static bool begin_piece(struct export_stream *stream)
{
    error_clear(&stream->err);
    stream->job = (struct long_job){
        .work = export_work, .user = stream, .kind = JOB_EXPORT, .goes_on = true};
    if (!long_work_put(stream->exchange, &stream->job, &stream->err))
        return false;
    stream->state = EXPORT_MAKES;
    return true;
}

static enum stream_result hand_out(struct export_stream *stream, struct bytes *piece)
{
    size_t length = stream->waiting.used - stream->sent;

    if (length > HAND_OUT)
        length = HAND_OUT;
    if (!bytes_add(piece, stream->waiting.data + stream->sent, length))
        return STREAM_BROKEN;
    stream->sent += length;
    return STREAM_MORE;
}

/* Sleeps until there is room for the next document, then makes it. */
static enum stream_result look_for_room(struct export_stream *stream)
{
    struct exchange *exchange = stream->exchange;
    struct notifications *notifications = exchange->server->notifications;
    struct error err = {0};

    while (!answer_budget_hold(budget_of(stream), &stream->part, stream->wanted, &err)) {
        long long now_ns = clock_monotonic_ns();

        if (notifications_is_closed(notifications) || exchange->is_gone(exchange) ||
            !exchange->may_hold(exchange) ||
            stream->wanted > answer_budget_look(budget_of(stream)).limit)
            return STREAM_BROKEN;
        if (notifications_sleep(notifications, &exchange->watcher, now_ns,
                                now_ns + haste_pause(REQUEST_LOOK_NS)))
            return STREAM_WAIT;
    }
    notifications_leave(notifications, &exchange->watcher);
    return begin_piece(stream) ? STREAM_MORE : STREAM_BROKEN;
}

/* Takes the job's result. */
static enum stream_result take_piece(struct export_stream *stream)
{
    if (!long_work_has_ended(stream->exchange, &stream->job))
        return STREAM_WAIT;
    stream->state = EXPORT_SENDS;
    if (stream->err.kind == ERROR_NONE)
        return STREAM_MORE;
    log_line(stream->wanted > 0 ? LOG_DEBUG : LOG_ERROR, "export: %s", stream->err.message);
    if (stream->wanted == 0)
        return STREAM_BROKEN;
    drop_waiting(stream);
    stream->state = EXPORT_NEEDS_ROOM;
    notifications_watch(stream->exchange->server->notifications, &stream->exchange->watcher,
                        &(struct topic){.kind = TOPIC_ANSWERS}, clock_monotonic_ns());
    return STREAM_MORE;
}

static enum stream_result next_export_piece(void *state, struct exchange *exchange,
                                            struct bytes *piece)
{
    struct export_stream *stream = state;
    enum stream_result result = STREAM_MORE;

    (void)exchange;
    while (result == STREAM_MORE) {
        if (stream->state == EXPORT_MAKES) {
            result = take_piece(stream);
        } else if (stream->state == EXPORT_NEEDS_ROOM) {
            result = look_for_room(stream);
        } else if (stream->sent < stream->waiting.used) {
            return hand_out(stream, piece);
        } else if (stream->ended) {
            return STREAM_END;
        } else {
            drop_waiting(stream);
            result = begin_piece(stream) ? STREAM_MORE : STREAM_BROKEN;
        }
    }
    return result;
}

static bool find_after(struct exchange *exchange, const char *after, long long *ret_after,
                       struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(run_clear) struct run run = {0};
    struct error why = {0};

    *ret_after = 0;
    if (!after)
        return true;
    loan = db_borrow(exchange->server->pool);
    if (run_id_is_valid(after) && runs_find(loan.db, after, &run, &why)) {
        *ret_after = run.number;
        return true;
    }
    if (why.kind != ERROR_NONE && why.kind != ERROR_NOT_FOUND)
        return error_set(err, why.kind, NULL, "%s", why.message);
    return error_set(err, ERROR_INVALID, "after", "must be the id of a run that is stored here");
}

/* Lists filters without a match in a header field, because the lines have no place for them.
 * Bytes that a field may not contain become question marks. */
static bool name_unmatched(struct exchange *exchange, const struct run_filter *filter,
                           struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct unmatched_list unmatched = {.count = 0};
    char text[FIELD_VALUE_MAX] = "";
    size_t used = 0;

    if (!unmatched_runs(loan.db, filter, &unmatched, err))
        return false;
    for (size_t i = 0; i < unmatched.count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s: %s",
                                 i > 0 ? " | " : "", unmatched.list[i].parameter,
                                 unmatched.list[i].value, unmatched.list[i].words);
    for (char *letter = text; *letter; letter++)
        if (*letter < ' ' || *letter > '~')
            *letter = '?';
    if (text[0])
        reply_field(exchange, "Pennyworth-Unmatched", "%s", text);
    return true;
}

void export_handler(struct exchange *exchange)
{
    AUTO(export_stream_freep) struct export_stream *stream = xcalloc(1, sizeof *stream);
    const struct export_question *asked = exchange->request.parameters;
    struct error err = {0};

    stream->exchange = exchange;
    stream->part.piecewise = stream->part.shares = true;
    stream->part.client = client_address_of(exchange->request.peer);
    if (!find_after(exchange, asked->after, &stream->after, &err)) {
        reply_error(exchange, &err);
        return;
    }
    make_more(stream); /* the first piece, before the status is sent */
    if (stream->err.kind != ERROR_NONE) {
        reply_error(exchange, &stream->err);
        return;
    }
    if (stream->waiting.used == 0 && stream->after == 0 &&
        !name_unmatched(exchange, &asked->conditions.filter, &err)) {
        reply_error(exchange, &err);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type = "application/x-ndjson";
    exchange->reply.stream = (struct stream){
        .next = next_export_piece, .free = export_stream_free, .state = take(&stream)};
}
