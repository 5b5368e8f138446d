/* The facts of a machine that a measurement depends on, so that two runs can be distinguished, or
 * compared, years later. */
#pragma once

#include "common/error.h"
#include "engine/machine/cpu.h"
#include "engine/machine/topology.h"

#include <jansson.h>

#define MACHINE_HASH_SIZE 17 /* sixteen digits */

/* Owned by the caller: machine_clear(). */
struct machine {
    char *facts;                         /* one line of JSON, null where unknown */
    char fingerprint[MACHINE_HASH_SIZE]; /* of all facts: changes when any of them does */
    char stratum[MACHINE_HASH_SIZE];     /* of the hardware: equal for machines whose runs may be
                                          * compared, whatever their kernel or software */
};

extern const struct members facts_members;

/* Refuses facts from elsewhere with a member that no engine of ours writes so: a text for the
 * number of cores. A member may be missing, null, or one that is not known here, as from a newer
 * program. ERROR_INVALID names it: "caches.l2_bytes". */
MUST_USE bool machine_facts_check(const char *facts, struct error *err);

/* `root` as in proc.h. `isa` is from cpu_probe(). */
void machine_read(const char *root, const struct topology *topology, enum cpu_isa isa,
                  struct machine *ret_machine);

/* The fingerprint of these facts, which must be written without blanks. */
void machine_fingerprint(const char *facts, char ret_fingerprint[MACHINE_HASH_SIZE]);

/* A second name, for a machine whose fingerprint is taken by other facts: the first 64 bits of
 * SHA-256. Facts with a given fingerprint can be forged in minutes; facts with a given second
 * name cannot. */
void machine_second_name(const char *facts, char ret_name[MACHINE_HASH_SIZE]);

/* The stratum of these facts; "" if facts for it are missing, as from other programs. */
void machine_stratum(const char *facts, char ret_stratum[MACHINE_HASH_SIZE]);

/* A zeroed machine is fine. */
void machine_clear(struct machine *machine);
