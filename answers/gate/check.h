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
    size_t unpriced; /* runs whose price is unknown */
    double stretch;  /* compare_stretch(), the mean over them */
    double values[GATE_RUNS_MAX], per_dollar[GATE_RUNS_MAX]; /* the latter if all have a price */
    double value;   /* samples a second: geometric mean; NaN of none */
    double dollars; /* an hour: geometric mean; NaN unless all are known */
};

/* A failure is confirmed by runs in turns with the baseline if it can run here, else by the
 * candidate alone. */
enum confirmation_kind { CONFIRM_INTERLEAVED, CONFIRM_RERUN };
enum confirmation_state { CONFIRM_NONE, CONFIRM_RUNNING, CONFIRM_FINISHED, CONFIRM_CANCELLED };

struct confirmation {
    enum confirmation_kind kind;
    enum confirmation_state state;
    struct run_id sweep;
    /* Samples a second of valid runs. CONFIRM_INTERLEAVED: equal indexes are one block; else only
     * the candidate's are set. */
    double candidate[GATE_RUNS_MAX], baseline[GATE_RUNS_MAX];
    size_t count;
    double candidate_stretch, baseline_stretch; /* compare_stretch(), the mean over them */
};

/* One measure (speed or samples per dollar): two looks and their verdict. */
struct gate_track {
    bool known;
    bool second_decides;            /* else the first */
    struct gate_look first, second; /* the second: once a confirmation is over */
    enum gate_verdict verdict;
};

/* Everything in an answer: some 130 kB, too much for the stack. */
struct gate_check {
    struct gate_request request;
    struct run_id run;
    struct run_spec spec;                                    /* of the run */
    struct gate_subject candidate_subject, baseline_subject; /* the latter of BASELINE_RUN */
    const char *differs[CHECK_DIFFERS_MAX + 1];              /* fields; NULL-terminated */
    struct gate_check_side candidate, baseline;
    struct unmatched unmatched; /* the baseline, if no run has its label; else parameter NULL */
    struct confirmation confirmation;
    char invalid[CHECK_WORDS_SIZE]; /* why there is no verdict, or "" */
    /* From here on made by gate_check_judge(). */
    struct gate_track code, dollars;
    bool fails_first; /* so it is worth a confirmation */
    enum gate_verdict verdict;
    char words[CHECK_WORDS_SIZE];
};
