/* /v1/runs/export: finished runs as complete documents, one per line, in the form that an import
 * reads. They are made while the answer is sent, so memory is bounded by a megabyte or by the
 * largest run. Tested by tests/api/test_import.py. */
#include "common/cleanup.h"
#include "db/runs/exports.h"
#include "db/runs/runs.h"
#include "server/base/log.h"
#include "server/base/query.h"
#include "server/base/query_labels.h"
#include "server/compare/unmatched_lists.h"
#include "server/http/handlers/handlers.h"
#include "server/http/long_work.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/runs/stored_document.h"

#define AHEAD (512 * 1024) /* bytes made ahead of sending */
#define HAND_OUT (32 * 1024)

/* How far an export has come. */
struct export_stream {
    struct exchange *exchange;
    long long after;      /* number of the last run that was written */
    struct bytes waiting; /* documents not sent yet */
    size_t sent;          /* bytes of them */
    bool ended;           /* no run is left */
    bool makes;           /* the job was put: what is above belongs to it */
    bool made;            /* by the job */
    struct long_job job;  /* that makes the next piece */
};

static void export_stream_free(void *state)
{
    struct export_stream *stream = state;

    if (stream->makes)
        long_jobs_cancel(stream->exchange->server->long_jobs, &stream->job);
    bytes_free(&stream->waiting);
    free(stream);
}

static void export_stream_freep(struct export_stream **stream)
{
    if (*stream)
        export_stream_free(*stream);
}

/* What write_run() needs. */
struct writer {
    struct db *db;
    const struct signing_key *key;
    struct bytes *waiting;
    bool failed, enough;
};

static bool write_run(void *user, const struct document_parts *parts)
{
    struct writer *writer = user;
    struct error err = {0};
    bool ok = run_document_write(writer->db, parts, writer->key, writer->waiting, &err);

    if (!ok)
        log_line(LOG_ERROR, "export of run %s: %s", parts->run->id.text, err.message);
    /* A run that was altered stays here; the others leave. */
    writer->failed = !ok && err.kind != ERROR_DAMAGED;
    writer->enough = writer->failed || writer->waiting->used >= AHEAD;
    return !writer->enough;
}

/* Writes the next documents into stream->waiting. */
static bool make_more(struct export_stream *stream)
{
    const struct exchange *exchange = stream->exchange;
    struct bytes *waiting = &stream->waiting;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct writer writer = {
        .db = loan.db, .key = exchange->server->signing_key, .waiting = waiting};
    char keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1];
    struct run_filter filter;
    struct error err = {0};
    long long last;

    /* Free the buffer of a very long run. */
    if (waiting->size > 4 * AHEAD)
        bytes_free(waiting);
    waiting->used = 0;
    waiting->limit = RUN_DOCUMENT_MAX;
    stream->sent = 0;
    if (!request_run_filter(&exchange->request.query, keys, &filter, &err))
        return false;
    filter.after = stream->after;
    filter.limit = -1;
    if (!exports_each(loan.db, &filter, &(struct export_reader){write_run, &writer}, &last,
                      &err)) {
        log_line(LOG_ERROR, "export: %s", err.message);
        return false;
    }
    if (last > 0)
        stream->after = last;
    stream->ended = !writer.enough;
    return !writer.failed;
}

static void work(void *user, const atomic_bool *stop)
{
    struct export_stream *stream = user;

    stream->made = !*stop && make_more(stream);
}

static bool begin_piece(struct export_stream *stream)
{
    struct error err = {0};

    stream->made = false;
    stream->job =
        (struct long_job){.work = work, .user = stream, .kind = JOB_EXPORT, .goes_on = true};
    stream->makes = long_work_put(stream->exchange, &stream->job, &err);
    return stream->makes;
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

static enum stream_result next_piece(void *state, struct exchange *exchange, struct bytes *piece)
{
    struct export_stream *stream = state;

    if (!stream->makes && stream->sent < stream->waiting.used)
        return hand_out(stream, piece);
    if (!stream->makes && stream->ended)
        return STREAM_END;
    if (!stream->makes && !begin_piece(stream))
        return STREAM_BROKEN;
    if (!long_work_has_ended(exchange, &stream->job))
        return STREAM_WAIT;
    stream->makes = false;
    if (!stream->made)
        return STREAM_BROKEN;
    return stream->waiting.used > 0 ? hand_out(stream, piece) : STREAM_END;
}

static bool find_after(struct exchange *exchange, long long *ret_after, struct error *err)
{
    const char *after = query_find(&exchange->request.query, "after");
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

/* Lines of runs have no place for it: which filters match nothing stands in a field. Bytes that a
 * field may not have become question marks. */
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
    static const char *const allowed[] = {REQUEST_RUN_CONDITIONS, "after", NULL};
    AUTO(export_stream_freep) struct export_stream *stream = calloc(1, sizeof *stream);
    char keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1];
    struct run_filter filter;
    struct error err = {0};

    if (!stream) {
        error_no_memory(&err);
        reply_error(exchange, &err);
        return;
    }
    stream->exchange = exchange;
    if (!request_accepts(exchange, "application/x-ndjson") || !request_allows(exchange, allowed))
        return;
    if (!request_run_filter(&exchange->request.query, keys, &filter, &err) ||
        !find_after(exchange, &stream->after, &err)) {
        reply_error(exchange, &err);
        return;
    }
    /* Make the first piece before sending the status. */
    if (!make_more(stream)) {
        error_set(&err, ERROR_INTERNAL, NULL, "the export could not begin");
        reply_error(exchange, &err);
        return;
    }
    if (stream->waiting.used == 0 && stream->after == 0 &&
        !name_unmatched(exchange, &filter, &err)) {
        reply_error(exchange, &err);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type = "application/x-ndjson";
    exchange->reply.stream =
        (struct stream){.next = next_piece, .free = export_stream_free, .state = take(&stream)};
}
