/* A run as stored: its spec and its result. */
#pragma once

#include "common/limits.h"
#include "common/taken_back.h"
#include "engine/machine/load.h"
#include "engine/spec/run_id.h"
#include "engine/spec/run_spec.h"
#include "engine/stats/summary.h"
#include "engine/stats/validity.h"
#include "engine/trace/certified.h"
#include "engine/trace/evidence.h"

#include <string.h>

#define RUN_ENDING_SECONDS 2 /* from the limit of a run to the start of the next one */

#define MACHINE_ID_LENGTH 16

/* Where a run was measured; "" is unknown. */
struct whereabouts {
    char provider[PROVIDER_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    char vm[17]; /* which machine of its type; engine/machine/vm.h */
};

/* The price of a run, as far as known, for comparisons. The run's cost object says the same for
 * people, and more. */
struct paid_price {
    double per_hour;      /* discount taken off, in `currency`; 0 unknown */
    long long nanos;      /* the same before the discount, in billionths; 0 unknown */
    char currency[8];     /* ISO 4217; "" unknown, like the texts below */
    char kind[16];        /* price_kind_name() */
    char feed[32];        /* the feed of the price */
    long long fetched_us; /* when it was fetched; 0 unknown */
};

enum run_state {
    RUN_QUEUED,
    RUN_RUNNING,
    RUN_FINISHED,    /* it has a summary */
    RUN_FAILED,      /* it has a reason */
    RUN_CANCELLED,   /* a client cancelled it */
    RUN_INTERRUPTED, /* the server stopped, or was killed, during the run */
    RUN_PREEMPTED,   /* the cloud took the machine back during the run */
};
#define RUN_STATES 7

/* A public key as hexadecimal digits (0-9, a-f), with a NUL. */
#define PUBLIC_KEY_SIZE 65

struct progress;

struct run {
    long long number; /* in order of acceptance; the queue's order */
    struct run_id id;
    enum run_state state;
    char instance[INSTANCE_SIZE]; /* where it runs; "" if unknown */
    struct whereabouts where;
    enum provenance provenance;
    char sender[TOKEN_NAME_SIZE];               /* token name of the import; "" for other runs */
    char signed_by[PUBLIC_KEY_SIZE];            /* the key that signed its document; "" if
                                                 * unsigned */
    long long thinned_us;                       /* when most of its steps were dropped; 0 never */
    struct taken_back voided;                   /* if voided, it is kept, but counts nowhere */
    long long created_us, started_us, ended_us; /* calendar; 0 not yet */
    char software[SOFTWARE_SIZE];               /* the worker's name and versions */
    char *engine_details;                       /* owned: engine_details_to_text(), or NULL */
    long long samples, peak_memory_bytes;       /* from the worker; 0 unknown */
    char *implementations;                      /* owned: only while a run ends, or NULL */
    char *loaded;                               /* owned: loaded_libraries_to_text(), or NULL */
    struct load load;                           /* at its start; without processors: not seen */
    struct certified certified;                 /* as far as known */
    char machine[MACHINE_ID_LENGTH + 1];        /* fingerprint of its machine, "" unknown */
    struct run_id sweep;                        /* the sweep it belongs to, or "" */
    long long cell, block;                      /* of that sweep */
    long long setup_ns;                         /* from the worker's start to its first step */
    long long steps;                            /* stored steps, warm-up included */
    const char *ended_by;                       /* why a finished run ended, else NULL */
    struct summary summary;                     /* of a finished run; in lists only its head */
    char *summary_text;                         /* owned: the full summary, or NULL */
    enum validity validity;                     /* unknown until judged */
    char *findings;                             /* owned: verdict_to_text(), or NULL */
    char *price;                                /* owned: its cost object, or NULL */
    struct paid_price paid;                     /* from `price`; only while a run ends */
    char reason[256];                           /* why it failed, was interrupted or preempted */
    char *stderr_tail;                          /* owned: end of the worker's stderr, or NULL */
    const struct progress *progress; /* never stored: borrowed for an answer, or NULL */
    struct run_spec spec;            /* last, and its labels last in it: see run_empty() */
};

/* Frees what the run owns; a zeroed run is fine. */
void run_clear(struct run *run);

/* Zeroes a run but for the room for labels, which is most of it and mostly unused: a list of
 * runs would not fit into a cache. */
static inline void run_empty(struct run *run)
{
    memset(run, 0, offsetof(struct run, spec.labels));
}

static inline bool run_state_is_final(enum run_state state)
{
    return state != RUN_QUEUED && state != RUN_RUNNING;
}

/* Whether its number counts: an invalid run is shown with its reasons, but never ranked or
 * pooled. */
static inline bool run_may_be_ranked(const struct run *run)
{
    return run->state == RUN_FINISHED && run->validity != VALIDITY_INVALID;
}

/* "queued" ... */
const char *run_state_name(enum run_state state);

/* NULL-terminated, in the order of the enum. */
extern const char *const run_state_names[];
