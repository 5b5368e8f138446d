/* The parameters of a check, from its URL. Pure. */
#pragma once

#include "answers/parameters.h"
#include "engine/spec/run_id.h"
#include "engine/spec/run_spec.h"

enum baseline_kind { BASELINE_RUN, BASELINE_LABEL, BASELINE_LAST };

enum check_format { CHECK_JSON, CHECK_MARKDOWN, CHECK_GITHUB, CHECK_BENCHER };

struct gate_request {
    enum baseline_kind kind;
    struct run_id run;                                       /* of BASELINE_RUN */
    char key[LABEL_KEY_MAX + 1], value[LABEL_VALUE_MAX + 1]; /* of BASELINE_LABEL */
    long long window;                                        /* of the others: so many runs */
    double margin;                                           /* a share */
    bool confirm, fails_on_price;
    enum check_format format;
    bool format_given; /* else the Accept header decides */
};

/* The parameters as they are given. */
struct gate_question {
    const char *baseline; /* NULL: the last runs */
    long long window;     /* 0: the default */
    double margin_percent;
    bool confirm;
    const char *fails_on, *format; /* format NULL: the Accept header decides */
    long long wait;                /* seconds */
};
extern const struct parameters gate_parameters;

/* Errors name the parameter; *ret_request is written only on success. */
MUST_USE bool gate_request_make(const struct gate_question *question,
                                struct gate_request *ret_request, struct error *err);

/* The baseline in one line, equal for equal baselines: "run ID", "the newest 20 runs with
 * branch=main", "the last 20 runs before". */
#define BASELINE_TEXT_SIZE (LABEL_KEY_MAX + LABEL_VALUE_MAX + 64)
void gate_baseline_text(const struct gate_request *request, char ret_text[BASELINE_TEXT_SIZE]);

/* In the order of the enum, NULL-terminated. */
extern const char *const baseline_kind_names[];
