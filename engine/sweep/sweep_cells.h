/* The cells of a sweep. */
#pragma once

#include "common/error.h"
#include "engine/run/spec_fits.h"
#include "engine/spec/run_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define SWEEP_NAME_MAX 96

enum sweep_preset {
    SWEEP_MATRIX, /* no preset: only base and knobs */
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

/* One spec of the sweep, and its name there. */
struct sweep_cell {
    char name[SWEEP_NAME_MAX];
    struct run_spec spec;
    char refused[sizeof((struct error *)0)->field + sizeof((struct error *)0)->message +
                 4]; /* why it cannot run on this machine; "" if it can */
};

struct sweep {
    enum sweep_preset preset;
    long long blocks;         /* each runs every cell once */
    long long budget_seconds; /* of a tune */
    json_t *base;             /* owned: the client's base with its precision; cells are made from
                               * it */
    struct sweep_cell *cells; /* owned */
    size_t count;
};

/* Adds a cell: the base with the members of `change` (borrowed), under that name. */
MUST_USE bool sweep_add(struct sweep *sweep, const char *name, json_t *change,
                        const struct place *place, struct error *err);

/* A zeroed sweep is fine. */
void sweep_clear(struct sweep *sweep);
