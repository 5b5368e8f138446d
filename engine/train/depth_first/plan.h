/* The choices that make the depth-first plan fast on one machine and not on another: for each
 * stage, how much of the cache a chunk of images may take, and whether our kernels or the library
 * compute its convolutions. Measured once for a machine, library and shape, and kept
 * in a file. net.h says what else the word "plan" means. */
#pragma once

#include "common/error.h"
#include "engine/train/networks/network.h"

#include <stdbool.h>
#include <stddef.h>

#define PLAN_KEY_MAX 320
#define PLAN_TEXT_MAX 4096

struct choice {
    long kilobytes; /* of a chunk: 1 to 1,000,000 */
    bool by_hand;   /* by our kernels, where there are some */
};

struct plan {
    const char *origin; /* "fixed", "known", "measured" or "cached" */
    int count;          /* stages */
    struct choice stages[LAYERS_MAX];
};

/* The same for each of `count` stages. */
struct plan plan_fixed(int count, struct choice choice);

/* As text, with the key it was measured for. Reading refuses another key, another number of
 * stages and everything that plan_write() would not have written. */
size_t plan_write(const struct plan *plan, const char *key, char *ret_text, size_t size);
bool plan_read(const char *text, const char *key, int count, struct plan *ret_plan);

/* Reads the file for that key below the user's cache directory ($XDG_CACHE_HOME, or
 * $HOME/.cache). A file that is missing or malformed counts as none. */
bool plan_load(const char *key, int count, struct plan *ret_plan);

/* Writes that file. A reader sees the former plan or the whole new one, never a part. Several
 * processes may store at the same time: one of them writes, the others return true without
 * writing. A writer that is killed leaves at most one file, "<name>.part", which the next writer
 * takes over. False with the reason where the plan cannot be stored; then the next start measures
 * again. */
bool plan_store(const struct plan *plan, const char *key, struct error *err);
