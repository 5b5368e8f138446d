/* Advice about other processes that use the processors: before a run, and in the findings of a
 * disturbed one. Pure. */
#pragma once

#include "engine/machine/load.h"

enum load_advice { LOAD_GO_ON, LOAD_FEWER_THREADS, LOAD_WAIT };

/* In the order of the enum, NULL-terminated. */
extern const char *const load_advice_names[];

#define LOAD_WORDS_SIZE 320

struct load_opinion {
    enum load_advice advice;
    bool is_idle; /* no other process uses them */
    int threads;  /* for LOAD_FEWER_THREADS: a count that leaves room for the others; else 0 */
    char words[LOAD_WORDS_SIZE]; /* one sentence: who uses how much, and a remedy */
};

/* For a run of `threads` threads. Others who want B more processors than it leaves free take
 * about B / (1 + B) of its time: while a step waits for one thread, the other processors idle
 * (docs/number.md). The limits are validity.h's for warnings and refusals. */
void load_advise(const struct load *load, int threads, struct load_opinion *ret_opinion);

/* Adds names to the findings of a run (verdict_to_text()): if contention or disturbance warns or
 * invalidates, its words name who used the processors at the start. The caller frees the result;
 * NULL for NULL or invalid JSON. */
char *load_name_in_findings(const char *findings, const struct load *load);
