/* A set of runs with one answer, as a client asks for it: a base spec with lists of values for
 * some of its fields, or a preset that knows such lists. What is asked becomes cells: specs, each
 * of which is run once in each block. */
#pragma once

#include "common/error.h"
#include "common/limits.h"
#include "engine/run/spec_fits.h"
#include "engine/spec/run_spec.h"

#include <jansson.h>
#include <stdbool.h>

#define SWEEP_NAME_MAX 96

enum sweep_preset {
    SWEEP_MATRIX, /* none: base and knobs are all */
    SWEEP_LADDER,
    SWEEP_BATCH,
    SWEEP_INPUT_WORKERS,
    SWEEP_THREADS,
    SWEEP_ISA,
    SWEEP_TUNE,
    SWEEP_AA,
    SWEEP_ENGINES,
    SWEEP_CLOUDS2017,
};

/* One spec of the set, and its name there. */
struct sweep_cell {
    char name[SWEEP_NAME_MAX];
    struct run_spec spec;
    char refused[sizeof((struct error *)0)->field + sizeof((struct error *)0)->message +
                 4]; /* why it is not run on this machine; "" where it is */
};

struct sweep {
    enum sweep_preset preset;
    long long blocks;         /* each runs every cell once */
    long long budget_seconds; /* of a tune */
    json_t *base;             /* owned: the client's, and its precision; cells are made from it */
    struct sweep_cell *cells; /* owned */
    size_t count;
};

/* Reads {"preset", "base", "knobs", "cells", "blocks", "pairs", "budget_seconds"}. Every cell's
 * spec is read as a run's is, and errors name the field, "base.threads" or "knobs.batch_size". A
 * cell that is not possible on this machine is kept with the reason, but a set without any that
 * is fails. *ret_sweep is written only on success; the caller gives it to sweep_clear(). */
bool sweep_from_text(const char *text, size_t length, const struct place *place,
                     struct sweep *ret_sweep, struct error *err)
    __attribute__((warn_unused_result));

/* Adds a cell: the base, changed by the members of `change` (borrowed), under that name. */
bool sweep_add(struct sweep *sweep, const char *name, json_t *change, const struct place *place,
               struct error *err) __attribute__((warn_unused_result));

/* A zeroed sweep is fine. */
void sweep_clear(struct sweep *sweep);

/* "matrix", "ladder" ... */
const char *sweep_preset_name(enum sweep_preset preset);

/* The preset that a stored request asked for; SWEEP_MATRIX where it names none that is known. */
enum sweep_preset sweep_preset_of(const char *request);

/* NULL-terminated, in the order of the enum. */
extern const char *const sweep_preset_names[];
