/* Whether a run is as fast as earlier ones: the answer of the CI gate as data. */
#pragma once

#include "answers/compare/unmatched.h"
#include "answers/gate/request.h"
#include "db/standings/gate_runs.h"
#include "engine/stats/gate.h"

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
    bool second_decides;            /* else the first */
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
