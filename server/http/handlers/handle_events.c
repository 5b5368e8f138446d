/* /v1/runs/{id}/events: a run as Server-Sent Events, computed from the row, the latest progress
 * and the id of the last event that the reader has seen.
 *
 * The id of an event is "STAGE-STEPS": 1 queued, 2 running, 3 ended; and the steps done by then.
 * Tested by tests/api/test_events.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "db/runs/runs.h"
#include "server/http/handlers/event_stream.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_run.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#define PROGRESS_NS (4 * NS_PER_SECOND) /* longest pause between two progress events */

/* What a reader has been sent. */
struct run_stream {
    struct event_stream stream;
    int stage;            /* number of state changes sent */
    long long steps_sent; /* in the last progress event; -1 before the first */
};

enum { RUN_STAGE_NONE, RUN_STAGE_QUEUED, RUN_STAGE_RUNNING, RUN_STAGE_ENDED };

static int stage_of(enum run_state state)
{
    if (state == RUN_QUEUED)
        return RUN_STAGE_QUEUED;
    return state == RUN_RUNNING ? RUN_STAGE_RUNNING : RUN_STAGE_ENDED;
}

static bool write_run_event(struct bytes *piece, const char *name, int stage, long long steps,
                            const struct bytes *data)
{
    return bytes_printf(piece, "id: %d-%lld\nevent: %s\ndata: %s\n\n", stage, steps, name,
                        data->data);
}

struct run_state_event {
    struct run_id id;
    enum run_state state;
    long long at_us;
    const char *reason;
};

static const struct member run_state_rows[] = {
    {MEMBER_AS(struct run_state_event, "id", id.text), .reference = "RunId"},
    {MEMBER(struct run_state_event, state), .members = &run_state_members},
    {MEMBER_TIME_AT(struct run_state_event, "at", at_us)},
    {MEMBER(struct run_state_event, reason), .nullable = true, .filled = true},
    {0},
};
const struct members state_event_members = {
    .name = "StateEvent", .meaning = "Data of a `state` event.", .rows = run_state_rows};

static struct run_state_event state_event_of(const struct run *run, int stage)
{
    switch (stage) {
    case RUN_STAGE_ENDED:
        return (struct run_state_event){run->id, run->state, run->ended_us, run->reason};
    case RUN_STAGE_RUNNING:
        return (struct run_state_event){run->id, RUN_RUNNING, run->started_us, NULL};
    default:
        return (struct run_state_event){run->id, RUN_QUEUED, run->created_us, NULL};
    }
}

static bool write_run_state(struct bytes *piece, const struct run *run, int stage)
{
    AUTO(bytes_free) struct bytes data = {.limit = 4096};
    struct json_writer out = {.bytes = &data};
    const struct run_state_event event = state_event_of(run, stage);

    members_write(&out, NULL, &state_event_members, &event);
    return !out.failed && write_run_event(piece, "state", stage,
                                          stage == RUN_STAGE_ENDED ? run->steps : 0, &data);
}

/* Writes the changes of state that this reader has not seen. */
static bool write_run_news(struct bytes *piece, struct run_stream *reader, const struct run *run)
{
    bool ok = true;

    while (ok && reader->stage < stage_of(run->state)) {
        reader->stage++;
        /* A run that was cancelled in the queue never ran. */
        if (reader->stage != RUN_STAGE_RUNNING || run->started_us != 0)
            ok = write_run_state(piece, run, reader->stage);
    }
    return ok;
}

static bool write_run_progress(struct bytes *piece, struct notifications *notifications,
                               struct run_stream *reader, long long now_ns)
{
    AUTO(bytes_free) struct bytes data = {.limit = 4096};
    struct json_writer out = {.bytes = &data};
    struct progress progress;

    if (reader->stage != RUN_STAGE_RUNNING ||
        !notifications_get_progress(notifications, reader->stream.id.text, now_ns, &progress) ||
        (progress.steps_done == reader->steps_sent &&
         now_ns - reader->stream.spoken_ns < haste_pause(PROGRESS_NS)))
        return true;
    members_write(&out, NULL, &progress_members, &progress);
    reader->steps_sent = progress.steps_done;
    return !out.failed &&
           write_run_event(piece, "progress", RUN_STAGE_RUNNING, progress.steps_done, &data);
}

static bool events_look(struct event_stream *stream, const struct server *server,
                        struct bytes *piece, long long now_ns)
{
    struct run_stream *reader = (struct run_stream *)stream;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    AUTO(run_clear) struct run run = {0};
    struct error err = {0};

    if (!runs_find(loan.db, stream->id.text, &run, &err))
        return false;
    /* Progress first: it is skipped until the reader has seen "running", and an end found in this
     * look must follow the last progress. */
    if (!write_run_progress(piece, server->notifications, reader, now_ns) ||
        !write_run_news(piece, reader, &run))
        return false;
    if (reader->stage == RUN_STAGE_RUNNING)
        stream->pause_ns = haste_pause(PROGRESS_NS);
    stream->ended = run_state_is_final(run.state);
    return true;
}

/* Ignores an id that is malformed or ahead of the run; the reader then gets all states. */
static void read_last_run_event(const char *header, enum run_state state,
                                struct run_stream *reader)
{
    int stage;
    long long steps;
    char rest;

    if (header && sscanf(header, "%d-%lld%c", &stage, &steps, &rest) == 2 &&
        stage >= RUN_STAGE_QUEUED && stage <= stage_of(state) && steps >= 0) {
        reader->stage = stage;
        reader->steps_sent = stage == RUN_STAGE_RUNNING ? steps : -1;
    }
}

void events_handler(struct exchange *exchange)
{
    AUTO(freep) struct run_stream *reader = event_stream_open(exchange, sizeof *reader);
    AUTO(run_clear) struct run run = {0};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct error err = {0};

    if (!runs_find(loan.db, reader->stream.id.text, &run, &err)) {
        reply_error(exchange, &err);
        return;
    }
    reader->stream.look = events_look;
    reader->steps_sent = -1;
    read_last_run_event(exchange->request.headers.last_event_id, run.state, reader);
    event_stream_follow(exchange, take(&reader), TOPIC_RUN);
}
