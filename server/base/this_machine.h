/* The machine that this process runs on: its hardware, its cloud instance and its price per hour.
 * Thread-safe. */
#pragma once

#include "common/error.h"
#include "engine/machine/machine.h"
#include "engine/machine/vm.h"
#include "engine/run/spec_fits.h"
#include "pricing/machine/identity.h"
#include "server/base/config.h"
#include "server/base/load_watch.h"
#include "server/base/machine_price.h"

#include <pthread.h>
#include <stdbool.h>

struct this_machine {
    /* Constant after this_machine_look() and this_machine_store(). */
    struct topology topology;
    struct machine machine;
    struct place place; /* without its price; this_machine_place() has it */
    long long number;   /* of its row; db/runs/machines.h */
    char shown_vm[VM_SIZE];

    struct load_watch load_watch; /* locks for itself */

    /* Read these through the functions below. */
    const struct config *config;
    struct identity configured;
    pthread_mutex_t lock; /* of what follows */
    struct identity identity;
    bool asked;
};

/* Takes the identity from the options; does not read the hardware yet. */
struct this_machine *this_machine_new(const struct config *config);
void this_machine_free(struct this_machine *here); /* accepts NULL */

/* Reads the hardware. Call it before starting threads: it tests the processor's features in a
 * child process. */
void this_machine_look(struct this_machine *here);

/* Stores the machine unless the database has it, and sets `number`. */
MUST_USE bool this_machine_store(struct this_machine *here, struct db *db, struct error *err);

/* Asks the cloud for this instance's identity, unless the options forbid it. May take seconds. */
void this_machine_ask(struct this_machine *here, fetch_fn *fetch, void *fetcher);

/* Whether this_machine_ask() has returned. */
bool this_machine_was_asked(struct this_machine *here);

/* The identity as known so far; initially from the options. */
void this_machine_identity(struct this_machine *here, struct identity *ret_identity);

/* Identifies the machine among others of its type: by the cloud's instance id if known, else by
 * the hardware. */
void this_machine_vm(struct this_machine *here, char ret_vm[VM_SIZE]);

/* The price of an hour of this machine at a given time. */
MUST_USE bool this_machine_price(struct this_machine *here, struct db *db, long long at_us,
                                 struct machine_price *ret_price, struct error *err);

/* The same from typed prices only: unknown if another price takes precedence. */
MUST_USE bool this_machine_typed_price(struct this_machine *here, struct db *db, long long at_us,
                                       struct machine_price *ret_price, struct error *err);

/* Sets what the price is for: this machine, by its type if known. */
void this_machine_name_price(struct this_machine *here, struct price *price);

/* Who uses the processors now; as load_watch_look(). */
bool this_machine_load(struct this_machine *here, struct load *ret_load, long long *ret_due_ns);

/* For spec_fits(): the place with its current price. */
struct place this_machine_place(struct this_machine *here, struct db *db);
