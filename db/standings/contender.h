/* A row of a comparison, with the combined result of its runs. */
#pragma once

#include "common/limits.h"
#include "db/stmt.h"
#include "engine/run/version.h"
#include "engine/spec/configuration.h"
#include "engine/stats/sources.h"
#include "engine/stats/standing.h"

#include <stddef.h>

#define CONTENDER_ID_SIZE 17

/* A figure that others published; see db/contenders/figures.h. */
struct published {
    char source[160], note[240];
    char unit[8]; /* "sample", or "job" if only the time of a whole job is known */
    bool derived; /* computed from other published figures */
    long long measured_us;
};

/* The runs of another version, summarised. */
struct older_version {
    char version[RUN_VERSION_SIZE];
    struct standing standing;
};

/* Runs of different versions of an engine, its library or its plan are not pooled. The standing
 * is of the newest version with an interval; without one, of the newest with a valid run.
 * Versions are ordered by name, never by upload time. */
struct contender {
    long long number;
    char id[CONTENDER_ID_SIZE]; /* names it in URLs: a hash of its key */
    char *workload, *engine, *configuration, *provider, *instance, *stratum; /* owned */
    struct configuration setup; /* the configuration, parsed */
    bool is_published;
    struct published published;     /* of a published figure */
    char version[RUN_VERSION_SIZE]; /* version of the standing; "" for a figure */
    struct standing standing;       /* a figure has only a point */
    struct older_version *older;    /* owned: the standings of other versions, the newest first */
    size_t older_count;
    struct run_source *sources; /* owned: senders in the standing, the largest share first */
    size_t source_count;
    struct newest {
        char run[27];                 /* id; "" for a figure */
        char software[SOFTWARE_SIZE]; /* that trained it */
        char isa[32];                 /* really used; "" if the engine did not report it */
        char cpu_model[96], machine_isa[32];
        double threads, multiply_adds; /* per sample, forward; 0 unknown, as all here */
        double hertz;                  /* median of its canaries */
        double paid_per_hour;          /* dollars at run time, discount taken off */
        char paid_kind[16], paid_feed[32];
        char region[REGION_SIZE];    /* region of the measurement */
        char machine[INSTANCE_SIZE]; /* price_name_of_machine(), if this server measured it on a
                                      * machine without a type */
    } newest; /* the newest run that may describe the row: sources_describing() */
};

/* The key of a contender from columns 0 to 7: number, workload, engine, configuration, provider,
 * instance, stratum, published. */
void contender_read_key(struct stmt *row, struct contender *contender);

/* A zeroed one is fine. */
void contender_clear(struct contender *contender);
