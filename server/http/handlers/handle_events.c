/* /v1/runs/{id}/events: a run as Server-Sent Events. The server queues nothing for a reader: each
 * event is computed from the row, the latest progress and the id of the last event that the
 * reader has seen. So a slow reader skips progress, and one that reconnects misses no state.
 *
 * The id of an event is "STAGE-STEPS": 1 queued, 2 running, 3 ended; and the steps done by then.
 * Tested by tests/api/test_events.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs/runs.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_run.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#define PROGRESS_NS (4 * NS_PER_SECOND)   /* longest pause between two progress events */
#define HEARTBEAT_NS (15 * NS_PER_SECOND) /* without progress; detects readers that are gone */

/* What a reader has been sent. */
struct event_stream {
    struct run_id id;
    int stage;            /* number of state changes sent */
    long long steps_sent; /* in the last progress event; -1 before the first */
    long long spoken_ns;  /* time of the last event or heartbeat */
    bool begun, ended;
};

enum { STAGE_NONE, STAGE_QUEUED, STAGE_RUNNING, STAGE_ENDED };

static int stage_of(enum run_state state)
{
    if (state == RUN_QUEUED)
        return STAGE_QUEUED;
    return state == RUN_RUNNING ? STAGE_RUNNING : STAGE_ENDED;
}

static bool write_event(struct bytes *piece, const char *name, int stage, long long steps,
                        const struct bytes *data)
{
    return bytes_printf(piece, "id: %d-%lld\nevent: %s\ndata: %s\n\n", stage, steps, name,
                        data->data);
}

static bool write_state(struct bytes *piece, const struct run *run, int stage)
{
    AUTO(bytes_free) struct bytes data = {.limit = 4096};
    struct json_writer out = {.bytes = &data};
    bool ended = stage == STAGE_ENDED;
    enum run_state state = ended ? run->state : stage == STAGE_RUNNING ? RUN_RUNNING : RUN_QUEUED;

    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "id", run->id.text);
    jsonw_text(&out, "state", run_state_name(state));
    jsonw_time(&out, "at",
               ended                    ? run->ended_us
               : stage == STAGE_RUNNING ? run->started_us
                                        : run->created_us);
    jsonw_text(&out, "reason", ended && run->reason[0] ? run->reason : NULL);
    jsonw_close(&out, '}');
    return !out.failed && write_event(piece, "state", stage, ended ? run->steps : 0, &data);
}

/* Writes the changes of state that this reader has not seen. */
static bool write_news(struct bytes *piece, struct event_stream *stream, const struct run *run)
{
    bool ok = true;

    while (ok && stream->stage < stage_of(run->state)) {
        stream->stage++;
        /* A run that was cancelled in the queue never ran. */
        if (stream->stage != STAGE_RUNNING || run->started_us != 0)
            ok = write_state(piece, run, stream->stage);
    }
    return ok;
}

static bool write_progress(struct bytes *piece, struct notifications *notifications,
                           struct event_stream *stream, long long now_ns)
{
    AUTO(bytes_free) struct bytes data = {.limit = 4096};
    struct json_writer out = {.bytes = &data};
    struct progress progress;

    if (stream->stage != STAGE_RUNNING ||
        !notifications_get_progress(notifications, stream->id.text, now_ns, &progress) ||
        (progress.steps_done == stream->steps_sent && now_ns - stream->spoken_ns < PROGRESS_NS))
        return true;
    present_progress(&out, NULL, &progress);
    stream->steps_sent = progress.steps_done;
    return !out.failed &&
           write_event(piece, "progress", STAGE_RUNNING, progress.steps_done, &data);
}

static bool look(const struct server *server, struct event_stream *stream, struct bytes *piece,
                 long long now_ns)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    AUTO(run_clear) struct run run = {0};
    struct error err = {0};

    if (!runs_find(loan.db, stream->id.text, &run, &err))
        return false;
    /* Progress first: it is skipped until the reader has seen "running", and an end found in this
     * look must follow the last progress. */
    if (!write_progress(piece, server->notifications, stream, now_ns) ||
        !write_news(piece, stream, &run))
        return false;
    stream->ended = run_state_is_final(run.state);
    return true;
}

static enum stream_result next_events(void *state, struct exchange *exchange, struct bytes *piece)
{
    struct notifications *notifications = exchange->server->notifications;
    struct event_stream *stream = state;

    for (;;) {
        long long now_ns = clock_monotonic_ns();
        bool running = stream->stage == STAGE_RUNNING;
        bool closed = notifications_is_closed(
            notifications); /* read before the database, so that the last change is not missed */

        if (stream->ended)
            return STREAM_END;
        if (!stream->begun && !bytes_printf(piece, "retry: 2000\n\n"))
            return STREAM_BROKEN;
        stream->begun = true;
        if (!look(exchange->server, stream, piece, now_ns))
            return STREAM_BROKEN;
        if (piece->used == 0 && now_ns - stream->spoken_ns >= HEARTBEAT_NS &&
            !bytes_printf(piece, ": still here\n\n"))
            return STREAM_BROKEN;
        if (piece->used > 0) {
            stream->spoken_ns = now_ns;
            return STREAM_MORE;
        }
        if (closed)
            return STREAM_END;
        if (notifications_sleep(notifications, &exchange->watcher, now_ns,
                                stream->spoken_ns + (running ? PROGRESS_NS : HEARTBEAT_NS)))
            return STREAM_WAIT;
    }
}

/* Ignores an id that is malformed or ahead of the run; the reader then gets all states. */
static void read_last_event(const char *header, enum run_state state, struct event_stream *stream)
{
    int stage;
    long long steps;
    char rest;

    if (header && sscanf(header, "%d-%lld%c", &stage, &steps, &rest) == 2 &&
        stage >= STAGE_QUEUED && stage <= stage_of(state) && steps >= 0) {
        stream->stage = stage;
        stream->steps_sent = stage == STAGE_RUNNING ? steps : -1;
    }
}

void events_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {NULL};
    AUTO(freep) struct event_stream *stream = calloc(1, sizeof *stream);
    AUTO(run_clear) struct run run = {0};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    if (!stream) {
        error_no_memory(&err);
        reply_error(exchange, &err);
        return;
    }
    stream->steps_sent = -1;
    if (!request_accepts(exchange, "text/event-stream") ||
        !request_run_id(exchange, &stream->id) || !request_allows(exchange, allowed))
        return;
    loan = db_borrow(exchange->server->pool);
    if (!runs_find(loan.db, stream->id.text, &run, &err)) {
        reply_error(exchange, &err);
        return;
    }
    read_last_event(exchange->request.headers.last_event_id, run.state, stream);
    stream->spoken_ns = clock_monotonic_ns();
    exchange->watcher.may_cut = true;
    notifications_watch(exchange->server->notifications, &exchange->watcher,
                        &(struct topic){TOPIC_RUN, stream->id}, stream->spoken_ns);
    reply_events(exchange, next_events, take(&stream));
}
