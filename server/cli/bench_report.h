/* What came of a bench: collected from the database, for whoever prints it, and summed up in one
 * number for whoever only asks whether all is well. */
#pragma once

#include "db/deliveries.h"
#include "db/sweeps.h"
#include "engine/stats/standing.h"
#include "pricing/cost.h"
#include "server/base/this_machine.h"
#include "server/hub/hub_uploader.h"

/* A run as it ended at last: of one that was interrupted and tried again, the last attempt. One
 * that finished and was invalid stays beside the run that repeats it. */
struct bench_run {
    struct run run;   /* owned */
    const char *name; /* of its cell */
    bool repeated;    /* it was invalid, and another was queued for it */
    struct delivery delivery;
};

/* A configuration: what its runs come to together, at today's price of the machine. */
struct bench_cell {
    const char *name;
    const char *refused;         /* why it cannot be run here, or NULL */
    long long planned, finished; /* finished: those that were repeated left out */
    struct standing standing;
    bool has_cost;
    struct cost cost;
};

struct bench_report {
    /* Filled in by the caller; borrowed. */
    const char *set;
    const char *facts; /* of the machine, a JSON object */
    struct identity identity;
    struct machine_price price;
    long long at_us;       /* now */
    long long blocks;      /* runs of each configuration */
    const char *why_ended; /* before its time, or NULL */
    bool preempted;
    const struct hub_uploader_status *hub; /* NULL: nobody is reported to */
    /* Filled in by bench_report_load(). */
    struct sweep_row sweep;
    struct bench_run *runs; /* owned */
    size_t run_count;
    struct bench_cell *cells; /* owned */
    size_t cell_count;
    struct delivery_counts counts; /* of all that was ever measured here */
};

/* Reads what the sweep of that id has come to. */
bool bench_report_load(struct db *db, const char *id, struct bench_report *report,
                       struct error *err) __attribute__((warn_unused_result));

/* The exit status; see commands.h. */
int bench_report_status(const struct bench_report *report);

/* A report whose second half is zeroed is fine. */
void bench_report_clear(struct bench_report *report);
