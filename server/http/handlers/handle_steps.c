/* /v1/runs/{id}/steps: the steps of a run as JSON or CSV. They are read in pieces while the
 * answer is sent, so memory does not grow with their number. Tested by tests/api/test_runs.py. */
#include "common/cleanup.h"

#include "common/limits.h"
#include "common/memory.h"
#include "db/runs/runs.h"
#include "db/runs/step_rows.h"
#include "server/http/api/runs.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_run.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#include <limits.h>

#define PIECE_STEPS 200 /* less than 64 KiB */

/* How far an answer has come. */
struct step_stream {
    long long run, first_measured, end_measured;
    long long position, last; /* the next step to send, and the one after the last */
    long long left;           /* steps that the client still wants */
    bool csv, thinned, begun, ended;
};

static bool is_measured(const struct step_stream *stream, long long index)
{
    return index >= stream->first_measured && index < stream->end_measured;
}

/* Sets the range of measured steps. A finished run stores it. Before, only a fixed warm-up is
 * known; an automatic one is found at the end of the run. */
static void find_measured(const struct run *run, struct step_stream *stream)
{
    stream->first_measured = stream->end_measured = LLONG_MAX;
    if (run->state == RUN_FINISHED) {
        stream->first_measured = run->summary.first_measured;
        stream->end_measured = stream->first_measured + run->summary.measured_steps;
    } else if (run->spec.warmup_steps != FIELD_IS_AUTO) {
        stream->first_measured = run->spec.warmup_steps;
    }
}

static bool write_csv_split(struct bytes *piece, const struct step_split *split)
{
    if (!step_split_is_known(split))
        return bytes_printf(piece, ",,,,,\r\n");
    return bytes_printf(piece, ",%.9f,%.9f,%.9f,%.9f,%.9f\r\n", (double)split->input / 1e9,
                        (double)split->forward / 1e9, (double)split->backward / 1e9,
                        (double)split->update / 1e9, (double)split->communication / 1e9);
}

static bool write_csv(struct bytes *piece, const struct step_stream *stream,
                      const struct steps *steps, const long long positions[])
{
    bool ok = stream->begun ||
              bytes_printf(piece, "index,seconds,loss,measured,input_seconds,forward_seconds,"
                                  "backward_seconds,update_seconds,communication_seconds\r\n");

    for (size_t i = 0; ok && i < steps->count; i++) {
        long long index = positions[i];

        ok = bytes_printf(piece, "%lld,%.9f,%.17g,%s", index,
                          (double)steps->items[i].nanoseconds / 1e9, steps->items[i].loss,
                          is_measured(stream, index) ? "true" : "false") &&
             write_csv_split(piece, &steps->items[i].split);
    }
    return ok;
}

static const struct member step_list_rows[] = {
    {MEMBER_LIST_OF("steps", &step_members)},
    {MEMBER(struct step_stream, thinned),
     .meaning =
         "Whether some steps were dropped; `index` is the original position of each step."},
    {0},
};
const struct members step_list_members = {.name = "StepList", .rows = step_list_rows};

/* The members of the list one by one: it is written in pieces. */
static bool write_steps_json(struct bytes *piece, const struct step_stream *stream,
                             const struct steps *steps, const long long positions[])
{
    struct json_writer out = {.bytes = piece, .comma = stream->begun};

    if (!stream->begun) {
        jsonw_open(&out, NULL, '{');
        jsonw_open(&out, "steps", '[');
    }
    for (size_t i = 0; i < steps->count; i++) {
        const struct placed_step step = {positions[i], steps->items[i],
                                         is_measured(stream, positions[i])};

        members_write(&out, NULL, &step_members, &step);
    }
    if (stream->ended) {
        jsonw_close(&out, ']');
        jsonw_bool(&out, "thinned", stream->thinned);
        jsonw_close(&out, '}');
    }
    return !out.failed;
}

/* Moves behind the loaded steps; a gap means that maintenance has thinned them, perhaps during
 * this answer. */
static void steps_advance(struct step_stream *stream, const struct steps *steps,
                          const long long positions[], long long asked)
{
    size_t count = steps->count;

    for (size_t i = 0; i < count; i++) {
        stream->thinned = stream->thinned || positions[i] != stream->position;
        stream->position = positions[i] + 1;
    }
    stream->left -= (long long)count;
    stream->ended =
        (long long)count < asked || stream->left == 0 || stream->position >= stream->last;
}

static enum stream_result next_steps(void *state, struct exchange *exchange, struct bytes *piece)
{
    struct step_stream *stream = state;
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(steps_free) struct steps steps = {0};
    long long asked = stream->left < PIECE_STEPS ? stream->left : PIECE_STEPS;
    long long positions[PIECE_STEPS];
    struct error err = {0};

    if (stream->ended)
        return STREAM_END;
    loan = db_borrow(exchange->server->pool);
    if (!step_rows_load_placed(loan.db, stream->run,
                               &(struct step_range){stream->position, asked}, &steps, positions,
                               &err))
        return STREAM_BROKEN;
    while (steps.count > 0 && positions[steps.count - 1] >= stream->last)
        steps.count--; /* added after the request */
    steps_advance(stream, &steps, positions, asked);
    if (!(stream->csv ? write_csv(piece, stream, &steps, positions)
                      : write_steps_json(piece, stream, &steps, positions)))
        return STREAM_BROKEN;
    stream->begun = steps.count > 0 || stream->begun;
    return STREAM_MORE;
}

static void choose_range(struct step_stream *stream, const struct steps_question *asked)
{
    stream->position = asked->from < stream->last ? asked->from : stream->last;
    stream->left = asked->limit ? asked->limit : stream->last;
    if (stream->left > stream->last - stream->position)
        stream->left = stream->last - stream->position;
}

void steps_handler(struct exchange *exchange)
{
    AUTO(freep) struct step_stream *stream = xcalloc(1, sizeof *stream);
    AUTO(run_clear) struct run run = {0};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    if (!request_form(exchange, &stream->csv))
        return;
    loan = db_borrow(exchange->server->pool);
    if (!runs_find(loan.db, exchange->request.id.text, &run, &err)) {
        reply_error(exchange, &err);
        return;
    }
    stream->run = run.number;
    find_measured(&run, stream);
    stream->last = run.steps;
    stream->thinned = run.thinned_us > 0;
    choose_range(stream, exchange->request.parameters);
    exchange->reply.status = 200;
    exchange->reply.content_type = stream->csv ? "text/csv; charset=utf-8" : "application/json";
    exchange->reply.stream =
        (struct stream){.next = next_steps, .free = free, .state = take(&stream)};
}
