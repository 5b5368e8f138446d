/* What a comparison has a row for, with what its runs say together. */
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
    char unit[8]; /* "sample", or "job" where only the time of a whole job is known */
    bool derived; /* computed from other published figures */
    long long measured_us;
};

/* The runs of another version in short. */
struct older_version {
    char version[RUN_VERSION_SIZE];
    struct standing standing;
};

/* Runs of different versions of an engine, its library or its plan are not put together. The
 * standing is the standing of the newest version with an interval; without any, of the newest
 * with a valid run. Versions are ordered by their names, never by who reported last. */
struct contender {
    long long number;
    char id[CONTENDER_ID_SIZE]; /* names it in URLs: a hash of its key */
    char *workload, *engine, *configuration, *provider, *instance, *stratum; /* owned */
    struct configuration setup; /* what the text of the configuration says */
    bool is_published;
    struct published published;     /* of one that is */
    char version[RUN_VERSION_SIZE]; /* whose runs the standing is of; "" of a figure */
    struct standing standing;       /* of a figure: a point */
    struct older_version *older;    /* owned: the standings of other versions, the newest first */
    size_t older_count;
    struct run_source *sources; /* owned: whose the standing is, the largest share first */
    size_t source_count;
    struct newest {
        char run[27];                 /* id; "" of a figure */
        char software[SOFTWARE_SIZE]; /* that trained it */
        char isa[32];                 /* that was really used, "" where the engine did not say */
        char cpu_model[96], machine_isa[32];
        double threads, multiply_adds; /* of a sample, forward; 0 unknown, like all here */
        double hertz;                  /* the median of its canaries */
        double paid_per_hour;          /* dollars, discount taken off, when it ran */
        char paid_kind[16], paid_feed[32];
        char region[REGION_SIZE];    /* where it was measured */
        char machine[INSTANCE_SIZE]; /* price_name_of_machine(), if it was measured by this server
                                      * on a machine without a type */
    } newest; /* of the newest run that may describe the row: sources_describing() */
};

/* The key of a contender from columns 0 to 7: number, workload, engine, configuration, provider,
 * instance, stratum, published. */
void contender_read_key(struct stmt *row, struct contender *contender);

/* A zeroed one is fine. */
void contender_clear(struct contender *contender);
