/* Tested by tests/server/http/json/present_sweep_test.c. */
#include "server/http/json/present_sweep.h"

#include "common/clock.h"
#include "server/http/json/present_sweep_cell.h"

#include <math.h>

const struct members sweep_state_members = {.name = "SweepState",
                                            .meaning =
                                                "running is temporary; the others are final.",
                                            .words = sweep_state_names};

struct sweep_progress sweep_progress_of(const struct sweep_view *view)
{
    const struct sweep_row *row = view->row;
    long long counts[RUN_STATES] = {0}, total = (long long)view->run_count, left;
    double elapsed = (double)((row->ended_us ? row->ended_us : view->now_us) - row->created_us) /
                     US_PER_SECOND;

    for (size_t i = 0; i < view->run_count; i++)
        counts[view->runs[i].run.state]++;
    left = counts[RUN_QUEUED] + counts[RUN_RUNNING];
    return (struct sweep_progress){
        .runs_total = total,
        .runs_done = total - left,
        .runs_running = counts[RUN_RUNNING],
        .elapsed_seconds = elapsed,
        .seconds_left = row->state != SWEEP_RUNNING ? 0
                        : total > left ? elapsed / (double)(total - left) * (double)left
                                       : NAN};
}

static const struct member sweep_progress_rows[] = {
    {MEMBER(struct sweep_progress, runs_total), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Runs planned so far."},
    {MEMBER(struct sweep_progress, runs_done), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct sweep_progress, runs_running), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct sweep_progress, elapsed_seconds)},
    {MEMBER(struct sweep_progress, seconds_left), .nullable = true,
     .meaning = "An estimate; null before a run is done."},
    {0},
};
const struct members sweep_progress_members = {.name = "SweepProgress",
                                               .rows = sweep_progress_rows};

static void write_margin(struct json_writer *out, const struct member *row, const void *object)
{
    (void)object;
    jsonw_number(out, row->name, COMPARE_MARGIN);
}

static void write_rate(struct json_writer *out, const struct member *row, const void *object)
{
    const struct false_alarms *alarms = &((const struct sweep_view *)object)->alarms;

    jsonw_number(out, row->name, (double)alarms->alarms / alarms->pairs);
}

MEMBER_KNOWN(has_alarms, struct sweep_view, view,
             view->preset == SWEEP_AA && view->alarms.pairs > 0)

static const struct member alarms_rows[] = {
    {MEMBER_AS(struct sweep_view, "pairs", alarms.pairs), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct sweep_view, "alarms", alarms.alarms), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_WRITTEN("rate", MEMBER_NUMBER, write_rate)},
    {MEMBER_AS(struct sweep_view, "low", alarms.low)},
    {MEMBER_AS(struct sweep_view, "high", alarms.high)},
    {MEMBER_WRITTEN("margin", MEMBER_NUMBER, write_margin)},
    {0},
};
static const struct members alarms_members = {
    .name = "FalseAlarms",
    .meaning = "Number of pairs in which the intervals call two equal runs different; low and "
               "high enclose the rate with 95 %.",
    .rows = alarms_rows,
    .is_known = has_alarms};

static const void *find_best(const void *object)
{
    const struct sweep_result *result = ((const struct sweep_view *)object)->result;

    return result->best < result->count ? object : NULL;
}

MEMBER_WRITES(write_best, integer, struct sweep_view, view, (long long)view->result->best)

MEMBER_WRITES(write_best_name, text, struct sweep_view, view,
              view->row->cells[view->result->best].name)

static void write_best_tied(struct json_writer *out, const struct member *row, const void *object)
{
    const struct sweep_view *view = object;

    sweep_cell_write_tied(out, row->name, view, view->result->best);
}

static const struct member best_rows[] = {
    {MEMBER_WRITTEN("cell", MEMBER_COUNT, write_best), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_WRITTEN("name", MEMBER_TEXT, write_best_name)},
    {MEMBER_WRITTEN("cannot_be_told_apart_from", MEMBER_LIST, write_best_tied),
     .schema = "{\"type\": \"string\"}", .meaning = "Names of other cells."},
    {0},
};
static const struct members best_members = {.name = "Best", .rows = best_rows};

static const struct member sweep_head_rows[] = {
    {MEMBER_AS(struct sweep_row, "id", id.text), .reference = "RunId"},
    {MEMBER(struct sweep_row, state), .members = &sweep_state_members},
    {MEMBER_JSON_AT(struct sweep_row, "request", request),
     .meaning = "The request as it was sent."},
    {MEMBER_TIME_AT(struct sweep_row, "created_at", created_us)},
    {MEMBER_TIME_AT(struct sweep_row, "ended_at", ended_us), .nullable = true},
    {MEMBER(struct sweep_row, rounds), .range = MEMBER_POSITIVE,
     .meaning = "Rounds begun; more than one only for a tune."},
    {0},
};
const struct members sweep_head_members = {.name = "SweepHead", .rows = sweep_head_rows};

MEMBER_FINDS(find_sweep_row, struct sweep_view, view, view->row)

static void write_sweep_price(struct json_writer *out, const struct member *row,
                              const void *object)
{
    double dollars = sweep_dollars_per_hour(object);

    jsonw_number(out, row->name, dollars > 0 ? dollars : NAN);
}

static void write_progress(struct json_writer *out, const struct member *row, const void *object)
{
    const struct sweep_progress progress = sweep_progress_of(object);

    members_write(out, row->name, &sweep_progress_members, &progress);
}

/* The number of runs that enter no result. */
static void write_lost_runs(struct json_writer *out, const struct sweep_result *result)
{
    int failed = 0, invalid = 0, all = 0;
    char text[160];

    for (size_t i = 0; i < result->count; i++) {
        failed += result->cells[i].failed;
        invalid += result->cells[i].invalid;
        all += result->cells[i].runs;
    }
    if (failed + invalid == 0)
        return;
    snprintf(text, sizeof text,
             "Of %d runs, %d failed and %d counted as invalid; each of them says why. A cell "
             "without a valid run has no number.",
             all, failed, invalid);
    jsonw_text(out, NULL, text);
}

static void write_notes(struct json_writer *out, const struct member *row, const void *object)
{
    const struct sweep_view *view = object;

    jsonw_open(out, row->name, '[');
    if (view->preset == SWEEP_TUNE || view->preset == SWEEP_BATCH || view->preset == SWEEP_LADDER)
        jsonw_text(out, NULL,
                   "Another batch size or precision may change how training converges.");
    if (view->result->group_count > 1)
        jsonw_text(out, NULL,
                   "Cells of different workloads are not compared: first, previous, best and "
                   "rank of a cell are within its workload.");
    write_lost_runs(out, view->result);
    jsonw_close(out, ']');
}

static void write_cells(struct json_writer *out, const struct member *row, const void *object)
{
    const struct sweep_view *view = object;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < view->row->count; i++) {
        const struct cell_view cell = cell_view_of(view, i);

        members_write(out, NULL, &sweep_cell_members, &cell);
    }
    jsonw_close(out, ']');
}

static const struct member sweep_rows[] = {
    {MEMBER_ROWS(&sweep_head_members), .find = find_sweep_row},
    {MEMBER(struct sweep_view, preset), .words = sweep_preset_names},
    {MEMBER_WRITTEN("margin", MEMBER_NUMBER, write_margin),
     .meaning = "Share below which a difference does not matter."},
    {MEMBER_WRITTEN("price_per_hour", MEMBER_NUMBER, write_sweep_price), .nullable = true,
     .range = MEMBER_POSITIVE,
     .meaning =
         "Dollars per hour of the latest run of the sweep; null where no run had a price."},
    {MEMBER_WRITTEN("progress", MEMBER_OBJECT, write_progress),
     .members = &sweep_progress_members},
    {MEMBER_GROUP("best", &best_members), .nullable = true, .find = find_best,
     .meaning = "The fastest cell; null without one, and where cells train different workloads: "
                "those are not compared, and first, previous, best and rank of a cell are within "
                "its workload."},
    {MEMBER_GROUP("false_alarms", &alarms_members), .nullable = true},
    {MEMBER_WRITTEN("notes", MEMBER_LIST, write_notes), .schema = "{\"type\": \"string\"}"},
    {MEMBER_LIST_OF("cells", &sweep_cell_members), .write = write_cells},
    {0},
};
const struct members sweep_members = {.name = "Sweep", .rows = sweep_rows};
