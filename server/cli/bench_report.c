#include "server/cli/bench_report.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/runs/runs.h"
#include "server/cli/commands.h"

void bench_report_clear(struct bench_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        run_clear(&report->runs[i].run);
    freep(&report->runs);
    freep(&report->cells);
    sweep_row_clear(&report->sweep);
    report->run_count = report->cell_count = 0;
}

/* Whether a later attempt replaces this one. */
static bool is_superseded(const struct sweep_row_run *runs, size_t count, size_t index)
{
    for (size_t i = index + 1; i < count; i++)
        if (runs[i].run.cell == runs[index].run.cell &&
            runs[i].run.block == runs[index].run.block)
            return true;
    return false;
}

static bool load_run(struct db *db, const struct sweep_row_run *found, bool repeated,
                     struct bench_report *report, struct error *err)
{
    struct bench_run *run = &report->runs[report->run_count];

    *run = (struct bench_run){.repeated = repeated,
                              .name = found->run.cell < report->sweep.count
                                          ? report->sweep.cells[found->run.cell].name
                                          : ""};
    if (!runs_find(db, found->id.text, &run->run, err))
        return false;
    report->run_count++;
    return !report->hub ||
           deliveries_find(db, report->hub->hub, run->run.number, &run->delivery, err);
}

static struct run_result result_of(const struct run *run)
{
    const struct range *range = &run->summary.throughput;
    struct run_result run_result = {.value = run->summary.samples_per_second,
                                    .low = range->known ? range->low : 0,
                                    .high = range->known ? range->high : 0,
                                    .at_us = run->ended_us,
                                    .validity = run->validity};

    memcpy(run_result.vm, run->where.vm, sizeof run_result.vm);
    return run_result;
}

/* Without a price in dollars there is no cost. */
static void add_cost(const struct bench_report *report, struct bench_cell *cell)
{
    const struct range *range = &cell->standing.interval;
    const struct amount speed = {.value = cell->standing.value,
                                 .low = range->low,
                                 .high = range->high,
                                 .has_interval = range->known};

    cell->has_cost = report->price.known && cell->standing.level != STANDING_NONE &&
                     cost_of(&speed, report->price.dollars, &cell->cost);
}

static void sum_up(struct bench_report *report, size_t index)
{
    struct bench_cell *cell = &report->cells[index];
    AUTO(freep)
    struct run_result *results = xcalloc(report->run_count, sizeof *results);
    size_t count = 0;

    *cell = (struct bench_cell){.name = report->sweep.cells[index].name,
                                .refused = report->sweep.cells[index].refused,
                                .planned = report->blocks};
    for (size_t i = report->run_count; i-- > 0;) { /* newest first */
        const struct run *run = &report->runs[i].run;

        if (run->cell != (long long)index || run->state != RUN_FINISHED || run->voided.at_us > 0)
            continue;
        results[count++] = result_of(run);
        cell->finished += !report->runs[i].repeated;
    }
    standing_compute(results, count, &cell->standing);
    add_cost(report, cell);
}

bool bench_report_load(struct db *db, const char *id, struct bench_report *report,
                       struct error *err)
{
    AUTO(freep) struct sweep_row_run *runs = NULL;
    size_t count = 0;

    if (!sweeps_find(db, id, &report->sweep, err) ||
        !sweeps_runs(db, report->sweep.number, &runs, &count, err) ||
        (report->hub && !deliveries_count(db, report->hub->hub, &report->counts, err)))
        return false;
    report->runs = xcalloc(count, sizeof *report->runs);
    report->cells = xcalloc(report->sweep.count, sizeof *report->cells);
    for (size_t i = 0; i < count; i++) {
        bool again = is_superseded(runs, count, i);

        if (again && runs[i].run.state != RUN_FINISHED)
            continue;
        if (!load_run(db, &runs[i], again, report, err))
            return false;
    }
    for (; report->cell_count < report->sweep.count; report->cell_count++)
        sum_up(report, report->cell_count);
    return true;
}

/* Whether the hub has accepted every finished run of this bench, and no run of the database
 * waits. */
static bool is_delivered(const struct bench_report *report)
{
    if (report->counts.waiting > 0)
        return false;
    for (size_t i = 0; i < report->run_count; i++)
        if (report->runs[i].run.state == RUN_FINISHED &&
            report->runs[i].delivery.verdict != DELIVERY_ACCEPTED)
            return false;
    return true;
}

int bench_report_status(const struct bench_report *report)
{
    long long planned = 0, finished = 0, good = 0;

    for (size_t i = 0; i < report->cell_count; i++)
        planned += report->cells[i].planned;
    for (size_t i = 0; i < report->run_count; i++) {
        finished += report->runs[i].run.state == RUN_FINISHED;
        good += run_may_be_ranked(&report->runs[i].run);
    }
    if (report->preempted)
        return EXIT_PREEMPTED;
    if (finished == 0)
        return EXIT_NOTHING;
    if (report->hub && !is_delivered(report))
        return EXIT_NOT_DELIVERED;
    return good < planned ? EXIT_PARTLY : 0;
}
