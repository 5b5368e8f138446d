/* The machine, as it is: everything that a measurement on it depends on, so that two runs can be
 * distinguished, or put together, years later. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/machine/topology.h"

#include <jansson.h>

#define MACHINE_HASH_SIZE 17 /* sixteen digits */

/* Owned by the caller: machine_clear(). */
struct machine {
    char *facts; /* one line of JSON, null where something is not visible */
    char fingerprint[MACHINE_HASH_SIZE]; /* of all the facts: it changes when anything does */
    char stratum[MACHINE_HASH_SIZE];     /* of the hardware: equal for machines whose runs may be
                                            compared, whatever kernel or software they have */
};

/* `root` as in proc.h. `isa` is what cpu_probe() said. */
void machine_read(const char *root, const struct topology *topology, enum cpu_isa isa,
                  struct machine *ret_machine);

/* The fingerprint of these facts, which must be written without blanks. */
void machine_fingerprint(const char *facts, char ret_fingerprint[MACHINE_HASH_SIZE]);

/* Another name, for a machine whose fingerprint is taken by other facts: the first 64 bits of
 * SHA-256. Facts with the fingerprint of another machine can be made up in minutes; facts with
 * its second name cannot. */
void machine_second_name(const char *facts, char ret_name[MACHINE_HASH_SIZE]);

/* The stratum that follows from these facts; "" where they do not have all that a stratum is made
 * of, as those that another program wrote. */
void machine_stratum(const char *facts, char ret_stratum[MACHINE_HASH_SIZE]);

/* A zeroed machine is fine. */
void machine_clear(struct machine *machine);
