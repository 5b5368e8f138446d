/* Every instance type that is known: those that feeds list, and those that runs were measured on.
 */
#pragma once

#include "db/db.h"
#include "pricing/feeds/price_batch.h"

/* What the machines said that runs were measured on; 0 and "" where they did not say. Of several
 * kinds of machine, what the one said that was seen last. */
struct measured_type {
    long long kinds; /* of machine that finished runs were measured on; 0: none */
    char isa[32], cpu_model[96], architecture[16];
    double processors, numa_nodes, memory_gib;
};

struct known_type {
    struct instance_type listed; /* its name and provider always, the rest by the feeds */
    char feed[32];               /* that listed it; "" where none did */
    struct measured_type measured;
};

struct known_type_filter {
    const char *provider, *name; /* NULL for any */
    const char *after;           /* "name provider" of what an earlier answer ended with; NULL */
};

/* Calls tell() for each type, by name and provider, until it answers false. */
MUST_USE bool known_types_each(struct db *db, const struct known_type_filter *filter,
                               bool (*tell)(void *user, const struct known_type *type),
                               void *user, struct error *err);
