/* /v1/sweeps/{id}/events: a sweep as Server-Sent Events. Like the events of a run, each is
 * computed from the rows and the id of the last event that the reader has seen.
 *
 * The id of an event is "STAGE-RUNS": 1 running, 2 ended; and how many of the sweep's runs had
 * ended by then. Runs end one after the other, so that number says which cells had ended.
 * Tested by tests/api/test_sweep_events.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "server/http/handlers/event_stream.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/sweep_parts.h"
#include "server/http/json/present_sweep.h"
#include "server/http/json/present_sweep_cell.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#define SILENCE_NS (15 * NS_PER_SECOND) /* longest pause between two progress events */
#define EVENT_MAX (256 * 1024)
#define EVENTS_AHEAD                                                                             \
    (32 * 1024) /* bytes of a piece behind which the next event waits for the next piece */

enum { SWEEP_STAGE_NONE, SWEEP_STAGE_RUNNING, SWEEP_STAGE_ENDED };

/* What a reader has been sent. */
struct sweep_stream {
    struct event_stream stream;
    int stage;
    size_t runs_seen; /* ended ones, at the last event */
    long long counts; /* of the last progress event; -1 before the first */
};

static bool write_sweep_event(struct bytes *piece, const char *name,
                              const struct sweep_stream *reader, const struct bytes *data)
{
    return bytes_printf(piece, "id: %d-%zu\nevent: %s\ndata: %s\n\n", reader->stage,
                        reader->runs_seen, name, data->data);
}

struct sweep_state_event {
    struct run_id id;
    enum sweep_state state;
    long long at_us;
};

static const struct member sweep_state_rows[] = {
    {MEMBER_AS(struct sweep_state_event, "id", id.text), .reference = "RunId"},
    {MEMBER(struct sweep_state_event, state), .members = &sweep_state_members},
    {MEMBER_TIME_AT(struct sweep_state_event, "at", at_us)},
    {0},
};
const struct members sweep_state_event_members = {.name = "SweepStateEvent",
                                                  .meaning =
                                                      "Data of a `state` event of a sweep.",
                                                  .rows = sweep_state_rows};

static bool write_sweep_state(struct bytes *piece, const struct sweep_stream *reader,
                              const struct sweep_row *row)
{
    AUTO(bytes_free) struct bytes data = {.limit = EVENT_MAX};
    struct json_writer out = {.bytes = &data};
    const struct sweep_state_event begun = {row->id, SWEEP_RUNNING, row->created_us};
    const struct sweep_state_event ended = {row->id, row->state, row->ended_us};

    members_write(&out, NULL, &sweep_state_event_members,
                  reader->stage == SWEEP_STAGE_ENDED ? &ended : &begun);
    return !out.failed && write_sweep_event(piece, "state", reader, &data);
}

static bool write_cell(struct bytes *piece, const struct sweep_stream *reader,
                       const struct sweep_view *view, size_t cell)
{
    AUTO(bytes_free) struct bytes data = {.limit = EVENT_MAX};
    const struct cell_view shown = cell_view_of(view, cell);
    struct json_writer out = {.bytes = &data};

    members_write(&out, NULL, &sweep_cell_members, &shown);
    return !out.failed && write_sweep_event(piece, "cell", reader, &data);
}

static bool write_sweep_progress(struct bytes *piece, const struct sweep_stream *reader,
                                 const struct sweep_view *view)
{
    AUTO(bytes_free) struct bytes data = {.limit = EVENT_MAX};
    const struct sweep_progress progress = sweep_progress_of(view);
    struct json_writer out = {.bytes = &data};

    members_write(&out, NULL, &sweep_progress_members, &progress);
    return !out.failed && write_sweep_event(piece, "progress", reader, &data);
}

/* In the order in which they ended; those that have not, last. */
static int by_end(const void *left, const void *right)
{
    const struct sweep_row_run *l = *(const struct sweep_row_run *const *)left;
    const struct sweep_row_run *r = *(const struct sweep_row_run *const *)right;
    bool l_ended = run_state_is_final(l->run.state), r_ended = run_state_is_final(r->run.state);

    if (l_ended != r_ended)
        return r_ended - l_ended;
    if (l->ended_us != r->ended_us)
        return l->ended_us < r->ended_us ? -1 : 1;
    return (l > r) - (l < r);
}

/* The runs of a sweep, and how many of them have ended. */
struct ends {
    const struct sweep_row_run **runs; /* owned: in the order in which they ended */
    size_t count, ended;
};

static void ends_clear(struct ends *ends)
{
    freep(&ends->runs);
}

static void find_ends(const struct sweep_view *view, struct ends *ends)
{
    ends->runs = xcalloc(view->run_count, sizeof *ends->runs);
    ends->count = view->run_count;
    for (size_t i = 0; i < view->run_count; i++) {
        ends->runs[i] = &view->runs[i];
        ends->ended += run_state_is_final(view->runs[i].run.state);
    }
    qsort(ends->runs, ends->count, sizeof *ends->runs, by_end);
}

/* Whether the run at an index is the last of its cell. */
static bool ends_its_cell(const struct ends *ends, size_t place)
{
    for (size_t i = place + 1; i < ends->count; i++)
        if (ends->runs[i]->run.cell == ends->runs[place]->run.cell)
            return false;
    return true;
}

/* Writes the cells that have ended since, while the piece is small; *ret_all is true if all were
 * written. */
static bool write_cells(struct bytes *piece, struct sweep_stream *reader,
                        const struct sweep_view *view, const struct ends *ends, bool *ret_all)
{
    *ret_all = true;
    while (reader->runs_seen < ends->ended) {
        size_t place = reader->runs_seen;

        *ret_all = piece->used < EVENTS_AHEAD;
        if (!*ret_all)
            return true;
        reader->runs_seen++;
        if (ends_its_cell(ends, place) &&
            !write_cell(piece, reader, view, ends->runs[place]->run.cell))
            return false;
    }
    return true;
}

/* Grows with each run that is added, begins or ends. */
static long long counts_of(const struct sweep_view *view, const struct ends *ends)
{
    long long running = 0;

    for (size_t i = 0; i < view->run_count; i++)
        running += view->runs[i].run.state == RUN_RUNNING;
    return (long long)(view->run_count + ends->ended) * 2 + running;
}

/* Writes what this reader has not seen. */
static bool write_sweep_news(struct bytes *piece, struct sweep_stream *reader,
                             const struct sweep_view *view, long long now_ns)
{
    AUTO(ends_clear) struct ends ends = {0};
    bool ended = view->row->state != SWEEP_RUNNING, all;
    long long counts;

    if (reader->stage == SWEEP_STAGE_ENDED)
        return true;
    if (reader->stage == SWEEP_STAGE_NONE) {
        reader->stage = SWEEP_STAGE_RUNNING;
        if (!write_sweep_state(piece, reader, view->row))
            return false;
    }
    find_ends(view, &ends);
    if (!write_cells(piece, reader, view, &ends, &all))
        return false;
    if (!all)
        return true;
    counts = counts_of(view, &ends);
    if (counts != reader->counts ||
        now_ns - reader->stream.spoken_ns >= haste_pause(SILENCE_NS)) {
        reader->counts = counts;
        if (!write_sweep_progress(piece, reader, view))
            return false;
    }
    if (!ended)
        return true;
    reader->stage = SWEEP_STAGE_ENDED;
    return write_sweep_state(piece, reader, view->row);
}

static bool sweep_events_look(struct event_stream *stream, const struct server *server,
                              struct bytes *piece, long long now_ns)
{
    struct sweep_stream *reader = (struct sweep_stream *)stream;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    AUTO(sweep_parts_clear) struct sweep_parts parts = {0};
    struct error err = {0};

    if (!sweep_parts_load(loan.db, stream->id.text, &parts, &err) ||
        !write_sweep_news(piece, reader, &parts.view, now_ns))
        return false;
    stream->ended = reader->stage == SWEEP_STAGE_ENDED;
    return true;
}

/* Ignores an id that is malformed or ahead of the sweep; the reader then gets all events. */
static void read_last_sweep_event(const char *header, const struct sweep_view *view,
                                  struct sweep_stream *reader)
{
    size_t runs, ended = 0;
    int stage;
    char rest;

    for (size_t i = 0; i < view->run_count; i++)
        ended += run_state_is_final(view->runs[i].run.state);
    if (!header || sscanf(header, "%d-%zu%c", &stage, &runs, &rest) != 2 || runs > ended)
        return;
    if (stage == SWEEP_STAGE_RUNNING ||
        (stage == SWEEP_STAGE_ENDED && view->row->state != SWEEP_RUNNING)) {
        reader->stage = stage;
        reader->runs_seen = runs;
    }
}

static bool sweep_events_begin(struct exchange *exchange, struct sweep_stream *reader,
                               struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(sweep_parts_clear) struct sweep_parts parts = {0};

    if (!sweep_parts_load(loan.db, reader->stream.id.text, &parts, err))
        return false;
    read_last_sweep_event(exchange->request.headers.last_event_id, &parts.view, reader);
    return true;
}

void sweep_events_handler(struct exchange *exchange)
{
    AUTO(freep) struct sweep_stream *reader = event_stream_open(exchange, sizeof *reader);
    struct error err = {0};

    reader->stream.look = sweep_events_look;
    reader->counts = -1;
    if (!sweep_events_begin(exchange, reader, &err)) {
        reply_error(exchange, &err);
        return;
    }
    event_stream_follow(exchange, take(&reader), TOPIC_SWEEP);
}
