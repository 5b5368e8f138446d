/* Whether a run is as fast as those before it: what the CI gate answers, and how it comes to
 * that. */
#pragma once

#include "db/standings/gate_runs.h"
#include "engine/stats/gate.h"
#include "server/base/this_machine.h"
#include "server/compare/unmatched.h"
#include "server/gate/request.h"

#define CHECK_WORDS_SIZE 480
#define GATE_NOT_TRUSTED "which --gate-trust does not name" /* of a sender */
#define CHECK_DIFFERS_MAX (1 + CONFIGURATION_MEMBERS)       /* the engine is one */

/* One side of the comparison. */
struct gate_check_side {
    struct gate_run runs[GATE_RUNS_MAX]; /* newest first */
    size_t count;
    struct gate_run left_out[GATE_RUNS_MAX]; /* because of their senders */
    size_t left_out_count;
    struct gate_lost_run lost[GATE_LOST_MAX]; /* repeats that failed or are invalid */
    size_t lost_count;
    /* From here on made by gate_check_judge(). */
    size_t unpriced; /* of how many of them the price is not known */
    double stretch;  /* compare_stretch(), the mean over them */
    double values[GATE_RUNS_MAX],
        per_dollar[GATE_RUNS_MAX]; /* the latter where all have a price */
    double value;                  /* samples a second: geometric mean; NaN of none */
    double dollars;                /* an hour: geometric mean; NaN unless all are known */
};

/* A failure is confirmed in turns with the baseline where that can be run here, else alone. */
enum confirmation_kind { CONFIRM_INTERLEAVED, CONFIRM_RERUN };
enum confirmation_state { CONFIRM_NONE, CONFIRM_RUNNING, CONFIRM_FINISHED, CONFIRM_CANCELLED };

struct confirmation {
    enum confirmation_kind kind;
    enum confirmation_state state;
    struct run_id sweep;
    /* Valid runs: of the same block at the same place, or those of the candidate alone. */
    double candidate[GATE_RUNS_MAX], baseline[GATE_RUNS_MAX];
    size_t count;
    double candidate_stretch, baseline_stretch; /* compare_stretch(), the mean over them */
};

/* Of the speed, or of the samples that a dollar buys: two looks, and what they come to. */
struct gate_track {
    bool known;
    struct gate_look first, second; /* the second: once a confirmation is over */
    enum gate_verdict verdict;
};

/* Everything an answer is made of: some 130 kB, so it is not for the stack. */
struct gate_check {
    struct gate_request request;
    struct run_id run;
    char *spec_text;                                         /* owned: of the run */
    struct gate_subject candidate_subject, baseline_subject; /* the latter of BASELINE_RUN */
    const char *differs[CHECK_DIFFERS_MAX + 1];              /* fields; NULL-terminated */
    struct gate_check_side candidate, baseline;
    struct unmatched unmatched; /* the baseline, where no run has its label; else no parameter */
    struct confirmation confirmation;
    char invalid[CHECK_WORDS_SIZE]; /* why it says nothing; "" where it does */
    /* From here on made by gate_check_judge(). */
    struct gate_track code, dollars;
    bool fails_first; /* so it is worth a confirmation */
    enum gate_verdict verdict;
    char words[CHECK_WORDS_SIZE];
};

/* The looks, the verdict and its words, from what was loaded. Pure; may be called again. */
void gate_check_judge(struct gate_check *check);

/* The look that decides: the second where there is one. */
const struct gate_look *gate_check_look(const struct gate_check *check,
                                        const struct gate_track *track);

/* Whether a failure was confirmed: 1 yes, 0 no, -1 there is nothing to confirm, or not yet. */
int gate_check_confirmed(const struct gate_check *check);

/* Loads both sides and judges them, with the confirmation that was asked for before, if any. The
 * caller gives it to gate_check_freep(). NULL with err filled: ERROR_CONFLICT where a run has not
 * finished, with its id in *ret_waits_for if it still may; ERROR_UNABLE where machines or
 * workloads differ. */
struct gate_check *gate_check_load(struct db *db, const struct run_id *id,
                                   const struct gate_request *request,
                                   struct run_id *ret_waits_for, struct error *err)
    __attribute__((warn_unused_result));
void gate_check_freep(struct gate_check **check);

/* What gate_check_load() does for a confirmation: finds it and what it has come to. */
bool gate_load_confirmation(struct db *db, struct gate_check *check, struct error *err)
    __attribute__((warn_unused_result));

struct gate_queueing {
    long long queue_limit;
    /* Asked how many runs it would queue, before anything is stored. One that refuses says why.
     */
    bool (*may)(void *user, long long runs);
    void *user;
    bool was_there; /* returned: somebody else has just queued the same */
};

/* Queues it. ERROR_UNABLE where the run was measured on another machine, or cannot be run here.
 */
bool gate_queue_confirmation(struct db *db, struct this_machine *here, struct gate_check *check,
                             struct gate_queueing *queueing, struct error *err)
    __attribute__((warn_unused_result));
