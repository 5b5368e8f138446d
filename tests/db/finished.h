/* Runs that have finished, and what standings make of them, for one test. */
#pragma once

#include "db/runs/machines.h"
#include "db/standings/standings.h"
#include "tests/db/database.h"

/* What a test says of a run; 0 and NULL are the usual. */
struct ended {
    double value, low, high;     /* 0: 100, no interval */
    const struct run_spec *spec; /* NULL: all defaults */
    const char *instance, *provider, *region, *vm, *software, *details;
    struct paid_price paid;
    const char *stratum;    /* of the machine it ran on; NULL: that is not known */
    enum validity validity; /* unknown is OK here; see `unjudged` */
    bool unjudged, failed;
    const char *reason; /* of a failed one */
    long long at_us;
};

static inline long long machine_of(struct db *db, const char *stratum)
{
    char fingerprint[] = "0123456789abcdef", name[17],
         facts[] = "{\"cpu_model\":\"A CPU\","
                   "\"isa\":\"avx2\"}";
    long long number = 0;

    if (!stratum)
        return 0;
    snprintf(name, sizeof name, "%s", stratum);
    fingerprint[15] = stratum[strlen(stratum) - 1];
    EXPECT(machines_store(
        db,
        &(struct machine_row){
            .fingerprint = fingerprint, .stratum = name, .facts = facts, .seen_us = NOON_US},
        &number, NULL));
    return number;
}

static inline char *copy_of(const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    EXPECT(!text || copy);
    return copy;
}

/* The run that is claimed next, about to end so: the caller clears it. */
static inline struct run claimed_about_to_end(struct db *db, const struct ended *ended)
{
    struct run run = {0};
    bool found = false;

    EXPECT(runs_claim(db, NOON_US + 1, machine_of(db, ended->stratum), &run, &found, NULL));
    EXPECT(found);
    run.state = ended->failed ? RUN_FAILED : RUN_FINISHED;
    run.ended_us = ended->at_us ? ended->at_us : NOON_US + 2;
    run.ended_by = "target";
    run.summary = (struct summary){
        .measured_steps = 30,
        .measured_seconds = 1.5,
        .samples_per_second = ended->value > 0 ? ended->value : 100,
        .median_step_seconds = 0.0625,
        .first_measured = 6,
        .throughput = {.known = ended->low > 0, .low = ended->low, .high = ended->high}};
    run.validity = ended->unjudged                       ? VALIDITY_UNKNOWN
                   : ended->validity == VALIDITY_UNKNOWN ? VALIDITY_OK
                                                         : ended->validity;
    run.paid = ended->paid;
    run.engine_details = copy_of(ended->details);
    snprintf(run.software, sizeof run.software, "%s", ended->software ? ended->software : "");
    snprintf(run.where.provider, sizeof run.where.provider, "%s",
             ended->provider ? ended->provider : "aws");
    snprintf(run.where.region, sizeof run.where.region, "%s", ended->region ? ended->region : "");
    if (ended->vm) /* a letter */
        snprintf(run.where.vm, sizeof run.where.vm, "i%014d%.1s", 0, ended->vm);
    snprintf(run.reason, sizeof run.reason, "%s", ended->reason ? ended->reason : "");
    return run;
}

static inline void queue_to_end(struct db *db, const struct ended *ended)
{
    const struct run_spec usual = run_spec_default();
    struct run_order order = order_of(ended->spec ? ended->spec : &usual);

    order.instance = ended->instance ? ended->instance : "m5.large";
    create_one(db, &order);
}

/* A new run that is about to end so: the caller clears it. */
static inline struct run run_about_to_end(struct db *db, const struct ended *ended)
{
    queue_to_end(db, ended);
    return claimed_about_to_end(db, ended);
}

/* Its number. */
static inline long long end_claimed(struct db *db, const struct ended *ended)
{
    AUTO(run_clear) struct run run = claimed_about_to_end(db, ended);

    EXPECT_OK(runs_end(db, &run, &err));
    return run.number;
}

static inline long long end_run(struct db *db, const struct ended *ended)
{
    queue_to_end(db, ended);
    return end_claimed(db, ended);
}

/* ENDED(db, 100, .low = 99, .high = 101) */
#define ENDED(db, ...) end_run((db), &(struct ended){.value = __VA_ARGS__})

static inline void update(struct db *db, struct standings *standings)
{
    EXPECT_OK(standings_update(db, standings, &err));
}

/* Copies run 1 with its labels so many times, as if a sender had sent them; `machines` of them
 * are of machines of their own, the others of one. */
static inline void send_copies(struct db *db, const char *sender, int count, double speed,
                               int machines)
{
    execute_with(
        db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO runs (id, state, spec, engine, workload, created_us, ended_us,"
        " samples_per_second, throughput_low, throughput_high, validity, contender, version,"
        " provenance, sender, vm)"
        " SELECT '%s ' || i, 'finished', spec, engine, workload, created_us, ended_us,"
        " %g, %g, %g, 'ok', contender, version, 'imported', '%s', printf('i%%015d', min(i, %d))"
        " FROM runs, n WHERE number = 1;"
        "INSERT INTO run_labels SELECT l.key, l.value, r.number FROM run_labels AS l, runs"
        " AS r WHERE l.run = 1 AND r.sender = '%s';"
        "UPDATE revision SET number = number + 1;"
        "UPDATE contenders SET changed = (SELECT number FROM revision)",
        count, sender, speed, speed * 0.99, speed * 1.01, sender, machines, sender);
}
