/* A run as it is stored: its spec and its result. */
#pragma once

#include "common/limits.h"
#include "common/taken_back.h"
#include "engine/spec/run_id.h"
#include "engine/spec/run_spec.h"
#include "engine/stats/summary.h"
#include "engine/stats/validity.h"
#include "engine/trace/certified.h"
#include "engine/trace/evidence.h"

#define MACHINE_ID_LENGTH 16

/* Where a run was measured, as far as that is known: "" is not. */
struct whereabouts {
    char provider[PROVIDER_SIZE], region[REGION_SIZE], zone[REGION_SIZE];
    char vm[17]; /* which machine of its type; engine/machine/vm.h */
};

/* The price at which a run was measured, as far as it is known: what is compared between runs.
 * The run's cost object says the same for people, and more. */
struct paid_price {
    double per_hour;      /* discount taken off, in `currency`; 0 unknown */
    long long nanos;      /* the same before the discount, in billionths; 0 unknown */
    char currency[8];     /* ISO 4217; "" unknown, like the texts below */
    char kind[16];        /* price_kind_name() */
    char feed[32];        /* where the price came from */
    long long fetched_us; /* when; 0 unknown */
};

enum run_state {
    RUN_QUEUED,
    RUN_RUNNING,
    RUN_FINISHED,    /* it has a summary */
    RUN_FAILED,      /* it has a reason */
    RUN_CANCELLED,   /* a client asked for that */
    RUN_INTERRUPTED, /* the server stopped, or was killed, while it ran */
    RUN_PREEMPTED,   /* the cloud took the machine back while it ran */
};
#define RUN_STATES 7

/* Of a public key as a text: digits of 0-9 and a-f, and a NUL. */
#define PUBLIC_KEY_SIZE 65

struct progress;

struct run {
    long long number; /* in order of acceptance; the queue's order */
    struct run_id id;
    enum run_state state;
    char *spec_text;              /* owned: run_spec_to_text()'s JSON */
    char instance[INSTANCE_SIZE]; /* where it runs; "" while that is unknown */
    struct whereabouts where;
    enum provenance provenance;
    char sender[TOKEN_NAME_SIZE];               /* whose token imported it; "" of the others */
    char signed_by[PUBLIC_KEY_SIZE];            /* the key that signed its document; "" none */
    long long thinned_us;                       /* when most of its steps were dropped; 0 never */
    struct taken_back voided;                   /* it is kept, and counts nowhere */
    long long created_us, started_us, ended_us; /* calendar; 0 while that has not happened */
    char software[SOFTWARE_SIZE];               /* what the worker called itself */
    char *engine_details;                       /* owned: engine_details_to_text(), or NULL */
    long long samples, peak_memory_bytes;       /* as the worker counted them; 0 unknown */
    char *implementations;                      /* owned: only of a run that ends, or NULL */
    char *loaded;                               /* owned: loaded_libraries_to_text(), or NULL */
    char *load;                                 /* owned: load_to_text() at its begin, or NULL */
    struct certified certified;                 /* as far as it is known */
    char machine[MACHINE_ID_LENGTH + 1];        /* fingerprint of where it ran, "" unknown */
    struct run_id sweep;                        /* that it belongs to, "" of the others */
    long long cell, block;                      /* of that sweep */
    long long setup_ns;                         /* from the worker's start to its first step's */
    long long steps;                            /* stored ones, warm-up included */
    const char *ended_by;                       /* why a finished run ended, else NULL */
    struct summary summary;                     /* of a finished run; from a list only its head */
    char *summary_text;                         /* owned: the whole of it, or NULL */
    enum validity validity;                     /* unknown until it was judged */
    char *findings;                             /* owned: verdict_to_text(), or NULL */
    char *price;                                /* owned: its cost object, or NULL */
    struct paid_price paid;                     /* from it; only of a run that ends */
    char reason[256];                           /* why it failed, was interrupted or preempted */
    char *stderr_tail;                          /* owned: the worker's last words, or NULL */
    const struct progress *progress; /* never stored: borrowed for an answer, or NULL */
};

/* Frees what the run owns; a zeroed run is fine. */
void run_clear(struct run *run);

static inline bool run_state_is_final(enum run_state state)
{
    return state != RUN_QUEUED && state != RUN_RUNNING;
}

/* Whether its number counts: an invalid run is shown with its reasons, and takes part in nothing.
 */
static inline bool run_may_be_ranked(const struct run *run)
{
    return run->state == RUN_FINISHED && run->validity != VALIDITY_INVALID;
}

/* "queued" ... */
const char *run_state_name(enum run_state state);

/* NULL-terminated, in the order of the enum. */
extern const char *const run_state_names[];
