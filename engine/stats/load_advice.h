/* What to do about others who use the processors: before a run, and in the findings of one that
 * they disturbed. Pure. */
#pragma once

#include "engine/machine/load.h"

enum load_advice { LOAD_GO_ON, LOAD_FEWER_THREADS, LOAD_WAIT };

/* In the order of the enum, NULL-terminated. */
extern const char *const load_advice_names[];

#define LOAD_WORDS_SIZE 320

struct load_opinion {
    enum load_advice advice;
    bool is_idle; /* no other process uses them */
    int threads;  /* of LOAD_FEWER_THREADS: so many leave the others theirs; else 0 */
    char words[LOAD_WORDS_SIZE]; /* one sentence: who uses how much, and what to do */
};

/* For a run of `threads` threads. Others who want B processors more than it leaves free take
 * about B / (1 + B) of its time: while a step waits for one thread, the processors of the others
 * are free (docs/number.md). What validity.h warns of and refuses is then the limit. */
void load_advise(const struct load *load, int threads, struct load_opinion *ret_opinion);

/* The findings of a run (verdict_to_text()) as this machine shows them: where contention or
 * disturbance warns or refuses, its words name who used the processors when the run began. `load`
 * is load_to_text()'s, or NULL. The caller frees it; NULL of NULL, and of what is not JSON. */
char *load_name_in_findings(const char *findings, const char *load);
