/* All known instance types: from feeds, and from measured runs. */
#pragma once

#include "db/db.h"
#include "pricing/feeds/price_batch.h"

/* Facts of the machines with measured runs; 0 and "" where unknown. Of several kinds of machine,
 * the one seen last. */
struct measured_type {
    long long kinds; /* kinds of machine with finished runs; 0: none */
    char isa[32], cpu_model[96], architecture[16];
    double processors, numa_nodes, memory_gib;
};

struct known_type {
    struct instance_type listed; /* name and provider always, the rest from feeds */
    char feed[32];               /* that listed it; "" if none */
    struct measured_type measured;
};

struct known_type_filter {
    const char *provider, *name; /* NULL for any */
    const char *after;           /* "name provider" of the last row of the previous page; NULL */
};

/* Calls tell() for each type, by name and provider, until it returns false. */
MUST_USE bool known_types_each(struct db *db, const struct known_type_filter *filter,
                               bool (*tell)(void *user, const struct known_type *type),
                               void *user, struct error *err);
