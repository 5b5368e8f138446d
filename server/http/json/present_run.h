/* JSON of runs. */
#pragma once

#include "common/rows/members.h"
#include "db/runs/run_list.h"
#include "engine/run/run.h"
#include "engine/trace/steps.h"
#include "server/http/json/page.h"

extern const struct members run_members;                 /* of struct run */
extern const struct members implementation_list_members; /* of struct run: those alone */
extern const struct members summary_head_members;        /* of struct summary */
extern const struct members validity_members;            /* present_judgement() */
extern const struct members progress_members;            /* of struct progress */
extern const struct members run_state_members;           /* words of enum run_state */

/* A page of runs. */
struct run_page {
    struct page *page; /* first: page_end_members */
    const struct run_list *list;
};
extern const struct members run_list_members;

/* Sets the page's cursor. */
void run_page_end(const struct run_list *list, struct page *page);

/* An element of the list of steps. */
struct placed_step {
    long long index;
    struct step step;
    bool is_measured;
};
extern const struct members step_members;

/* `findings` and `load` are as in struct run; the words quote its process names. Writes null for
 * a run that was never judged. */
void present_judgement(struct json_writer *out, enum validity level, const char *findings,
                       const struct load *load);
