#include "server/cli/bench_watch.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs/runs.h"
#include "server/cli/bench_table.h"

#define PRINT_NS (20 * NS_PER_SECOND)
#define REWRITE_NS NS_PER_SECOND

/* One look and its result. */
struct look {
    struct bench_watch *watch;
    struct db *db;
    const struct sweep_row *row;
    const struct sweep_row_run *runs;
    size_t count;
    struct bench_sight sight;
};

static void close_line(struct bench_watch *watch)
{
    if (watch->line_is_open)
        fputs("\r\033[K", watch->out);
    watch->line_is_open = false;
}

/* The index of the run's record of printed lines; BENCH_WATCH_MAX if the table is full. */
static size_t watch_find(struct bench_watch *watch, const struct run_id *id)
{
    size_t i = 0;

    while (i < watch->count && strcmp(watch->runs[i].id.text, id->text) != 0)
        i++;
    if (i == watch->count && i < BENCH_WATCH_MAX) {
        watch->runs[i].id = *id;
        watch->count++;
    }
    return i;
}

static bool tell_end(struct bench_watch *watch, struct db *db, const char *name,
                     const struct run_id *id, struct error *err)
{
    AUTO(bytes_free) struct bytes words = {.limit = 16384};
    AUTO(run_clear) struct run run = {0};

    if (!runs_find(db, id->text, &run, err))
        return false;
    if (!bench_run_words(&words, &run))
        return bytes_too_long(&words, "what is said of a run", err);
    close_line(watch);
    fprintf(watch->out, "%s: %s\n", name, words.data);
    return true;
}

/* "4 min" or "38 s" */
static void print_time(FILE *out, double seconds)
{
    if (seconds >= 120)
        fprintf(out, "%.0f min", seconds / 60);
    else
        fprintf(out, "%.0f s", seconds);
}

static void print_figure(FILE *out, const struct progress *progress)
{
    if (progress->samples_per_second > 0)
        fprintf(out, ", %.4g samples/s", progress->samples_per_second);
    if (progress->half_width_percent > 0)
        fprintf(out, " within %.1f %%", progress->half_width_percent);
    else if (progress->rough_percent > 0)
        fprintf(out, " within roughly %.1f %%", progress->rough_percent);
    if (progress->within_reach_percent > 0)
        fprintf(out, " (%.1f %% is within reach)", progress->within_reach_percent);
}

/* Estimates the time that is left: each further run takes the average of the ended ones, or as
 * long as this one. */
static double seconds_left(const struct look *look, const struct progress *progress)
{
    double seconds = 0, ended = 0;
    double to_come = (double)look->watch->planned - (double)look->sight.settled - 1;

    for (size_t i = 0; i < look->count; i++) {
        seconds += (double)look->runs[i].seconds;
        ended += look->runs[i].seconds > 0;
    }
    if (ended <= 0) {
        seconds = progress->elapsed_seconds + progress->seconds_left;
        ended = 1;
    }
    return progress->seconds_left + (to_come > 0 ? to_come * seconds / ended : 0);
}

/* Print nothing if less than a second is left. */
static void print_left(FILE *out, double seconds, const char *what)
{
    if (seconds < 1)
        return;
    fputs(", about ", out);
    print_time(out, seconds);
    fputs(what, out);
}

static bool is_set_up(const struct progress *progress)
{
    return progress->steps_done > 0 || strcmp(progress->phase, "sizing") == 0;
}

static void print_progress(const struct look *look, const char *name,
                           const struct progress *progress)
{
    struct bench_watch *watch = look->watch;
    const char *phase = strcmp(progress->phase, "warm_up") == 0  ? "warming up"
                        : strcmp(progress->phase, "sizing") == 0 ? "choosing the batch"
                                                                 : progress->phase;

    close_line(watch);
    fprintf(watch->out, "%s: %s", name, is_set_up(progress) ? phase : "setting up");
    print_figure(watch->out, progress);
    print_left(watch->out, progress->seconds_left, " left");
    print_left(watch->out, seconds_left(look, progress), " of all");
    fputs(watch->terminal ? "" : "\n", watch->out);
    watch->line_is_open = watch->terminal;
    fflush(watch->out);
}

static void tell_progress(struct look *look, size_t at, const char *name)
{
    struct bench_watch *watch = look->watch;
    long long now_ns = clock_monotonic_ns();
    long long pause_ns = watch->terminal ? REWRITE_NS : PRINT_NS;
    struct progress progress;
    bool figure;

    if (!notifications_get_progress(watch->server->notifications, look->sight.running.text,
                                    now_ns, &progress))
        return;
    look->sight.steps = progress.steps_done;
    figure = progress.half_width_percent > 0 || progress.rough_percent > 0;
    if (now_ns - watch->printed_ns < pause_ns && (watch->runs[at].figure || !figure))
        return;
    watch->printed_ns = now_ns;
    watch->runs[at].figure |= figure;
    print_progress(look, name, &progress);
}

static bool is_same_place(const struct sweep_row_run *left, const struct sweep_row_run *right)
{
    return left->run.cell == right->run.cell && left->run.block == right->run.block;
}

/* Counts the runs that have ended and are not tried again. */
static size_t watch_settled(const struct sweep_row_run *runs, size_t count)
{
    size_t ended = 0;

    for (size_t i = 0; i < count; i++) {
        bool again = runs[i].run.state == RUN_INTERRUPTED || runs[i].run.state == RUN_PREEMPTED;

        for (size_t j = i + 1; j < count; j++)
            again = again || is_same_place(&runs[i], &runs[j]);
        ended += run_state_is_final(runs[i].run.state) && !again;
    }
    return ended;
}

/* Whether the run repeats one that was invalid. */
static bool is_repetition(const struct look *look, size_t index)
{
    for (size_t i = index; i-- > 0;)
        if (is_same_place(&look->runs[i], &look->runs[index]))
            return look->runs[i].run.state == RUN_FINISHED;
    return false;
}

static void tell_begin(struct look *look, size_t index, const char *name)
{
    struct bench_watch *watch = look->watch;
    bool ended = run_state_is_final(look->runs[index].run.state); /* and so it is counted */

    close_line(watch);
    fprintf(watch->out, "%s: run %zu of %zu begins%s\n", name, look->sight.settled + !ended,
            watch->planned,
            is_repetition(look, index) ? " again: the one before was invalid" : "");
    watch->printed_ns = clock_monotonic_ns();
}

static bool look_at(struct look *look, size_t index, struct error *err)
{
    const struct sweep_row_run *run = &look->runs[index];
    struct bench_watch *watch = look->watch;
    const char *name =
        run->run.cell < look->row->count ? look->row->cells[run->run.cell].name : "";
    size_t at = watch_find(watch, &run->id);

    if (at == BENCH_WATCH_MAX || run->run.state == RUN_QUEUED || watch->runs[at].ended)
        return true;
    /* A short run may end before it was seen; still print that it was a repetition. */
    if (!watch->runs[at].begun && (run->run.state == RUN_RUNNING || is_repetition(look, index))) {
        tell_begin(look, index, name);
        watch->runs[at].begun = true;
    }
    if (run->run.state == RUN_RUNNING) {
        look->sight.running = run->id;
        tell_progress(look, at, name);
        return true;
    }
    watch->runs[at].ended = true;
    look->sight.ended++;
    return tell_end(watch, look->db, name, &run->id, err);
}

bool bench_watch_look(struct bench_watch *watch, struct bench_sight *ret_sight, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(watch->server->pool);
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    AUTO(freep) struct sweep_row_run *runs = NULL;
    struct look look = {.watch = watch, .db = loan.db, .row = &row, .sight = {.idle = true}};

    if (!sweeps_find(loan.db, watch->sweep.text, &row, err) ||
        !sweeps_runs(loan.db, row.number, &runs, &look.count, err))
        return false;
    look.runs = runs;
    look.sight.settled = watch_settled(runs, look.count);
    for (size_t i = 0; i < look.count; i++) {
        look.sight.idle = look.sight.idle && run_state_is_final(runs[i].run.state);
        if (!look_at(&look, i, err))
            return false;
    }
    look.sight.over = row.state != SWEEP_RUNNING && look.sight.idle;
    *ret_sight = look.sight;
    return true;
}
