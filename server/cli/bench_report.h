/* The result of a bench, collected from the database: a report to print, and an exit status. */
#pragma once

#include "db/runs/deliveries.h"
#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"
#include "engine/stats/standing.h"
#include "pricing/cost.h"
#include "server/base/this_machine.h"
#include "server/cli/bench_load.h"
#include "server/hub/hub_uploader.h"

/* A run of the bench; of an interrupted run only the last attempt. A finished but invalid run is
 * listed as well as its repetition. */
struct bench_run {
    struct run run;   /* owned */
    const char *name; /* of its cell */
    bool repeated;    /* it was invalid, and another run repeats it */
    struct delivery delivery;
};

/* A configuration: the summary of its runs, at the machine's current price. */
struct bench_cell {
    const char *name;
    const char *refused;         /* why it cannot run here, or NULL */
    long long planned, finished; /* `finished` excludes repeated runs */
    struct standing standing;
    bool has_cost;
    struct cost cost;
};

struct bench_report {
    /* The caller sets these; borrowed. */
    const char *set;
    const char *facts; /* of the machine, a JSON object */
    struct identity identity;
    struct machine_price price;
    long long at_us;       /* now */
    long long blocks;      /* runs of each configuration */
    const char *why_ended; /* why it ended early, or NULL */
    bool preempted;
    struct bench_load load;                /* before its first run */
    const struct hub_uploader_status *hub; /* NULL: without a hub */
    /* bench_report_load() sets these. */
    struct sweep_row sweep;
    struct bench_run *runs; /* owned */
    size_t run_count;
    struct bench_cell *cells; /* owned */
    size_t cell_count;
    struct delivery_counts counts; /* of all runs in the database */
};

/* Reads the runs of the sweep `id`. */
MUST_USE bool bench_report_load(struct db *db, const char *id, struct bench_report *report,
                                struct error *err);

/* The exit status; see commands.h. */
int bench_report_status(const struct bench_report *report);

/* Accepts a report that bench_report_load() has not filled. */
void bench_report_clear(struct bench_report *report);
